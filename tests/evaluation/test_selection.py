"""A file of failures is told from the file of a bad model: by what it has of the suite."""

from __future__ import annotations

from random import Random

import pytest

from worldline.evaluation.selection import FAILURES, PART, detect_selection, read_selection

pytestmark = pytest.mark.unit

SUITE = [f"sample_{n}" for n in range(800)]
SHUFFLED = Random(1).sample(SUITE, len(SUITE))


def drawn(n: int) -> list[str]:
    return Random(2).sample(SUITE, n)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(SUITE, id="the whole suite"),
        pytest.param(SUITE[:200], id="the first of the benchmark's file"),
        pytest.param(SHUFFLED[:200], id="the first of the suite, as --max-programs asks"),
        pytest.param(SHUFFLED[2::4], id="every fourth of the suite, as --shard 3/4 asks"),
        pytest.param(SUITE[2::4], id="every fourth of the benchmark's file"),
        pytest.param([name for name in SUITE if name not in SUITE[3::40]], id="some rows lost"),
        pytest.param(SUITE[400:600], id="a slice"),
        pytest.param(["x", "y", "z"], id="too few to tell"),
    ],
)
@pytest.mark.parametrize("right", [0, 3])
def test_a_bad_model_is_no_selection(names: list[str], right: int) -> None:
    selection = detect_selection(names, SHUFFLED, right, len(names), is_whole=True)
    assert (selection.kind, selection.has_rates, selection.note) == ("", True, "")


def test_failures_from_all_over_the_suite_are_a_selection() -> None:
    selection = detect_selection(drawn(114), SHUFFLED, 3, 114, is_whole=True)
    assert (selection.kind, selection.size) == (FAILURES, 800)
    assert selection.bounds == pytest.approx((3 / 800, (800 - 111) / 800))
    assert selection.note.startswith("The file has 114 of the suite's 800 tasks and 3 of 114 rows are right")
    assert "between 0.4 and 86.1 %" in selection.note


def test_gaps_all_over_the_suite_are_a_part_whose_rates_are_withheld() -> None:
    selection = detect_selection(drawn(200), SHUFFLED, 150, 200, is_whole=True)
    assert (selection.kind, selection.has_rates) == (PART, False)
    assert "pass their tasks alone as --data" in selection.note


def test_rows_that_the_file_itself_calls_failed_are_failures_though_they_are_right() -> None:
    assert detect_selection(drawn(50), SHUFFLED, 30, 50, refused=50, is_whole=True).kind == FAILURES


def test_without_the_suite_only_a_file_with_next_to_no_right_row_is_suspect() -> None:
    names = drawn(100)
    assert detect_selection(names, (), 40, 100).kind == ""
    selection = detect_selection(names, (), 2, 100)
    assert (selection.kind, selection.size, selection.bounds) == (FAILURES, None, None)
    assert "pass the suite's file with --data" in selection.note


def test_an_endless_suite_has_first_tasks_but_no_size() -> None:
    assert detect_selection(SUITE[:50], SUITE[:50], 0, 50).kind == ""
    scattered = [SUITE[n] for n in (3, 17, 20, 41, 77, 130, 131, 160)]
    assert detect_selection(scattered, SUITE[:161], 0, 8).kind == FAILURES


def test_a_stored_selection_is_read_again() -> None:
    selection = detect_selection(drawn(114), SHUFFLED, 3, 114, is_whole=True)
    assert read_selection(selection.as_json()) == selection
    assert read_selection(None) is None


def test_several_outputs_of_a_task_have_no_bounds() -> None:
    assert detect_selection(drawn(50), SHUFFLED, 3, 250, is_whole=True).bounds is None
