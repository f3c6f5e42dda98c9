"""Flattening: what each construct becomes, and that nothing of order, scope, laziness and failure is lost."""

from __future__ import annotations

import ast

import pytest
from both import differing, programs

from worldline.analyze.rewrite import flatten, rewrite

ODD = programs("oddballs.txt")
SAY = ODD.pop("say")[0]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", list(ODD))
def test_what_is_easily_lost_is_kept(name: str) -> None:
    source, *calls = ODD[name]
    assert differing(SAY + source, *calls, flatten=True) == []
    assert differing(SAY + source, *calls, flatten=True, chars=True) == []


GOLDEN = {
    "operations": ("return a + b * c", ["t1 = b * c", "return a + t1"]),
    "calls": ("return max(len(a), abs(b - c))", ["t1 = len(a)", "t2 = b - c", "t3 = abs(t2)", "return max(t1, t3)"]),
    "a method of something unknown": (
        "return a.find(b + c)",
        ["a.find", "t1 = b + c", "return a.find(t1)"],
    ),
    "a method that is known": (
        "x = []\nx.append(b + c)\nreturn x",
        ["x = []", "t1 = b + c", "x.append(t1)", "return x"],
    ),
    "and": ("return a and b + c", ["t1 = a", "if t1:", "    t1 = b + c", "return t1"]),
    "or": ("return a or b", ["t1 = a", "if not t1:", "    t1 = b", "return t1"]),
    "a chain": ("return a < b < c", ["t1 = a < b", "if t1:", "    t1 = b < c", "return t1"]),
    "a ternary": ("return a if b else c", ["if b:", "    return a", "else:", "    return c"]),
    "a list": (
        "return [x * a for x in b if x]",
        ["t1 = []", "for x in b:", "    if x:", "        t2 = x * a", "        t1.append(t2)", "return t1"],
    ),
    "any": (
        "return any(x > a for x in b)",
        [
            *("t1 = False", "for x in b:", "    t2 = x > a", "    if t2:"),
            *("        t1 = True", "        break", "return t1"),
        ],
    ),
    "a while": (
        "while a[0] > b:\n    a = c\nreturn a",
        ["while True:", "    t1 = a[0]", "    t2 = t1 > b", "    if not t2:", "        break", "    a = c", "return a"],
    ),
    "a while with one operation": (
        "while a > b:\n    a = c\nreturn a",
        ["while True:", "    t1 = a > b", "    if not t1:", "        break", "    a = c", "return a"],
    ),
    "a while with an else": (
        "while a > b:\n    a = c\nelse:\n    return a + b * c",
        ["while a > b:", "    a = c", "else:", "    t1 = b * c", "    return a + t1"],
    ),
    "a condition": ("if a > b:\n    return c", ["t1 = a > b", "if t1:", "    return c"]),
    "a negated condition": ("if not a.b:\n    return c", ["t1 = a.b", "if not t1:", "    return c"]),
    "a condition that is a name": (
        "while not a:\n    a = b + c * 2",
        ["while not a:", "    t1 = c * 2", "    a = b + t1"],
    ),
    "an assertion": ("assert a > b, c", ["t1 = a > b", "assert t1, c"]),
    "a filter": (
        "return [x for x in b if x > a]",
        ["t1 = []", "for x in b:", "    t2 = x > a", "    if t2:", "        t1.append(x)", "return t1"],
    ),
    "an item that is added to": (
        "a[b + 1] += f(c)",
        ["t1 = b + 1", "t2 = a[t1]", "t3 = f(c)", "t2 += t3", "a[t1] = t2"],
    ),
    "an elif": (
        "if a:\n    return 1\nelif b + 1 > c:\n    return 2\nreturn 3",
        [
            *("if a:", "    return 1", "else:", "    t1 = b + 1", "    t2 = t1 > c"),
            *("    if t2:", "        return 2", "return 3"),
        ],
    ),
    "what is simple": (
        "x = a[b]\nif x:\n    return x  # found\nreturn -1",
        ["x = a[b]", "if x:", "    return x  # found", "return -1"],
    ),
}  # fmt: skip


def body(lines: list[str]) -> str:
    return "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("name", list(GOLDEN))
def test_each_construct(name: str) -> None:
    old, new = GOLDEN[name]
    assert flatten(body(old.split("\n"))) == body(new)


@pytest.mark.parametrize(
    "source",
    [
        "def f(:",
        "def f(x):\n    return sum(g(x) + 1, locals())\n",
        "class A:\n    x = 1 + 2 * f(3)\n    def __del__(self):\n        print(self.x + g(1) * 2)\n",
        "def g(x):\n    try:\n        yield f(x + 1) * 2\n    finally:\n        print(1)\n",
        "async def f(x):\n    return g(x + 1) * await h(x)\n",
        "class A:\n    x = 1 + 2 * f(3)\n",
        "f = lambda x: x + 1 * 2\n",
        "def f(a=g(1 + x), *, b: h(2 + y) = 3):\n    return a\n",
    ],
)
def test_what_could_be_noticed_stays_as_it_is(source: str) -> None:
    done = rewrite(source, flatten=True)
    assert (done.source, done.changed) == (source, False)


def test_comments_blank_lines_and_the_line_map_are_kept() -> None:
    source = "import math\n\n# what follows\n\ndef f(x):\n  # first\n  y = x  # y\n\n  return math.sqrt(y + 1)  # end\n"
    done = rewrite(source, flatten=True)
    assert done.source == (
        "import math\n\n# what follows\n\ndef f(x):\n  # first\n  y = x  # y\n\n  t1 = y + 1\n  return math.sqrt(t1)\n"
    )
    assert done.lines == (1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 0)


def test_the_guard_of_a_script_stays() -> None:
    source = "def f(x):\n    return x\n\nif __name__ == '__main__':\n    print(f(1))\n"
    assert flatten(source) == source.replace("    print(f(1))\n", "    t1 = f(1)\n    print(t1)\n")


def test_temporaries_are_new_names() -> None:
    taken = "def f(a, t1):\n    v2 = a * 2 + t1 * 3  # tmp9\n    return v2\n"
    assert "temp1 = a * 2" in flatten(taken)
    assert "v1 = a * 2" in rewrite("def f(a):\n    return a * 2 + 1\n", flatten=True, call="f(t1)").source


@pytest.mark.long(reason="rewrites every odd program again")
def test_the_new_source_has_a_line_for_every_line() -> None:
    for source, *_ in ODD.values():
        done = rewrite(SAY + source, flatten=True, chars=True)
        assert len(done.lines) == len(done.source.split("\n"))
        assert all(0 <= line <= (SAY + source).count("\n") + 1 for line in done.lines)
        ast.parse(done.source)


def test_any_source_is_taken() -> None:
    deep = "def f(x):\n    return " + " + ".join(["x"] * 3000) + "\n"
    for source in ("", "\n", "x = 1 + 2 * y", "\x00", "if x:\n\ty = f(x + 1)\n", deep, "x = 1\ry = f(x + 1)\r"):
        done = rewrite(source, flatten=True, chars=True)
        assert done.changed or done.source == source
    lines = rewrite("def f(x):\r\n    return x + x * 2\r\n", flatten=True).source.split("\n")
    assert lines == ["def f(x):", "    t1 = x * 2", "    return x + t1", ""]
