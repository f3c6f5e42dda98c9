"""The last steps of a recorded run before a step, as rows that a terminal or a page renders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worldline.codec.reading import read_trace
from worldline.core.trace import Trace
from worldline.diagnose.debug import AlignedRow
from worldline.ui.session.side_by_side import MAX_VALUE_CHARS, ComparedRow, compared_rows


def last_steps(trace: Trace, end: int, max_rows: int = 0, max_chars: int = MAX_VALUE_CHARS) -> Iterator[ComparedRow]:
    """Yield the rows of the steps before step `end`; at most `max_rows` of them, 0 for all. The last one is marked."""
    end = min(end, len(trace))
    start = max(0, end - max_rows) if max_rows else 0
    if start:
        yield ComparedRow(kind="gap", skipped=start)
    rows = [AlignedRow(step, None) for step in range(start, end)]
    for row in compared_rows(trace.program, rows, read_trace(trace).events, (), None, max_chars=max_chars):
        yield replace(row, kind="first" if row.step == end - 1 else "same")
