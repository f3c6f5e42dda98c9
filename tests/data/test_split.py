"""A program and its renamings share a split; anything else that tells programs apart still does."""

from __future__ import annotations

import ast
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.program import Program
from worldline.data.split import execution, key, normal, split, split_of

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
