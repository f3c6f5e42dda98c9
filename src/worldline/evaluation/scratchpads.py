"""A suite in several scratchpad modes, side by side: answers, traces, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping

from worldline.core.stats import Share
from worldline.evaluation.summary import Report, Tally
from worldline.evaluation.table import Table

NOTE = "answers are the program's own in every mode; traces of a scratchpad, and their truths, are told by statements"


def side_by_side(reports: Mapping[str, Report]) -> Table:
    """A row for each mode."""
    rows = tuple(
        (mode, _share(report.all.answer), _share(report.all.trace), round(report.seconds, 1))
        for mode, report in reports.items()
    )
    return Table("by scratchpad", ("scratchpad", "answers right", "traces right", "seconds"), rows, NOTE)


def _share(tally: Tally) -> Share:
    return Share(tally.right, tally.n)
