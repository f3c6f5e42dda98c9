"""The step that is blamed for a failing test. Each program of `failing/` marks it with `# <- writer`."""

from __future__ import annotations

from pathlib import Path

import pytest

import worldline
from worldline.core.program import Program
from worldline.core.recorded_test import Instance, RecordedTest
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
