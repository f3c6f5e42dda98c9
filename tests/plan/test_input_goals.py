"""Goals of `plan input`: what can be read, what is said of the rest, and what is evaluated in the box."""

from __future__ import annotations

import pytest

from worldline.core.errors import UsageError
from worldline.plan.inputs.goal import goal_of_return, read_goal
from worldline.plan.inputs.nearness import FAILED_DISTANCE, Meter, comparison_gap, read_value
from worldline.recording.calls import CallEnd

pytestmark = pytest.mark.unit

SOURCE = """\
def f(x, y=3):
    if x > 2:
        if y == 7:
            raise KeyError(x)
    return x
def g(xs, *, key):
    yield from xs
def none():
    pass
"""


@pytest.mark.parametrize(
    ("text", "names", "call"),
    [
        ("f(x) == 7", ["x"], "f(1)"),
        ("f(x, 3) > 10", ["x"], "f(1, 3)"),
        ("len(f(xs)) == 4", ["xs"], "len(f(1))"),
        ("3 < f(a, y=b) < 7 and f(a, y=b) != a", ["a", "b"], "f(1, y=2)"),
        ("f(x) == x", ["x"], "f(1)"),
        ("sorted(list(g(xs, key='k'))) == [1, 2]", ["xs"], "g(1, key='k')"),
        ("f(x) in {'a': [1]}", ["x"], "f(1)"),
    ],
)
def test_an_expression_over_one_call_is_a_goal(text: str, names: list[str], call: str) -> None:
    goal = read_goal(text, SOURCE)
    assert [name for name, _ in goal.names] == names
    assert goal.call({name: str(at) for at, name in enumerate(names, 1)}) in (call, call[4:-1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(x) = 7", "cannot be parsed"),
        ("f(x", "cannot be parsed"),
        ("", "cannot be parsed"),
        ("f(x) == 7; import os", "cannot be parsed"),
        ("(" * 10_000, "cannot be parsed"),
        ("1 == 1", "it calls no function of the file"),
        ("h(x) == 1", "no function 'h' at the top level; it defines f, g, none"),
        ("f(3) == 3", "has no free name"),
        ("f(x) == f(3)", "2 different calls"),
        ("f(x) == y", "names y, which is not an argument of its call"),
        ("f(x).__class__ == 1", "Attribute is not allowed in a goal"),
        ("__import__('os').system('x') == f(x)", "by its name"),
        ("eval(f(x)) == 1", "calls eval"),
        ("[f(x) for x in (1, 2)] == 1", "ListComp is not allowed in a goal"),
        ("(lambda: f(x))() == 1", "by its name"),
        ("f(*x) == 1", "Starred is not allowed"),
        ("f(x + 1) == 1", "the argument x . 1 is not a name or a literal"),
        ("line:99", "line 99 is not in a top-level function"),
        ("raises:KeyError", "needs a function"),
    ],
)
def test_invalid_goal_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as found:
        read_goal(text, SOURCE)
    assert "\n" not in str(found.value)


def test_lines_and_exceptions_name_their_function() -> None:
    assert read_goal("line:4", SOURCE).call({"x": "1", "y": "2"}) == "f(1, 2)"
    assert read_goal("raises:KeyError", SOURCE, "g").call({"xs": "[]", "key": "1"}) == "list(g([], key=1))"
    with pytest.raises(UsageError, match="takes no arguments"):
        read_goal("raises:KeyError", SOURCE, "none")
    with pytest.raises(UsageError, match="no function 'nope'"):
        read_goal("line:4", SOURCE, "nope")
    with pytest.raises(UsageError, match="cannot be parsed as Python"):
        read_goal("f(x) == 1", "def f(:\n")


def test_probe_returns_the_verdict_and_both_sides() -> None:
    probe = read_goal("len(f(x)) > 2", SOURCE).probe({"x": "'abc'"})
    value = "value_of_the_call"
    assert probe == f"(lambda x: (lambda {value}: (bool(len({value}) > 2), [[len({value}), 2]]))(f(x)))('abc')"
    assert read_goal("line:4", SOURCE).probe({"x": "1", "y": "7"}) == "f(1, 7)"
    assert goal_of_return(SOURCE, "f", "[1]").text == "f(x, y) == [1]"


def test_distance_grows_with_the_difference() -> None:
    assert (
        comparison_gap(3, "==", 3)
        == comparison_gap(3, "==", 3.0)
        == 0
        < comparison_gap(4, "==", 3)
        < comparison_gap(400, "==", 3)
    )
    assert (
        comparison_gap("abcd", "==", "abce")
        < comparison_gap("abcd", "==", "xyz")
        < comparison_gap("abcd", "==", "much longer text")
    )
    assert comparison_gap(5, ">", 10) > comparison_gap(9, ">", 10) > comparison_gap(11, ">", 10) == 0
    assert comparison_gap(4, "in", (1, 5)) < comparison_gap(4, "in", (1, 500))
    assert comparison_gap([1, 2], "==", (1, 2)) > 0
    meter = Meter(read_goal("f(x) == 7", SOURCE), SOURCE)
    ends = [CallEnd("returned", f"({held}, [[{value}, 7]])") for held, value in ((True, 7), (False, 8), (False, 90))]
    near = [meter.measure(end).far for end in ends]
    assert near[0] == 0 < near[1] < near[2] < FAILED_DISTANCE
    odd = [
        CallEnd("raised", "KeyError(1)"),
        CallEnd("returned", "3"),
        CallEnd("returned", "(True"),
        CallEnd("limit", "time"),
    ]
    assert all(meter.measure(end).far >= FAILED_DISTANCE for end in odd)


def test_lines_around_a_line_are_the_way_to_it() -> None:
    meter = Meter(read_goal("line:4", SOURCE), SOURCE)
    far = [meter.measure(CallEnd("returned", "1", frozenset(lines))).far for lines in ((2, 5), (2, 3, 5), (2, 3, 4))]
    assert far[0] > far[1] > far[2] == 0
    raises = Meter(read_goal("raises:KeyError", SOURCE, "f"), SOURCE)
    assert raises.measure(CallEnd("raised", "KeyError(3)", frozenset())).is_met
    assert not raises.measure(CallEnd("raised", "ValueError(3)", frozenset())).is_met


def test_shared_values_are_read_as_values() -> None:
    assert read_value("(False, [[#1[1, 2], #1]])") == (False, [[[1, 2], [1, 2]]])
    assert read_value("{'a': set(), 'b': frozenset({1})}") == {"a": set(), "b": frozenset({1})}
    assert repr(read_value("Point#1(x=3)")) == "Point#1(x=3)"


def test_function_with_only_starred_arguments_is_refused() -> None:
    with pytest.raises(UsageError, match="only starred arguments"):
        read_goal("line:2", "def f(*several):\n    return several\n")
