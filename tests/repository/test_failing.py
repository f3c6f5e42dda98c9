"""Failing tests of a real repository, recorded with pytest and explained. The blamed lines are marked `# <- NAME`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.core.repository.recorded_test import RecordedTest
from worldline.diagnose.failure import FailureExplanation, explain_failure
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.one_test import nearest_ids, record_test, split_target
from worldline.recording.repository.record import TestRecording, record_tests

pytestmark = pytest.mark.usefixtures("sandbox")
FOLDER = Path(__file__).parent / "failing"
TESTS = "tests/test_till.py"
#: The test, and the mark of the line that wrote the wrong value.
BLAMED = {
    "test_gross": "gross",
    "test_discount": "discount",
    "test_collect": "collect",
    "test_receipt": "receipt",
    "test_parse_amount": "parse_amount",
    "test_by_name": "by_name",
    "test_basket": "basket",
    "test_sell": "sell",
    "test_passed_on[one]": "passed_on",
    "test_passed_on[two]": "passed_on",
    "test_shared": "shared",
    "TallyTests::test_tally": "tally",
    "test_async": "twice",
    "test_none": "none",
    "test_key": "key",
    "test_doubled": "doubled",
    "test_in_pairs": "in_pairs",
    "test_squares": "squares",
}


@pytest.fixture(scope="module")
def recording() -> TestRecording:
    return record_tests(FOLDER, venv=sys.prefix, check=False, budget=TestBudget(steps=2_000))


def find(recording: TestRecording, name: str) -> RecordedTest:
    test = recording.find(f"{TESTS}::{name}")
    assert test is not None, name
    return test


def explained(recording: TestRecording, name: str) -> FailureExplanation:
    return explain_failure(find(recording, name))


def marked(mark: str) -> tuple[str, int]:
    """The file and line of a mark."""
    for path in sorted(FOLDER.rglob("*.py")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if line.endswith(f"# <- {mark}"):
                return str(path.relative_to(FOLDER)), number
    raise AssertionError(mark)


@pytest.mark.parametrize(("name", "mark"), BLAMED.items())
def test_the_line_that_wrote_the_wrong_value_is_blamed(recording: TestRecording, name: str, mark: str) -> None:
    explanation = explained(recording, name)
    assert explanation.outcome == "failed"
    assert explanation.writer is not None, explanation
    place = explanation.writer.place
    assert (place.file, place.line) == marked(mark), [link for value in explanation.values for link in value.links]


def test_every_failing_test_has_its_mark(recording: TestRecording) -> None:
    failing = {test.id.removeprefix(f"{TESTS}::") for test in recording.tests() if test.has_failed}
    assert failing == {*BLAMED, "test_slow"}


def test_a_yielded_fixture_is_followed_into_the_method_that_it_called(recording: TestRecording) -> None:
    links = explained(recording, "test_sell").values[0].links
    assert [(link.kind, link.place.file) for link in links[:4]] == [
        ("returned", "src/till/prices.py"),
        ("passed", "tests/test_till.py"),
        ("fixture", "tests/conftest.py"),
        ("written", "src/till/prices.py"),
    ]


def test_a_loop_over_a_generator_reads_what_was_yielded_for_its_round(recording: TestRecording) -> None:
    links = explained(recording, "test_in_pairs").values[0].links
    assert [(link.kind, link.after) for link in links if link.kind == "yielded"] == [("yielded", "('a', 2)")]


def test_a_failure_in_a_helper_names_the_line_of_the_test(recording: TestRecording) -> None:
    explanation = explained(recording, "test_passed_on[two]")
    assert explanation.raised is not None
    assert explanation.test_line is not None
    assert (explanation.raised.function, explanation.test_line.function) == ("check", "test_passed_on")
    assert [call.arguments for call in explanation.calls] == [(("found", "4"), ("wanted", "2")), (("net", "2"),)]


def test_a_budget_that_ends_before_the_failure_is_said(recording: TestRecording) -> None:
    explanation = explained(recording, "test_slow")
    assert (explanation.outcome, explanation.raised) == ("failed", None)
    assert any("ended at its budget" in note for note in explanation.notes)


def test_a_test_that_passes_needs_no_explanation(recording: TestRecording) -> None:
    assert explained(recording, "test_passes").notes == ("The test passed: there is no failure to explain.",)


def test_the_message_of_pytest_is_kept(recording: TestRecording) -> None:
    assert "assert prices.total([10]) == 12" in explained(recording, "test_gross").message


def test_the_nearest_ids_are_named() -> None:
    known = [f"{TESTS}::{name}" for name in ("test_gross", "test_basket", "test_sell")]
    assert nearest_ids(f"{TESTS}::test_groos", known)[0] == f"{TESTS}::test_gross"
    assert nearest_ids("test_sell", known)[0] == f"{TESTS}::test_sell"
    assert nearest_ids("anything", []) == []


@pytest.mark.parametrize("target", ["tests/test_till.py", "repo::", ""])
def test_a_target_needs_a_repository_and_a_test(target: str) -> None:
    with pytest.raises(UsageError, match="REPO::TEST"):
        split_target(target)


@pytest.mark.long(reason="two sessions of pytest: the second collects the ids")
def test_an_unknown_test_is_refused_with_the_nearest_ids() -> None:
    with pytest.raises(UsageError, match=rf"has no test {TESTS}::test_groos.*\n.*{TESTS}::test_gross\n"):
        record_test(f"{FOLDER}::{TESTS}::test_groos", venv=sys.prefix)
