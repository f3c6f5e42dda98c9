"""The ways to stop: one table, and positions and rows that stop for the same reasons."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stepped import changed, damaged, true
from tiers import examples

from worldline.core.program import Program
from worldline.diagnose.cause import CAUSES, CAUSES_WITHOUT_DIVERGENCE
from worldline.diagnose.sample import Sample
from worldline.ui.dap.adapter import CAPABILITIES
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import Stepper
from worldline.ui.session.stops import (
    CAUSE,
    CAUSE_STOPS,
    DEFAULT_STOPS,
    DETAILED_STOPS,
    FIRST_ACTION,
    FIRST_STATE,
    NEW_ERROR,
    RAISED,
    STOPS,
    locations,
    next_stop,
    runnable_lines,
    stop_index,
    stop_lines,
    stop_points,
)

pytestmark = pytest.mark.usefixtures("sandbox")


def branch_of(run_diff: RunDiff) -> Branch:
    """A finished branch with these runs."""
    assert run_diff.left is not None
    return Branch(
        id=0, parent=None, edit=None, ask=run_diff.left.ask, truth=run_diff.left.prediction,
        found=run_diff.right.prediction, status="done",
    )  # fmt: skip


def test_every_cause_that_a_step_can_have_is_a_way_to_stop() -> None:
    assert [kind.label for kind in CAUSE_STOPS.values()] == [
        f"Cause: {name}" for name in CAUSES if name not in CAUSES_WITHOUT_DIVERGENCE
    ]
    assert set(DETAILED_STOPS) == {*STOPS, *CAUSE_STOPS} - {CAUSE}
    assert set(DEFAULT_STOPS) <= set(STOPS)
    assert len({kind.word for kind in STOPS.values()}) == len(STOPS)


def test_an_editor_is_offered_the_table() -> None:
    offered = CAPABILITIES["exceptionBreakpointFilters"]
    assert isinstance(offered, list)
    assert [(one["filter"], one["label"], one["description"]) for one in offered] == [
        (kind.name, kind.label, kind.meaning) for kind in DETAILED_STOPS.values()
    ]
    assert [one["filter"] for one in offered if one["default"]] == list(DEFAULT_STOPS)


@given(damaged())
@settings(max_examples=examples(10, 40))
def test_positions_and_rows_stop_for_the_same_kinds(of: tuple[str, str, Run]) -> None:
    name, mode, found = of
    run_diff = RunDiff(true(name, mode), found)
    branch, rows = branch_of(run_diff), range(len(run_diff.rows))
    points = stop_points(Stepper(found), run_diff, None)
    assert {point.kind for point in points} <= set(DETAILED_STOPS)
    assert [point.position for point in points] == sorted(point.position for point in points)
    assert all(0 <= point.position <= len(found) for point in points)
    growing = stop_points(Stepper(found), run_diff, None, is_running=True)
    assert {(one.position, one.kind) for one in growing} <= {(one.position, one.kind) for one in points}
    if branch.found.status != "budget":
        for kind in (FIRST_ACTION, FIRST_STATE, NEW_ERROR, RAISED):
            stopped = next_stop(run_diff, branch, rows, stops={kind})
            assert (stopped is not None) == any(point.kind == kind for point in points), kind
    assert next_stop(run_diff, branch, rows, stops=()) is None


def test_rows_give_the_reason_to_stop() -> None:
    found = changed("fact", (" r=1", " r=9"))
    left = true("fact")
    session = Session.of_sample(
        Sample(ask=left.ask, truth=left.prediction, found=found.prediction), name="fact", model="one"
    )
    run_diff, branch, rows = session.run_diff(), session.branch(0), range(len(session.run_diff().rows))
    first = run_diff.first
    assert first is not None
    assert next_stop(run_diff, branch, rows, stops={FIRST_STATE}) == (first, "the first wrong value")
    assert next_stop(run_diff, branch, rows, stops={NEW_ERROR}) == (first, "a new error")
    assert branch.cause is not None
    assert next_stop(run_diff, branch, rows, stops={CAUSE}) == (first, f"the cause: {branch.cause.name}")
    here = next(locations(run_diff, 2))
    assert next_stop(run_diff, branch, rows[2:], stops=(), breakpoints={here}) == (
        2,
        f"the breakpoint at line {here[1]}",
    )
    assert next_stop(run_diff, branch, rows[first + 1 :], stops={FIRST_STATE}) is None


@given(damaged(), st.integers(1, 9), st.sets(st.integers(1, 20), max_size=4))
@settings(max_examples=examples(10, 40))
def test_the_stop_index_agrees_with_next_stop(of: tuple[str, str, Run], per: int, lines: set[int]) -> None:
    name, mode, found = of
    run_diff = RunDiff(true(name, mode), found)
    branch, rows = branch_of(run_diff), range(len(run_diff.rows))
    told = stop_index(run_diff, branch, per)
    assert len(told["lines"]) == -(-len(rows) // per)
    stops = dict(told["stops"])
    walked = [row for row in rows if row in stops or lines.intersection(stop_lines(run_diff, row))]
    binned = [row for row in walked if row in stops or lines.intersection(told["lines"][row // per])]
    assert binned == walked
    asked, at = [], -1
    places = {(None, line) for line in lines}
    while (hit := next_stop(run_diff, branch, rows[at + 1 :], stops=DEFAULT_STOPS, breakpoints=places)) is not None:
        at = hit[0]
        asked.append(at)
    assert asked == walked


def test_a_breakpoint_stands_where_a_line_can_run() -> None:
    source = "def f(x):\n    # nothing\n\n    y = x\n    return y\n\nz = 1\n"
    assert runnable_lines(Program(source=source, call="f(1)")) == (4, 5)
    assert runnable_lines(Program(source=source)) == (1, 4, 5, 7)
    assert runnable_lines(Program(source="def (")) == ()
