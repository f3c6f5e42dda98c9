"""The walk visits every future once: masses sum to 1, agree with counting by hand, and a bound says what is left."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from itertools import islice

import pytest
from fake_world import Draw, world
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.plan.futures.distribution import Distribution, from_weights
from worldline.plan.futures.subject import ENDED_BEFORE, Subject, read_from_trace
from worldline.plan.futures.walk import Walk

pytestmark = pytest.mark.unit


def walked(program: Callable[[Draw], object], runs: int | None = None) -> tuple[Distribution, Walk]:
    walk = Walk(world(program))
    futures = list(islice(walk, runs))
    whole = [(read_from_trace(Subject(), f.trace), f.weight) for f in futures if f.weight]
    return from_weights(whole, walk.left), walk


def dice(draw: Draw) -> int:
    return int(draw("below 6")) + int(draw("below 6")) + 2


def test_two_dice() -> None:
    found, walk = walked(dice)
    by_hand = {str(s): Fraction(6 - abs(s - 7), 36) for s in range(2, 13)}
    assert dict(found.mass) == by_hand
    assert (walk.runs, walk.left, walk.waiting, found.is_exact) == (36, 0, 0, True)


def test_draws_that_depend_on_draws() -> None:
    def program(draw: Draw) -> int:
        tries = 1
        while draw("below 2") == "0" and tries < 5:
            tries += 1
        return tries

    found, walk = walked(program)
    by_hand = {str(i): Fraction(1, 2**i) for i in range(1, 5)}
    assert dict(found.mass) == {**by_hand, "5": Fraction(1, 16)}
    assert walk.runs == 6


@given(st.recursive(st.none(), lambda tree: st.lists(tree, min_size=1, max_size=4), max_leaves=40))
@settings(deadline=None)
def test_any_tree_is_walked_once_and_whole(tree: list[object] | None) -> None:
    def program(draw: Draw) -> tuple[int, ...]:
        at, path = tree, list[int]()
        while at is not None:
            path.append(int(draw(f"below {len(at)}")))
            at = at[path[-1]]  # type: ignore[assignment]
        return tuple(path)

    found, walk = walked(program)
    assert sum(found.mass.values()) == 1
    assert walk.left == 0
    assert walk.runs == len(found.mass)


def test_a_budget_leaves_a_bound_and_the_heaviest_come_first() -> None:
    def program(draw: Draw) -> str:
        return draw("below 50") if draw("below 2") == "1" else "x"

    found, walk = walked(program, 10)
    assert walk.left == 1 - sum(found.mass.values()) > 0
    assert found.mass["'x'"] == Fraction(1, 2)
    low, high = found.interval("'x'")
    assert (low, high) == pytest.approx((0.5, 0.5 + float(walk.left)))
    assert walk.waiting == 41


def test_a_draw_of_very_many_values_costs_nothing_until_it_is_walked() -> None:
    walk = Walk(world(lambda draw: 0))
    (one,) = walk
    assert one.weight == 1
    _, walk = walked(lambda draw: int(draw("bits 20")) & 1, 3)
    assert walk.waiting == 2**20 - 3
    assert walk.left == 1 - Fraction(3, 2**20)


def test_float_draw_is_reported_as_unwalkable() -> None:
    def program(draw: Draw) -> float:
        return 0.0 if draw("below 4") == "0" else float(draw("float"))

    found, walk = walked(program)
    assert walk.unwalkable == {"float": 2}
    assert found.mass == {"0.0": Fraction(1, 4)}
    assert walk.left == Fraction(3, 4)


def test_a_world_that_does_not_take_its_draws_is_counted() -> None:
    calls = itertools.count()

    def program(draw: Draw) -> str:
        return draw("below 2" if next(calls) % 2 == 0 else "below 3")

    found, walk = walked(program)
    assert walk.astray > 0
    assert walk.left == 1 - sum(found.mass.values()) > 0


def test_subjects() -> None:
    trace = world(dice)(Control(seed=1))
    assert read_from_trace(Subject(path=True), trace) == "(1 2 3 )"
    assert read_from_trace(Subject(step=1), trace) == "line 2"
    assert read_from_trace(Subject(step=9), trace) == ENDED_BEFORE
    assert read_from_trace(Subject(name="x"), trace) == "(no value)"
    assert read_from_trace(Subject(name="x", line=7), trace) == ENDED_BEFORE
    with pytest.raises(UsageError, match="needs a name"):
        Subject(line=3)
    with pytest.raises(UsageError, match="whole"):
        Subject(path=True, step=3)


def test_draws_after_the_step_are_not_walked() -> None:
    walk = Walk(world(dice), last=1)
    found = list(walk)
    assert (walk.runs, walk.left) == (6, 0)
    assert sum(one.weight for one in found) == 1
