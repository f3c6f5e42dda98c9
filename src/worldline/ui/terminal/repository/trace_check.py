"""A check against stored traces in a terminal: one line if nothing changed, else the first divergence of each run."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.evaluation.expected.check import TraceCheck
from worldline.ui.terminal.debug import print_sentence
from worldline.ui.terminal.plain import print_line
from worldline.ui.terminal.repository.revisions import DEFAULT_ROWS, MAX_TESTS, print_compared


def print_check(console: Console, check: TraceCheck, *, rows: int = DEFAULT_ROWS) -> None:
    """Print what differs from the stored traces; one line if nothing does.

    Args:
        console: Where to print.
        check: The result of `check_traces()` or `check_tests()`.
        rows: At most this many rows around each first divergence; 0 for all.
    """
    console.print(_summary(check), soft_wrap=True, highlight=False)
    for note in check.notes:
        print_sentence(console, "note", printable(note), "dim")
    for problem in check.problems:
        print_sentence(console, "problem", printable(problem), "bold")
    shown = 0
    for comparison in check.comparisons:
        for compared in comparison.diverging:
            shown += 1
            if shown <= MAX_TESTS:
                print_line(console, Text())
                print_compared(console, compared, comparison.sources, rows)
            else:
                print_line(console, Text(printable(f"also changed: {compared.test.id}")))


def _summary(check: TraceCheck) -> Text:
    entries = plural(check.count, check.noun)
    where = printable(f"{check.subject} compared with {check.expect}")
    if check.is_updated:
        state, style = "updated", "bold"
        changed = f"{len(check.changed):,} of {entries} had changed; " if check.count else ""
        text = f": {where}: {changed}the new traces are stored"
    elif check.is_unchanged:
        state, style = "unchanged", "bold green"
        text = f": {where}: {entries}, the same behaviour"
    else:
        state, style = "changed" if check.changed else "incomplete", "bold red"
        problems = f", {plural(len(check.problems), 'problem')}" if check.problems else ""
        text = f": {where}: {len(check.changed):,} of {entries}{problems}"
    return Text.assemble((state, style), text)
