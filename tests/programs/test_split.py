"""A program and its renamings share a split; anything else that tells programs apart still does."""

from __future__ import annotations

import ast
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.program import Program
from worldline.programs.split import execution, key, normal, split, split_of

pytestmark = pytest.mark.unit

SOURCE = '''\
import math as m
from collections import Counter

LIMIT = 10

class Box:
    """A docstring."""
    size = 1
    def __init__(self, width):
        self.width = width
    def grow(self, by: int = 2) -> int:
        self.width += by
        return self.width + Box.size

def helper(items, *rest, start=0, **options):
    global LIMIT
    total = start
    for index, item in enumerate(items):  # a comment
        try:
            total += item * index
        except TypeError as error:
            total -= len(str(error))
    LIMIT = [x for x in items if (last := x) and x > m.pi]
    return total, Counter(rest), options

def solve(items, key):
    seen = {}
    def inner(value):
        nonlocal seen
        match value:
            case [first, *others]:
                seen[first] = others
            case {"k": found, **more}:
                seen[found] = more
            case whole:
                seen["w"] = whole
        return lambda y, z=key: (y, z, seen)
    return inner(items)(1), helper(items, start=key), {k: v for k, v in seen.items()}
'''
BOUND = """m LIMIT Box width by helper items rest start options total index item error x last solve key seen inner
value first others found more whole y z k v"""
NAMES = sorted(BOUND.split())


