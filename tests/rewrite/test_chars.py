"""String methods as loops: the loops are exact, calls find them, and what is no string goes to the method itself."""

from __future__ import annotations

import ast
from random import Random
from typing import Any

import pytest
from both import differing, programs

from worldline.analyze.rewrite import chars, rewrite
from worldline.analyze.rewrite.loops import Loop, loops

LETTERS = [*"abAB \t\n\r1-+,x", *"²ßİΣǅéŉʰⅣ٣", "\u2028", "\x1c", "\x85", "\ud800"]
CASES = "upper lower casefold swapcase capitalize title islower isupper istitle"


def function(loop: Loop) -> Any:
    """A loop's function."""
    names: dict[str, Any] = {}
    module = ast.fix_missing_locations(ast.Module([loop.function("loop")], []))
    exec(compile(module, "loop", "exec"), names)
    return names["loop"]


def method(loop: Loop) -> Any:
    """What the loop stands for."""
    return eval(f"lambda {', '.join(loop.parameters)}: {loop.call()}")


def ended(act: Any, given: list[Any]) -> tuple[Any, ...]:
    try:
        value = act(*given)
    except Exception as error:
        return type(error), str(error)
    return type(value), value


def text(rng: Random) -> str:
    return "".join(rng.choices(rng.choice([LETTERS, list("ab"), list("aab "), list("ab\n\r\t")]), k=rng.randint(0, 7)))


def given(rng: Random, name: str) -> Any:
    """Something for a parameter, now and then of a wrong type."""
    if rng.random() < 0.04:
        return rng.choice([None, 3, "a", ("a", "b"), ["a"], b"x", True])
    if name in ("n", "start"):
        return rng.randint(-3, 9)
    if name in ("stop", "step"):
        return rng.choice([None, *range(-4, 8)])
    if name == "items":
        return rng.choice([[text(rng) for _ in range(rng.randint(0, 4))], (text(rng),), text(rng), {"a": 1}, ["a", 1]])
    if name == "table":
        return rng.choice([str.maketrans("ab", "xy"), {97: None, 98: "zz"}, {97: 1.5}, {97: -1}, {97: True}])
    if name == "fill":
        return rng.choice(["*", "", "xx"])
    return text(rng) if name in ("s", "new") else text(rng)[: rng.choice([1, 2, 9])]


@pytest.mark.parametrize("key", list(loops()), ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_loop_does_what_the_method_does(key: tuple[str, int]) -> None:
    loop, rng = loops()[key], Random(str(key))
    new, old = function(loop), method(loop)
    for _ in range(400):
        values = [given(rng, name) for name in loop.parameters]
        assert ended(new, values) == ended(old, values), values


@pytest.mark.parametrize("name", CASES.split())
def test_case_is_exact_for_every_character(name: str) -> None:
    loop = loops()[name, 1]
    new, old = function(loop), method(loop)
    cased = [chr(code) for code in range(0x30000) if chr(code).swapcase() != chr(code) or chr(code).istitle()]
    odd = [chr(code) for code in range(0, 0x20000, 97)]
    for char in [*cased, *odd, "Σ", "ª", "ʰ", "Ⅳ", "ⓐ", "\u0345"]:
        for whole in (char + "a", "a" + char + "B"):
            assert new(whole) == old(whole), (char, whole)


def test_an_unknown_receiver_gets_a_function() -> None:
    assert chars("def f(text):\n    return text.find('a')\n") == (
        "def find_chars(s, sub):\n"
        "    if not (type(s) is str and type(sub) is str):\n"
        "        return s.find(sub)\n"
        "    result = -1\n"
        "    for i in range(len(s) - len(sub) + 1):\n"
        "        j = 0\n"
        "        while j < len(sub) and s[i + j] == sub[j]:\n"
        "            j += 1\n"
        "        if j == len(sub):\n"
        "            result = i\n"
        "            break\n"
        "    return result\n"
        "\n"
        "def f(text):\n"
        "    return find_chars(text, 'a')\n"
    )


def test_a_proved_receiver_gets_its_loop_in_place() -> None:
    done = rewrite("def f(n):\n    i = str(n)\n    x = i.count('1')\n    return x\n", chars=True)
    assert done.source == (
        "def f(n):\n"
        "    i = str(n)\n"
        "    result = 0\n"
        "    i_2 = 0\n"
        "    while i_2 < len(i):\n"
        "        j = 0\n"
        "        while j < len('1') and i_2 + j < len(i) and (i[i_2 + j] == '1'[j]):\n"
        "            j += 1\n"
        "        if j == len('1'):\n"
        "            result += 1\n"
        "            i_2 += j\n"
        "        else:\n"
        "            i_2 += 1\n"
        "    x = result\n"
        "    return x\n"
    )
    assert done.lines == (1, 2, *[3] * 12, 4, 0)


@pytest.mark.parametrize(
    "source",
    [
        "def f(xs):\n    xs = [1]\n    return xs.count(1)\n",  # not a string's
        "def f(s):\n    return s.find(g(1))\n",  # the method is looked up first
        "def f(s, **k):\n    return s.split(**k), s.split(sep=','), s.find(*k)\n",
        "def f(s):\n    return [c.upper() for c in s]\n",  # a character
        "def f(s):\n    return s.format(1), s.encode(), s.find('a', 1, 2)\n",  # no loop
        "len = 3\ndef f(s):\n    return s.find('a')\n",  # the loops would not find what they need
        "def f(s):\n    return locals(), s.find('a')\n",
        "def f(s):\n    s[1:2] = []\n    s.reverse()\n    s.contains(s)\n    return s[:]\n",
    ],
)
def test_what_cannot_be_a_loop_stays(source: str) -> None:
    assert not rewrite(source, chars=True).changed


ODD = programs("oddballs_chars.txt")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", list(ODD))
def test_what_is_easily_lost_is_kept(name: str) -> None:
    source, *calls = ODD[name]
    assert differing(source, *calls, chars=True) == []
    assert differing(source, *calls, flatten=True, chars=True) == []
    assert rewrite(source, chars=True).changed
