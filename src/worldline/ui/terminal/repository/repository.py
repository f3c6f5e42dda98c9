"""The recorded tests of a repository in a terminal: a row for each, and what could not be recorded as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from worldline.core.repository.recorded_test import FAILING_OUTCOMES, RecordedTest, failure_line
from worldline.core.text import plural, printable

MAX_NOTES = 20


class TestsResult(Protocol):
    """The recorded tests of a repository (`recording.repository.record.TestRecording`)."""

    instance: Any
    notes: tuple[str, ...]
    seconds: float
    plain_seconds: float

    @property
    def differing(self) -> tuple[str, ...]: ...

    def tests(self) -> Iterator[RecordedTest]: ...


class LinesResult(Protocol):
    """A report that spells itself."""

    def lines(self) -> Iterator[str]: ...


def print_recording(console: Console, recording: TestsResult, *, rows: int = 200) -> None:
    """Print the tests, those that fail first, then a summary."""
    tests = [_row(test) for test in recording.tests()]
    outcomes = Counter(outcome for _, outcome, *_ in tests)
    tests.sort(key=lambda row: row[1] not in FAILING_OUTCOMES)
    _print_row(console, "outcome", "steps", "frames", "seconds", "test", style="dim")
    for name, outcome, steps, frames, seconds, notes, message in tests[: rows or None]:
        # Whole, however long: a test's id is there to be copied.
        title = f"{name}  ({', '.join(notes)})" if notes else name
        style = "red" if outcome in FAILING_OUTCOMES else ""
        _print_row(console, outcome, f"{steps:,}", f"{frames:,}", f"{seconds:.2f}", title, style=style)
        if outcome in FAILING_OUTCOMES and (reason := failure_line(message)):
            console.print(Text(f"{'':36}{printable(reason)}", style="dim"), soft_wrap=True, highlight=False)
    if rows and len(tests) > rows:
        console.print(Text(f"and {len(tests) - rows:,} more (--rows 0 shows all)", style="dim"))
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    steps = sum(row[2] for row in tests)
    head = f"{recording.instance.id}: {plural(len(tests), 'test')} ({counts}), {plural(steps, 'step')}"
    console.print(Text(printable(f"{head}, {recording.seconds:.1f} s{_plain(recording)}"), style="bold"))
    _print_differences(console, recording)


def _print_row(console: Console, outcome: str, steps: str, frames: str, seconds: str, test: str, *, style: str) -> None:
    line = f"{outcome:7}  {steps:>7}  {frames:>6}  {seconds:>7}  {printable(test)}"
    console.print(Text(line, style=style), soft_wrap=True, highlight=False)


def _plain(recording: TestsResult) -> str:
    return f" ({recording.plain_seconds:.1f} s unrecorded)" if recording.plain_seconds else ""


def _row(test: RecordedTest) -> tuple[str, str, int, int, float, tuple[str, ...], str]:
    trace = test.trace
    counts = (0, 0) if trace is None else (len(trace), len(trace.frames))
    return test.id, test.outcome, *counts, test.seconds, test.notes, test.message


def _print_differences(console: Console, recording: TestsResult) -> None:
    for name in recording.differing:
        console.print(Text(printable(f"notices the recorder: {name}"), style="red"))
    for note in recording.notes[:MAX_NOTES]:
        console.print(Text(printable(f"note: {note}"), style="dim"))
    if len(recording.notes) > MAX_NOTES:
        console.print(Text(f"and {plural(len(recording.notes) - MAX_NOTES, 'note')} more", style="dim"))


def print_report(console: Console, report: LinesResult, *, out: str) -> None:
    """Print the report on a dataset of recorded calls."""
    for line in report.lines():
        console.print(Text(line), soft_wrap=True)
    console.print(Text(printable(f"stored in {out}"), style="bold"))
