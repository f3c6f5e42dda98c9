"""Two runs row by row: their rows, and which differences are new, by example and beside the naive definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_run_diff import naive
from stepped import MODES, PROGRAMS, anyhow, changed, damaged, make_run, recorded_text, true
from tiers import examples

from worldline.diagnose.debug import rows
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import CONSEQUENTIAL, RIGHT, WRONG, RunDiff, RunDiffRow

pytestmark = pytest.mark.usefixtures("sandbox")


def check(run_diff: RunDiff) -> None:
    """What holds of any two runs."""
    assert run_diff.left is not None
    ask, truth, found = run_diff.left.ask, run_diff.left.prediction, run_diff.right.prediction
    case = Diagnosis(Sample(ask=ask, truth=truth, found=found))
    if found.codec == "cwm":  # read beside the truth, as a session has it
        run_diff = RunDiff(run_diff.left, Run(run_diff.right.name, ask, found, reading=case.found))
    assert run_diff.left is not None
    assert [row.left for row in run_diff.rows if row.left is not None] == list(range(len(run_diff.left)))
    assert [row.right for row in run_diff.rows if row.right is not None] == list(range(len(run_diff.right)))
    for n, row in enumerate(run_diff.rows):
        assert row.left is None or run_diff.row_of("left", row.left) == n
        assert row.right is None or run_diff.row_of("right", row.right) == n
    told = [one for row in run_diff.rows for one in row.differs]
    assert len(told) == len(run_diff.divergences)
    assert all(one in told for one in run_diff.divergences)
    assert [(row.left, row.right) for row in run_diff.rows] == [(row.truth, row.found) for row in rows(case)]
    wrong = [n for n, row in enumerate(run_diff.rows) if (row.action, row.state) != (RIGHT, RIGHT)]
    assert run_diff.first == (wrong[0] if wrong else None)
    if wrong:
        assert WRONG in (run_diff.rows[wrong[0]].action, run_diff.rows[wrong[0]].state)
    assert [(row.action, row.state) for row in run_diff.rows] == naive(run_diff)


def marks(run_diff: RunDiff) -> str:
    """Each row in a letter: R, or W and C, in capitals for the action, small for the state."""
    letters = []
    for row in run_diff.rows:
        if row.action != RIGHT:
            letters.append(row.action[0].upper())
        else:
            letters.append(row.state[0] if row.state != RIGHT else ".")
    return "".join(letters)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_nothing_is_wrong_with_the_truth(name: str, mode: str) -> None:
    run_diff = RunDiff(true(name, mode), make_run(name, mode, recorded_text(name, mode)[1].text))
    assert run_diff.first is None
    assert all(row == RunDiffRow(n, n) for n, row in enumerate(run_diff.rows))


@given(damaged())
@settings(max_examples=examples(33, 200))
def test_rows_and_marks_are_the_naive_ones(made: tuple[str, str, Run]) -> None:
    name, mode, found = made
    if len(found) < 150 and len(true(name, mode)) < 150:
        check(RunDiff(true(name, mode), found))


@given(damaged(), damaged())
def test_any_two_runs_can_be_compared(one: tuple[str, str, Run], other: tuple[str, str, Run]) -> None:
    if one[:2] == other[:2] and len(one[2]) < 150 and len(other[2]) < 150:
        check(RunDiff(one[2], other[2]))


@given(anyhow(), anyhow(), st.sampled_from(("ended", "budget")))
def test_any_lines_can_be_compared(one: bytes, other: bytes, status: str) -> None:
    check(RunDiff(make_run("fact", "compact", one, status), make_run("fact", "compact", other)))


def test_the_first_difference_is_wrong_though_a_move_came_before_it() -> None:
    one, other = b"(1 n=1\n(1 n=1\n(1 n=1\n", b"(1 n=1\n/\n(1 n=1\n"
    check(RunDiff(make_run("fact", "compact", one), make_run("fact", "compact", other)))


@given(st.binary(max_size=200), st.sampled_from(sorted(MODES)))
def test_any_bytes_can_be_compared(data: bytes, mode: str) -> None:
    check(RunDiff(true("fact", mode), make_run("fact", mode, data)))


def test_what_follows_from_a_wrong_value_is_consequential_while_it_stands() -> None:
    """fact(1) returns 2: r is 2, so that 2 * 2 and 3 * 4 and 4 * 12 follow."""
    returned = (")1\n r=1\n", ")2\n r=2\n"), (")2\n r=2\n5\n)6", ")4\n r=4\n5\n)6")
    found = changed("fact", *returned, (")6\n r=6\n5\n)24", ")12\n r=12\n5\n)48"))
    run_diff = RunDiff(true("fact"), found)
    assert marks(run_diff) == "............w.c.c.c"
    check(run_diff)


@pytest.mark.long(reason="test_rows_and_marks_are_the_naive_ones holds it for damaged texts")
def test_a_repaired_value_makes_the_next_difference_new() -> None:
    found = changed("loop", (" other=3\n", " other=4\n"), ("\n)6\n", "\n)7\n"))
    run_diff = RunDiff(true("loop"), found)
    first = run_diff.first or 0
    assert marks(run_diff).replace(".", "") == "ww"
    assert run_diff.rows[first].differs[0].name == "other"
    check(run_diff)


def test_a_value_that_was_handed_on_wrong_differs_in_the_row_that_shows_what_its_frame_made_of_it() -> None:
    found = changed("fact", (")1\n r=1\n", ")2\n r=3\n"))
    run_diff = RunDiff(true("fact"), found)
    row = run_diff.first or 0
    assert [run_diff.rows[n].state for n in (row - 1, row, row + 1)] == [RIGHT, WRONG, RIGHT]
    assert {one.name: one.step for one in run_diff.rows[row].differs} == {
        None: row, "r": true("fact").writer(row, 2, "r"),
    }  # fmt: skip


def test_a_wrong_result_of_a_call_differs_in_the_row_of_its_return() -> None:
    run_diff = RunDiff(true("fact"), changed("fact", (" r=1\n5", " r=7\n5")))
    (row,) = (row for row in run_diff.rows if row.differs and row.differs[0].name == "r")
    assert (row.state, row.differs[0].wanted, row.differs[0].got) == (WRONG, "1", "7")
    assert (true("fact").events[row.left or 0].event, true("fact").events[row.left or 0].line) == ("return", 3)
    assert true("fact").events[row.differs[0].step].line == 4


def test_another_way_is_wrong_once_and_then_consequential() -> None:
    found = changed("fact", ("(1 n=1\n2\n3\n)1", "(1 n=1\n2\n4\n(1 n=0\n2\n3\n)1\n r=1\n5\n)1"))
    run_diff = RunDiff(true("fact"), found)
    actions = [row.action for row in run_diff.rows if row.action != RIGHT]
    assert actions[0] == WRONG
    assert set(actions[1:]) == {CONSEQUENTIAL}
    assert {row.state for row in run_diff.rows} == {RIGHT, CONSEQUENTIAL}
    check(run_diff)


def test_a_text_that_stops_diverges_there() -> None:
    text = recorded_text("fact")[1].text
    run_diff = RunDiff(true("fact"), make_run("fact", "compact", text[: text.index(b")1")], "budget"))
    assert marks(run_diff) == "." * 12 + "W" + "C" * 6
    assert run_diff.first == 12


def test_only_the_end_is_missing() -> None:
    run_diff = RunDiff(true("fact"), make_run("fact", "compact", recorded_text("fact")[1].text[:-2], "budget"))
    assert run_diff.rows[-1] == RunDiffRow(None, None, WRONG, RIGHT, run_diff.divergences)
    assert run_diff.first == len(run_diff.rows) - 1 == len(true("fact"))


def test_nothing_is_known_after_a_truth_that_was_cut() -> None:
    text = recorded_text("fact")[1].text
    cut = make_run("fact", "compact", text[: text.index(b")1")], "budget")
    run_diff = RunDiff(cut, true("fact"))
    (end,) = run_diff.divergences
    assert (end.what, end.wanted, end.got) == ("outcome", "further steps", "end")
    assert marks(run_diff) == "." * len(true("fact")) + "W"


def test_without_a_reference_nothing_differs() -> None:
    found = true("loop")
    run_diff = RunDiff(None, found)
    assert run_diff.rows == tuple(RunDiffRow(None, n) for n in range(len(found)))
    assert (run_diff.first, run_diff.divergences, run_diff.row_of("right", 7)) == (None, (), 7)


def test_an_empty_prediction_is_missing_from_the_first_row() -> None:
    run_diff = RunDiff(true("fact"), make_run("fact", "compact", b"", "empty"))
    assert marks(run_diff) == "W" + "C" * (len(true("fact")) - 1)
    check(run_diff)


def test_what_goes_on_after_the_truth_is_extra() -> None:
    text = recorded_text("fact")[1].text.removesuffix(b".\n") + b"(1 n=9\n2\n3\n)1\n" * 40
    run_diff = RunDiff(true("fact"), make_run("fact", "compact", text, "budget"))
    assert len(run_diff.rows) == len(true("fact")) + 160 + 1
    assert run_diff.first == len(true("fact"))
    assert marks(run_diff)[run_diff.first :] == "W" + "C" * 160
