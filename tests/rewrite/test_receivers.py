"""A method call keeps its receiver, and the order of look-up, arguments and failures stays as it was."""

from __future__ import annotations

import pytest
from both import differing

from worldline.analyze.rewrite import flatten, rewrite

SAY = """
def say(x):
    print('say', x)
    return x
def fail(x):
    print('fail', x)
    raise KeyError(x)
def show(x):
    print(x if isinstance(x, (list, set, str)) else 0)
"""
METHODS = ("append", "ljust", "find", "get", "add", "count", "pop", "nothing")
ARGUMENTS = ("say(1) + 1", "1 / 0", "fail(x)", "len(x)", "[say(2)]", "(x := say('')) + 'a'", "-say(1), say(2) * 2")
RECEIVERS = ("3", "'ab'", "[1]", "{1: 2}", "{1}", "None", "(1, 2)", "say", "(n for n in 'ab')")


@pytest.mark.parametrize("method", METHODS)
def test_what_fails_first_fails_first(method: str) -> None:
    calls = [f"f({receiver})" for receiver in RECEIVERS]
    for argument in ARGUMENTS:
        body = f"try:\n        print(x.{method}({argument}))\n    finally:\n        show(x)"
        assert differing(f"{SAY}def f(x):\n    {body}\n", *calls, flatten=True) == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(x):\n    return x.ljust(say(1) + 1)\n", "return x.ljust(t2)"),
        ("def f(x):\n    return x[0].strip().ljust(say(1) + 1)\n", "return t2.ljust(t4)"),
        ("def f(x):\n    x.append(x := [say(1)])\n    return x\n", "t1.append(x)"),
        ("import math\ndef f(x):\n    x.append(math.floor(2.5))\n    return x\n", "x.append(t1)"),
        ("class A:\n    def run(self, n):\n        return n\ndef f(x):\n    return x.run(say(1) + 1)\n", "x.run(t2)"),
    ],
)
def test_an_unknown_receiver_is_kept(source: str, line: str) -> None:
    assert line in flatten(SAY + source)
    assert differing(SAY + source, *(f"f({receiver})" for receiver in RECEIVERS), flatten=True) == []


def test_a_receiver_that_has_the_method_is_looked_up_once() -> None:
    source = "def f(n):\n    words = 'a b'.split(chr(n))\n    words.append(str(n) + 'c')\n    return words\n"
    assert flatten(source).count(".append") == 1
    assert differing(source, "f(32)", "f('')", flatten=True) == []


NOTICED = {
    "a class that answers for any name": (
        "class A:\n    def __getattr__(self, name):\n        print(name)\n        return say\n"
        "def f():\n    return A().append(say(1) + 1)\n"
    ),
    "a property": (
        "class A:\n    @property\n    def append(self):\n        print('looked up')\n        return say\n"
        "def f():\n    return A().append(say(1) + 1)\n"
    ),
    "a property by a call": (
        "def look(self):\n    print('looked up')\n    return say\nclass A:\n    add = property(look)\n"
        "def f():\n    return A().add(say(1) + 1)\n"
    ),
    "a method of an object is replaced": (
        "class A:\n    def run(self, n):\n        return n\n"
        "    def change(self):\n        self.run = say\n        return 1\n"
        "def f():\n    a = A()\n    return a.run(a.change() + 1)\n"
    ),
    "a method of a class is replaced": (
        "class A:\n    def run(self, n):\n        return n\ndef change():\n    A.run = fail\n    return 1\n"
        "def f():\n    return A().run(change() + 1)\n"
    ),
    "a function's attribute is replaced": (
        "def change():\n    say.append = fail\n    return 1\nsay.append = say\n"
        "def f():\n    return say.append(change() + 1)\n"
    ),
    "an attribute is set by its name": (
        "def change():\n    setattr(say, 'app' + 'end', fail)\n    return 1\nsetattr(say, 'app' + 'end', say)\n"
        "def f():\n    return say.append(change() + 1)\n"
    ),
    "a class of its own kind": (
        "def look(self, name):\n    print(name)\n    return say\nA = type('A', (), {'__get' + 'attr__': look})\n"
        "def f():\n    return A().append(say(1) + 1)\n"
    ),
    "objects of an unknown module": (
        "from unittest.mock import MagicMock\ndef f():\n    m = MagicMock()\n    m.append.side_effect = say\n"
        "    return m.append(say(1) + 1), len(m.mock_calls)\n"
    ),
    "an object that is initialised again": (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    add: object = say\n"
        "    def change(self):\n        A.__init__(self, fail)\n        return 1\n"
        "def f():\n    a = A()\n    return a.add(a.change() + 1)\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTICED)
def test_a_look_up_that_could_be_noticed_happens_once(name: str) -> None:
    source = SAY + NOTICED[name]
    new = rewrite(source, flatten=True).source
    assert "t1 = " in new
    assert not any(line.strip().endswith((".append", ".add", ".run")) and " = " not in line for line in new.split("\n"))
    assert differing(source, "f()", flatten=True) == []


def test_the_call_counts() -> None:
    source = "def f(x):\n    return x.append(len(x) + 1)\n"
    assert "    x.append\n" in rewrite(source, flatten=True, call="f([])").source
    assert "    x.append\n" not in rewrite(source, flatten=True, call="f(type('A', (), {})())").source
