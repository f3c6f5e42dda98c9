"""The step that is blamed for a failing test. Each program of `failing/` marks it with `# <- writer`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import worldline
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.trace import Trace
from worldline.diagnose.failure import FailureExplanation, explain_failure

FOLDER = Path(__file__).parent / "failing"
MARK = "# <- writer"
#: pytest calls fixtures first and passes their values by name.
CALLS = {"fixture_value": "test_it(basket=basket())", "yielded_fixture": "test_it(limit=next(limit()))"}
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))

pytestmark = pytest.mark.usefixtures("sandbox")


def recorded(name: str) -> RecordedTest:
    source = (FOLDER / f"{name}.py").read_text("utf-8")
    program = Program(source=source, name=f"{name}.py", call=CALLS.get(name, "test_it()"))
    return failed(worldline.record(program))


def failed(trace: Trace) -> RecordedTest:
    return RecordedTest(
        instance=Instance(name="failing"), id=f"{trace.program.name}::test_it", outcome="failed", trace=trace
    )


def explained(name: str) -> FailureExplanation:
    return explain_failure(recorded(name))


def shown(explanation: FailureExplanation) -> str:
    """The links of every value, for a failing assertion of these tests."""
    return "\n".join(
        f"{value.text}: {link.kind} {link.place.step} {link.place.source} | {link.name} -> {link.after} {link.feeds}"
        for value in explanation.values
        for link in value.links
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_step_that_wrote_the_wrong_value_is_blamed(name: str) -> None:
    lines = (FOLDER / f"{name}.py").read_text("utf-8").splitlines()
    marked = next(number for number, line in enumerate(lines, start=1) if MARK in line)
    explanation = explained(name)
    assert explanation.writer is not None, explanation
    assert explanation.writer.place.line == marked, shown(explanation)
    assert explanation.raised is not None


def test_the_history_goes_back_to_the_condition_that_decided() -> None:
    (found, literal) = explained("wrong_branch").values
    assert [link.kind for link in found.links] == ["returned", "written", "decided", "passed"]
    assert [(link.name, link.after) for link in found.links[2:]] == [("n > 10", "False"), ("n", "10")]
    assert [link.feeds for link in found.links] == [None, 0, 1, 2]
    assert (literal.text, literal.value, literal.is_literal, literal.links) == ('"large"', "'large'", True, ())


def test_a_loop_is_one_link() -> None:
    (found, _) = explained("loop_total").values
    assert [(link.name, link.times) for link in found.links if link.times > 1] == [("result", 12), ("number", 12)]


def test_only_the_part_that_differs_is_followed() -> None:
    explanation = explained("overwritten_entry")
    assert explanation.path == "[2]"
    writer = explanation.writer
    assert writer is not None
    assert (writer.part, writer.before, writer.worth) == ("[2]", "{2: 'ab', 1: 'c'}", "'de'")


def test_the_open_calls_have_their_arguments() -> None:
    explanation = explained("raised_deep")
    assert explanation.exception == "ValueError(-2)"
    assert [(call.place.function, call.arguments) for call in explanation.calls] == [
        ("check", (("n", "-2"),)), ("middle", (("n", "-2"),)), ("test_it", ()),
    ]  # fmt: skip
    assert explanation.raised is not None
    assert explanation.test_line is not None
    assert (explanation.raised.function, explanation.test_line.source) == ("check", "middle(n)")


def test_code_that_is_not_stepped_into_is_named() -> None:
    explanation = explained("third_party_call")
    assert explanation.exception.startswith("JSONDecodeError(")
    assert any("json.loads() was not stepped into" in note for note in explanation.values[0].notes)
    assert any("not stepped into" in note for note in explanation.notes)
    assert explanation.values[0].value is None


def test_an_expected_exception_is_said_to_be_missing() -> None:
    explanation = explained("expected_exception")
    assert [(value.text, value.value) for value in explanation.values] == [('parse("")', "0")]
    assert explanation.notes == ("The expected exception was not raised by the block.",)


def test_a_fixture_is_followed() -> None:
    links = explained("fixture_value").values[0].links
    assert [(link.kind, link.name, link.worth) for link in links] == [
        ("fixture", "basket", "4"), ("written", "items", "4"),
    ]  # fmt: skip


def test_no_history_is_longer_than_its_limit() -> None:
    source = "def test_it():\n    v0 = 1\n"
    source += "".join(f"    v{n} = v{n - 1} + 1\n" for n in range(1, 20)) + "    assert v19 == 0\n"
    explanation = explain_failure(failed(worldline.record(Program(source=source, call="test_it()"))))
    value = explanation.values[0]
    assert [link.name for link in value.links] == [f"v{n}" for n in range(19, 11, -1)]
    assert value.notes == ("the history is longer: the newest 8 links are shown",)


def test_a_recording_that_ended_too_early_says_so() -> None:
    source = "def test_it():\n    n = 0\n    while n < 1000:\n        n += 1\n    assert n == 0\n"
    trace = worldline.record(Program(source=source, call="test_it()"), limits=worldline.Limits(steps=100))
    assert trace.outcome.kind == "limit"
    explanation = explain_failure(failed(trace))
    assert (explanation.raised, explanation.values, explanation.steps) == (None, (), len(trace))
    assert any("ended at its budget" in note and "--max-steps" in note for note in explanation.notes)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("crashed", "its process ended"), ("timeout", "it did not end in time"), ("failed", "no step")],
)
def test_a_test_without_a_trace_says_why(outcome: str, words: str) -> None:
    test = RecordedTest(instance=Instance(name="failing"), id="test_a.py::test_it", outcome=outcome)
    explanation = explain_failure(test)
    assert explanation.writer is None
    assert any(words in note for note in explanation.notes)


def test_a_test_that_passed_has_no_failure() -> None:
    trace = worldline.record(Program(source="def test_it():\n    assert 1\n", call="test_it()"))
    test = RecordedTest(instance=Instance(name="failing"), id="test_a.py::test_it", outcome="passed", trace=trace)
    assert explain_failure(test).notes == ("The test passed: there is no failure to explain.",)


def test_an_explanation_is_json_with_the_writer() -> None:
    explanation = explained("passed_argument")
    described = json.loads(json.dumps(explanation.as_json()))
    assert described["writer"]["place"]["source"] == "given = wanted + 2  # <- writer"
    assert [value["text"] for value in described["values"]] == ["outer(given)", "wanted"]
    assert described["calls"][0]["place"]["function"] == "test_it"
