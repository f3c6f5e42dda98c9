"""Goals are read strictly: what holds of canonical values, how far they are, and what is refused in one sentence."""

from __future__ import annotations

import pytest

from worldline.core.errors import UsageError
from worldline.plan.reach.goal import NO_VALUE_DISTANCE, read_goal

pytestmark = pytest.mark.unit

NAMES = {"x": "3", "y": "-2", "stack": "[1, 5]", "word": "'ab'", "random": "<module random>", "on": "True"}


@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        ("x == 3 and y == -2", True),
        ("x == 3 and y == 2", False),
        ("x == 4 or word == 'ab'", True),
        ("not x == 3", False),
        ("stack == [1, 5]", True),
        ("stack[-1] == 5 and len(stack) < 3", True),
        ("stack[7] == 5", False),
        ("1 <= x < 4", True),
        ("5 in stack", True),
        ("9 not in stack", True),
        ("on == True", True),
        ("missing == 1", False),
        ("random == 1", False),
        ("word < 3", False),
    ],
)
def test_whether_a_goal_holds(goal: str, *, holds: bool) -> None:
    found = read_goal(goal)
    assert found.holds(NAMES) is holds
    assert (found.distance(NAMES) == 0) is holds


def test_the_distance_falls_as_the_goal_comes_nearer() -> None:
    goal = read_goal("x == 5 and y == 0")
    far = [goal.distance({"x": str(x), "y": "0"}) for x in range(6)]
    assert far == sorted(far, reverse=True)
    assert far[-1] == 0
    assert read_goal("missing == 1").distance(NAMES) == NO_VALUE_DISTANCE


@pytest.mark.parametrize(
    "text",
    [
        "x = 3",
        "x",
        "f(x) == 3",
        "x + 1 == 3",
        "3 == 3",
        "x is None",
        "__import__('os').system('true') == 0",
        "x.y == 3",
        "[c for c in stack] == [1]",
        "(lambda: 1) == x",
        "x == " + "[" * 3000,
        "not " * 200 + "x == 1" + " " * 1000,
        "",
        "x == '\0'",
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_goal(text)
    assert str(refused.value).startswith("the goal ")
    assert "\n" not in str(refused.value)


def test_a_value_is_never_run() -> None:
    assert read_goal("x == 1").holds({"x": "__import__('os').getpid()"}) is False