class Renamed(ast.NodeTransformer):
    """The same program under other names, as an editor's rename would leave it (attributes apart)."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for label in ("id", "arg", "name", "asname", "rest"):
            if isinstance(value := getattr(node, label, None), str) and not isinstance(node, ast.alias):
                setattr(node, label, self.names.get(value, value))
        if isinstance(node, ast.alias) and node.asname:
            node.asname = self.names.get(node.asname, node.asname)
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [self.names.get(name, name) for name in node.names]
        if isinstance(node, ast.keyword) and node.arg:
            node.arg = self.names.get(node.arg, node.arg)
        return super().generic_visit(node)


def renamed(source: str, names: dict[str, str]) -> str:
    """A source with names changed, and with the layout of `ast.unparse`."""
    return ast.unparse(Renamed(names).visit(ast.parse(source)))


@given(st.lists(st.sampled_from(NAMES), unique=True), st.randoms(use_true_random=False))
def test_a_renaming_has_the_same_normal_form_and_split(chosen: list[str], rng: random.Random) -> None:
    fresh = [f"{rng.choice('abcxyz')}{i}_" for i in range(len(chosen))]
    rng.shuffle(fresh)
    other = renamed(SOURCE, dict(zip(chosen, fresh, strict=True)))
    assert normal(other) == normal(SOURCE)
    assert split(other) == split(SOURCE)


def test_names_may_also_be_exchanged() -> None:
    swapped = dict(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
    assert renamed(SOURCE, swapped) != ast.unparse(ast.parse(SOURCE))
    assert key(renamed(SOURCE, swapped)) == key(SOURCE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x):\n    return x\n", "def g(a):\n    '''Doc.'''\n    return a  # same\n"),
        ("def f(x: int) -> str:\n    y: int = x\n    return y\n", "def f(b, ):\n    c: str = (b)\n    return c"),
        ("def f(x):\n    return [x for x in x]\n", "def f(a):\n    return [b for b in a]\n"),
        ("def f(x):\n    def g(x):\n        return x\n    return g(x)\n",
         "def f(x):\n    def g(y):\n        return y\n    return g(x)\n"),
    ],
)  # fmt: skip
def test_programs_that_are_the_same(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x, y):\n    return x - y\n", "def f(x, y):\n    return y - x\n"),
        ("def f(x):\n    return len(x)\n", "def f(x):\n    return sum(x)\n"),
        ("def f(x):\n    return x.a\n", "def f(x):\n    return x.b\n"),
        ("def f(x):\n    return x + 1\n", "def f(x):\n    return x + 2\n"),
        ("x = 1\ndef f(y):\n    return x\n", "x = 1\ndef f(y):\n    return y\n"),
        ("def f(a):\n    def g(b):\n        return a\n    return g\n",
         "def f(a):\n    def g(b):\n        return b\n    return g\n"),
        ("def f(a, b):\n    a, b = b, a\n    a, b = a, b\n", "def f(a, b):\n    a, b = a, b\n    a, b = b, a\n"),
    ],
)  # fmt: skip
def test_programs_that_are_not(one: str, other: str) -> None:
    assert normal(one) != normal(other)


# Programs in which `NAME_` stands for what is renamed, each the one thing that its line says.
RENAMED = {
    "method": "class A:\n    def NAME_(self): return 1\ndef f(x):\n    a = A()\n    return a.NAME_() + x\n",
    "method of a builtin's name": (
        "class A:\n    def __init__(self): self.items = []\n    def NAME_(self): return self.items.pop()\n"
        "def f(x, s):\n    s.append(x)\n    return A().NAME_(), x.pop(), s.NAME_()\n"
    ),
    "method of a base": "class A:\n    def NAME_(s): pass\nclass B(A):\n    def NAME_(s): super().NAME_()\n",
    "method beside a property": (
        "class A:\n    @property\n    def b(self): return []\n    def NAME_(self): return self.b.pop(), self.b.keys\n"
    ),
    "attribute": "class A:\n    def __init__(self, x):\n        self.NAME_ = x\n    def g(self): return -self.NAME_\n",
    "annotated attribute": "class A:\n    def __init__(self):\n        self.NAME_: int = 1\n        self.NAME_ += 1\n",
    "class variable": "class A:\n    NAME_ = 1\n    b = NAME_ + 1\ndef f():\n    return A.NAME_\n",
    "field": "@dataclass\nclass A:\n    NAME_: int\ndef f(x):\n    return A(NAME_=x).NAME_\n",
    "matched attribute": "class A:\n    NAME_ = 1\nmatch A():\n    case A(NAME_=x): print(x)\n",
    "function attribute": "def f(x):\n    f.NAME_ += 1\n    return x.upper()\nf.NAME_ = 0\n",
    "only global": "def f(x):\n    global NAME_\n    NAME_ = x\ndef g():\n    return NAME_\n",
    "local beside a global": (
        "v = 1\ndef f():\n    NAME_ = 2\n    def g():\n        global v\n        return v\n    return NAME_, g\n"
    ),
    "walrus of a lambda": "def f(xs):\n    return [(lambda: (NAME_ := x) + NAME_)() for x in xs]\n",
    "walrus of a default": "def f():\n    def g(a=(NAME_ := 3)): return a\n    return NAME_, g\n",
    "keyword": "def f(a, NAME_=2):\n    return a - NAME_\ndef g(x):\n    return f(x, NAME_=x)\n",
    "shown name": "def f(NAME_):\n    return f'so {NAME_=}', f'{NAME_ + 1 = :>5}'\n",
}  # fmt: skip
FRESH = ["alpha", "b_", "pop", "append", "keys", "zeta9", "_q", "size", "V"]


@pytest.mark.parametrize("said", RENAMED)
@given(st.lists(st.sampled_from(FRESH), min_size=2, max_size=2, unique=True))
def test_every_kind_of_name_may_be_renamed(said: str, names: list[str]) -> None:
    one, other = (RENAMED[said].replace("NAME_", name) for name in names)
    assert one != other
    assert normal(one) == normal(other)


def test_a_local_may_take_the_name_of_an_inner_global() -> None:
    source = RENAMED["local beside a global"]
    assert key(source.replace("NAME_", "v")) == key(source)


def test_a_walrus_of_a_lambda_is_not_the_function_s() -> None:
    source = "def f(xs, y):\n    return y, [(lambda: (NAME_ := x))() for x in xs]\n"
    assert key(source.replace("NAME_", "y")) == key(source)


OWN = "class A:\n    a = 1\n    b = 2\n    def g(self, s): return {}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [("self.a - self.b", "self.b - self.a"), ("A.a", "A.b"), ("A().a, A().b, A.a", "A().a, A().b, A.b"),
     ("'x'.upper()", "'x'.lower()"), ("math.pi", "math.e"), ("str.upper(s)", "str.lower(s)"),
     ("self.__class__", "self.__dict__"), ("[x for x in s].pop()", "[x for x in s].copy()")],
)  # fmt: skip
def test_attributes_still_tell_programs_apart(one: str, other: str) -> None:
    assert normal(OWN.format(one)) != normal(OWN.format(other))


def test_what_does_not_parse_still_has_a_split() -> None:
    assert split("def f(:") == split("def f(:")


def test_shares_are_as_said() -> None:
    found = [split_of(key(f"def f(x):\n    return x + {n}\n")) for n in range(4000)]
    assert 15 < found.count("valid") < 75
    assert 45 < found.count("test") < 125


def test_an_execution_is_a_program_and_its_arguments() -> None:
    one = Program(source="def f(x):\n    return x\n", call="f(1)")
    two = Program(source="def g(y):\n    return y\n", call="g(1)")
    three = Program(source="def g(y):\n    return y\n", call="g(2)")
    hashes = [execution(program, key(program.source)) for program in (one, two, three)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("f(x=1)", "f(y=1)", True), ("f(x=1)", "f(y=2)", False), ("f(z=1)", "f(z=1)", True), ("f(K)", "f(L)", True),
     ("f(K, a=1)", "f(K, b=1)", False), ("f('K')", "f('L')", False), ("f(x=1, z=2)", "f(y=2, z=1)", False)],
)  # fmt: skip
def test_an_execution_s_call_may_name_what_is_renamed(one: str, other: str, same: bool) -> None:
    source = "K = 3\ndef f(x, z=0, **more):\n    return x, z, more\n"
    programs = (Program(source=source, call=one),
                Program(source=source.replace("x", "y").replace("K", "L"), call=other.replace("K", "L")))  # fmt: skip
    hashes = [execution(program, key(program.source)) for program in programs]
    assert (hashes[0] == hashes[1]) is same
