"""A call's arguments as a tree: canonical values of plain data, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from worldline.core.errors import UsageError
from worldline.recording.languages.call import tree_of


@pytest.mark.parametrize(
    ("call", "function", "arguments"),
    [
        ("f()", "f", []),
        ("f(1)", "f", [["int", "1"]]),
        ("Solution.f([1, 2], 'a')", "Solution.f", [["list", [["int", "1"], ["int", "2"]]], ["str", "a"]]),
        ("ns::f((1,), -0.0)", "ns::f", [["tuple", [["int", "1"]]], ["float", "-0.0"]]),
        ("$f( None , True )", "$f", [["none"], ["bool", True]]),
        ('f("it\'s", b"\\x00a")', "f", [["str", "it's"], ["bytes", "0061"]]),
        ("f({'a': {1, 2}, 'b': set()})", "f", [["dict", [
            [["str", "a"], ["set", [["int", "1"], ["int", "2"]]]], [["str", "b"], ["set", []]],
        ]]]),
        (f"f({2**80})", "f", [["int", str(2**80)]]),
        (f"f({2**2000})", "f", [["int", str(2**2000)]]),
        ("f(')', '(')", "f", [["str", ")"], ["str", "("]]),
    ],
)  # fmt: skip
def test_a_call_is_a_name_and_plain_data(call: str, function: str, arguments: list[Any]) -> None:
    assert tree_of(call) == {"function": function, "arguments": arguments}


@pytest.mark.parametrize(
    "call",
    ["", "f", "f(", "f(x)", "f(1) + 2", "f(1)(2)", "1f()", "f(1;)", "f(a=1)", "f([1,)", "f(P#1(x=1))", "f(<hole>)"],
)  # fmt: skip
def test_what_is_no_such_call_is_a_usage_error(call: str) -> None:
    with pytest.raises(UsageError):
        tree_of(call)
