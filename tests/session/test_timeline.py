"""The timeline: every row is in one bin, and a bin shows the worst of its rows."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stepped import changed, damaged, make_run, recorded_text, true

from worldline.core.errors import UsageError
from worldline.predict.confidence import step_confidences
from worldline.ui.session.chunk import chunk
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff, RunDiffRow
from worldline.ui.session.timeline import timeline

pytestmark = pytest.mark.usefixtures("sandbox")
CODES = {"right": 0, "wrong": 1, "consequential": 2, "open": 3}


def judged(row: RunDiffRow, what: str) -> str:
    """A row's verdict: where a run has no step, nothing is right."""
    verdict: str = getattr(row, what)
    return "open" if verdict == "right" and None in (row.left, row.right) else verdict


@given(damaged(), st.integers(1, 40))
def test_a_bin_shows_the_worst_of_its_rows(made: tuple[str, str, Run], bins: int) -> None:
    run_diff = RunDiff(true(*made[:2]), made[2])
    found = timeline(run_diff, bins)
    json.dumps(found, allow_nan=False)
    assert (found["rows"], found["first"]) == (len(run_diff.rows), run_diff.first)
    assert len(found["bins"]) <= bins
    assert (len(found["bins"]) - 1) * found["per"] < len(run_diff.rows) <= len(found["bins"]) * found["per"]
    for k, (action, state, sure, left, right) in enumerate(found["bins"]):
        rows = run_diff.rows[k * found["per"] : (k + 1) * found["per"]]
        for told, codes in (
            (action, {CODES[judged(r, "action")] for r in rows}),
            (state, {CODES[judged(r, "state")] for r in rows}),
        ):
            assert told == (1 if 1 in codes else 2 if 2 in codes else 0 if 0 in codes else 3)
        assert sure is None
        assert left == any(row.left is not None for row in rows)
        assert right == any(row.right is not None for row in rows)


def test_the_lowest_confidence_is_shown() -> None:
    ask, truth = recorded_text("loop")
    logprobs = [0.0] * len(truth.text)
    logprobs[len(logprobs) // 2] = -3.0
    found = Run("found", ask, truth, confidences=step_confidences(ask, truth, logprobs))
    sures = [each[2] for each in timeline(RunDiff(true("loop"), found), 10)["bins"]]
    assert sorted(sures)[0] == pytest.approx(0.0498, abs=1e-3)
    assert sorted(sures)[1:] == [1.0] * 9
    assert [each[2] for each in timeline(RunDiff(found, true("loop")), 10)["bins"]] == sures


def test_a_short_run_diff_has_one_bin_per_row() -> None:
    run_diff = RunDiff(true("fact"), changed("fact", (")1\n", ")2\n")))
    found = timeline(run_diff)
    assert found["per"] == 1
    assert found["bins"][12] == [0, 1, None, 1, 1]
    assert [each[:2] for each in found["bins"]].count([0, 0]) == len(run_diff.rows) - 1


def test_nothing_has_no_bins() -> None:
    empty = make_run("fact", "compact", b"", "empty")
    assert timeline(RunDiff(None, empty)) == {"rows": 0, "per": 1, "first": None, "bins": []}
    with pytest.raises(UsageError):
        timeline(RunDiff(None, empty), 0)


def test_nothing_is_right_where_nothing_is_compared() -> None:
    found = make_run("fact", "compact", recorded_text("fact")[1].text[:12], "budget")
    whole = RunDiff(true("fact"), found)
    written = whole.row_of("right", len(found) - 1) + 1
    told = timeline(whole, 1_000, written)
    assert {tuple(one[:2]) for one in told["bins"][:written]} == {(0, 0)}
    assert {tuple(one[:2]) for one in told["bins"][written:]} == {(3, 3)}
    assert told["first"] is None
    alone = timeline(RunDiff(None, true("fact")))
    assert {tuple(one[:2]) for one in alone["bins"]} == {(3, 3)}
    cut = chunk(RunDiff(found, true("fact")), 0)["rows"]
    assert {(one["action"], one["state"]) for one in cut if one["left"] is None and one["right"]} == {("open", "open")}
