"""Two sides row by row: their rows, and which differences are new, by example and beside the naive definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_pair import naive
from stepped import MODES, PROGRAMS, anyhow, changed, damaged, run, side, true
from tiers import examples

from worldline.diagnose.debug import rows
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import CONSEQUENTIAL, RIGHT, WRONG, PairRow, RunDiff

pytestmark = pytest.mark.usefixtures("box")


def check(pair: RunDiff) -> None:
    """What holds of any two sides."""
    assert pair.left is not None
    ask, truth, found = pair.left.ask, pair.left.prediction, pair.right.prediction
    case = Diagnosis(Sample(ask=ask, truth=truth, found=found))
    if found.codec == "cwm":  # read beside the truth, as a scene has it
        pair = RunDiff(pair.left, Run(pair.right.name, ask, found, reading=case.found))
    assert pair.left is not None
    assert [row.left for row in pair.rows if row.left is not None] == list(range(len(pair.left)))
    assert [row.right for row in pair.rows if row.right is not None] == list(range(len(pair.right)))
    for n, row in enumerate(pair.rows):
        assert row.left is None or pair.row_of("left", row.left) == n
        assert row.right is None or pair.row_of("right", row.right) == n
    told = [one for row in pair.rows for one in row.differs]
    assert len(told) == len(pair.divergences)
    assert all(one in told for one in pair.divergences)
    assert [(row.left, row.right) for row in pair.rows] == [(row.truth, row.found) for row in rows(case)]
    wrong = [n for n, row in enumerate(pair.rows) if (row.action, row.state) != (RIGHT, RIGHT)]
    assert pair.first == (wrong[0] if wrong else None)
    if wrong:
        assert WRONG in (pair.rows[wrong[0]].action, pair.rows[wrong[0]].state)
    assert [(row.action, row.state) for row in pair.rows] == naive(pair)


def marks(pair: RunDiff) -> str:
    """Each row in a letter: R, or W and C, in capitals for the action, small for the state."""
    letters = []
    for row in pair.rows:
        if row.action != RIGHT:
            letters.append(row.action[0].upper())
        else:
            letters.append(row.state[0] if row.state != RIGHT else ".")
    return "".join(letters)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_nothing_is_wrong_with_the_truth(name: str, mode: str) -> None:
    pair = RunDiff(true(name, mode), side(name, mode, run(name, mode)[1].text))
    assert pair.first is None
    assert all(row == PairRow(n, n) for n, row in enumerate(pair.rows))


@given(damaged())
@settings(max_examples=examples(33, 200))
def test_rows_and_marks_are_the_naive_ones(made: tuple[str, str, Run]) -> None:
    name, mode, found = made
    if len(found) < 150 and len(true(name, mode)) < 150:
        check(RunDiff(true(name, mode), found))


@given(damaged(), damaged())
def test_any_two_sides_make_a_pair(one: tuple[str, str, Run], other: tuple[str, str, Run]) -> None:
    if one[:2] == other[:2] and len(one[2]) < 150 and len(other[2]) < 150:
        check(RunDiff(one[2], other[2]))


@given(anyhow(), anyhow(), st.sampled_from(("ended", "budget")))
def test_any_lines_make_a_pair(one: bytes, other: bytes, status: str) -> None:
    check(RunDiff(side("fact", "compact", one, status), side("fact", "compact", other)))


def test_the_first_difference_is_wrong_though_a_move_came_before_it() -> None:
    one, other = b"(1 n=1\n(1 n=1\n(1 n=1\n", b"(1 n=1\n/\n(1 n=1\n"
    check(RunDiff(side("fact", "compact", one), side("fact", "compact", other)))


@given(st.binary(max_size=200), st.sampled_from(sorted(MODES)))
def test_any_bytes_make_a_pair(data: bytes, mode: str) -> None:
    check(RunDiff(true("fact", mode), side("fact", mode, data)))


def test_what_follows_from_a_wrong_value_is_consequential_while_it_stands() -> None:
    """fact(1) returns 2: r is 2, so that 2 * 2 and 3 * 4 and 4 * 12 follow."""
    returned = (")1\n r=1\n", ")2\n r=2\n"), (")2\n r=2\n5\n)6", ")4\n r=4\n5\n)6")
    found = changed("fact", *returned, (")6\n r=6\n5\n)24", ")12\n r=12\n5\n)48"))
    pair = RunDiff(true("fact"), found)
    assert marks(pair) == "............wcccccc"
    check(pair)


@pytest.mark.long(reason="test_rows_and_marks_are_the_naive_ones holds it for damaged texts")
def test_a_repaired_value_makes_the_next_difference_new() -> None:
    found = changed("loop", (" other=3\n", " other=4\n"), ("\n)6\n", "\n)7\n"))
    pair = RunDiff(true("loop"), found)
    first = pair.first or 0
    assert marks(pair).replace(".", "") == "ww"
    assert pair.rows[first].differs[0].name == "other"
    check(pair)


def test_a_value_that_was_handed_on_wrong_stands_until_its_frame_has_told_what_it_made_of_it() -> None:
    found = changed("fact", (")1\n r=1\n", ")2\n r=3\n"))
    pair = RunDiff(true("fact"), found)
    row = pair.first or 0
    assert [pair.rows[n].state for n in (row - 1, row, row + 1)] == [RIGHT, WRONG, CONSEQUENTIAL]
    assert pair.rows[row + 1].differs[0].step == true("fact").writer(row + 1, 2, "r")


def test_a_difference_in_late_changes_stands_where_they_are_told() -> None:
    pair = RunDiff(true("fact"), changed("fact", (" r=1\n5", " r=7\n5")))
    (row,) = (row for row in pair.rows if row.differs and row.differs[0].name == "r")
    assert (row.state, row.differs[0].wanted, row.differs[0].got) == (WRONG, "1", "7")
    assert true("fact").events[row.left or 0].line == 5
    assert true("fact").events[row.differs[0].step].line == 4


def test_another_way_is_wrong_once_and_then_consequential() -> None:
    found = changed("fact", ("(1 n=1\n2\n3\n)1", "(1 n=1\n2\n4\n(1 n=0\n2\n3\n)1\n r=1\n5\n)1"))
    pair = RunDiff(true("fact"), found)
    actions = [row.action for row in pair.rows if row.action != RIGHT]
    assert actions[0] == WRONG
    assert set(actions[1:]) == {CONSEQUENTIAL}
    assert {row.state for row in pair.rows} == {RIGHT, CONSEQUENTIAL}
    check(pair)


def test_a_text_that_stops_parts_there() -> None:
    text = run("fact")[1].text
    pair = RunDiff(true("fact"), side("fact", "compact", text[: text.index(b")1")], "budget"))
    assert marks(pair) == "." * 12 + "W" + "C" * 6
    assert pair.first == 12


def test_only_the_end_is_missing() -> None:
    pair = RunDiff(true("fact"), side("fact", "compact", run("fact")[1].text[:-2], "budget"))
    assert pair.rows[-1] == PairRow(None, None, WRONG, RIGHT, pair.divergences)
    assert pair.first == len(pair.rows) - 1 == len(true("fact"))


def test_nothing_is_known_after_a_truth_that_was_cut() -> None:
    text = run("fact")[1].text
    cut = side("fact", "compact", text[: text.index(b")1")], "budget")
    pair = RunDiff(cut, true("fact"))
    (end,) = pair.divergences
    assert (end.what, end.wanted, end.got) == ("outcome", "further steps", "end")
    assert marks(pair) == "." * len(true("fact")) + "W"


def test_without_a_reference_nothing_differs() -> None:
    found = true("loop")
    pair = RunDiff(None, found)
    assert pair.rows == tuple(PairRow(None, n) for n in range(len(found)))
    assert (pair.first, pair.divergences, pair.row_of("right", 7)) == (None, (), 7)


def test_an_empty_prediction_is_missing_from_the_first_row() -> None:
    pair = RunDiff(true("fact"), side("fact", "compact", b"", "empty"))
    assert marks(pair) == "W" + "C" * (len(true("fact")) - 1)
    check(pair)


def test_what_goes_on_after_the_truth_is_extra() -> None:
    text = run("fact")[1].text.removesuffix(b".\n") + b"(1 n=9\n2\n3\n)1\n" * 40
    pair = RunDiff(true("fact"), side("fact", "compact", text, "budget"))
    assert len(pair.rows) == len(true("fact")) + 160 + 1
    assert pair.first == len(true("fact"))
    assert marks(pair)[pair.first :] == "W" + "C" * 160
