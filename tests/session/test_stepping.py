"""Where stepping leads, beside the naive definition, and from row to row as every front end has it."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given, settings
from stepped import PROGRAMS, changed, damaged, true
from tiers import examples

from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import WRONG, RunDiff
from worldline.ui.session.stepping import (
    OPEN,
    STEP_KINDS,
    Stepper,
    first_divergence,
    new_difference,
    newest_step,
    row_steps,
    verdicts,
    written_rows,
)

pytestmark = pytest.mark.usefixtures("sandbox")


def around(run: Run, step: int) -> list[int]:
    """The frames around the one of a step."""
    return [live.frame for live in run.stack(step)][:-1]


def check(run: Run, *, fine: bool) -> None:
    """Every position of a run, by the definition."""
    stepper, end = Stepper(run), len(run)
    stops = [q for q in range(end) if fine or run.events[q].event == "line"]
    for p in range(end):
        frame = run.events[p].frame
        outside = [q for q in stops if frame not in around(run, q)]
        later = [q for q in outside if q > p]
        assert stepper.into(p, fine=fine) == min((q for q in stops if q > p), default=end)
        assert stepper.over(p, fine=fine) == min(later, default=end)
        assert stepper.back(p, fine=fine) == max((q for q in outside if q < p), default=0)
        if not fine:
            elsewhere = (q for q in later if run.events[q].frame != frame)
            assert stepper.out(p) == min(elsewhere, default=end)
        assert stepper.stack(p)[0].frame == frame
    assert [frame.step for frame in stepper.stack(end)] == [None] * len(stepper.stack(end))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_steps_follow_the_definition(name: str, fine: bool) -> None:
    check(true(name), fine=fine)


@given(damaged())
@settings(max_examples=examples(10, 25))
def test_steps_follow_the_definition_in_any_text(of: tuple[str, str, Run]) -> None:
    check(of[2], fine=False)


@given(damaged())
@settings(max_examples=examples(10, 25))
def test_steps_lead_to_rows_of_the_same_run_diff(of: tuple[str, str, Run]) -> None:
    name, mode, found = of
    run_diff = RunDiff(true(name, mode), found)
    for n, row in enumerate(run_diff.rows):
        steps = row_steps(run_diff, n)
        assert tuple(steps) == STEP_KINDS
        for way, to in steps.items():
            assert to is None or (to < n if way.startswith("back") else to > n)
        for name in ("left", "right"):
            known = [step for one in run_diff.rows[: n + 1] if (step := getattr(one, name)) is not None]
            assert newest_step(run_diff, name, n) == max(known, default=None)
        assert row.left is not None or row.right is not None or set(steps.values()) == {None}


def test_what_the_model_has_not_come_to_is_open() -> None:
    found = changed("fact", (" r=1", " r=9"), status="budget")
    left = true("fact")
    run_diff = RunDiff(left, found)

    def branch(status: str) -> Branch:
        return Branch(
            id=0, parent=None, edit=None, ask=left.ask, truth=left.prediction,
            found=found.prediction, status=status,
        )  # fmt: skip

    written = written_rows(run_diff, branch("running"))
    assert written == run_diff.row_of("right", len(found) - 1) + 1
    assert verdicts(run_diff, written - 1, written) != (OPEN, OPEN)
    assert verdicts(run_diff, 0, 0) == (OPEN, OPEN)
    first = first_divergence(run_diff, branch("done"))
    assert first == run_diff.first == new_difference(run_diff, range(len(run_diff.rows)), len(run_diff.rows))
    assert first is not None
    assert WRONG in verdicts(run_diff, first, written)
    assert new_difference(run_diff, range(len(run_diff.rows)), first) is None


def test_the_page_steps_the_same_ways() -> None:
    text = (files("worldline.ui.web") / "static" / "moves.js").read_text("utf-8")
    assert set(re.findall(r"=> current\.(\w+)", text)) == set(STEP_KINDS)
