"""The results of a suite in several scratchpad modes, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.stats import Share
from worldline.evaluation.summary import Report, Tally
from worldline.evaluation.table import Measured, Table

NOTE = "answers are the program's own in every mode; scratchpad traces, predicted and true, are folded to statements"


@dataclass(frozen=True)
class ScratchpadReports:
    """The result of a suite in each scratchpad mode."""

    reports: Mapping[str, Report | Measured]

    def __getitem__(self, mode: str) -> Report | Measured:
        return self.reports[mode]

    @property
    def faults(self) -> int:
        """How many predictions failed in the tool."""
        return sum(report.faults for report in self.reports.values())

    @property
    def first_fault(self) -> str:
        """The first task on which the tool failed, and why."""
        return next((report.first_fault for report in self.reports.values() if report.first_fault), "")

    @property
    def tables(self) -> tuple[Table, ...]:
        """The modes side by side; a measured suite has its own tables."""
        judged = {mode: report for mode, report in self.reports.items() if isinstance(report, Report)}
        return (side_by_side(judged),) if judged else ()

    def as_json(self) -> dict[str, Any]:
        """Return what `bench --json` prints."""
        reports = {mode: report.as_json() for mode, report in self.reports.items()}
        return {"scratchpads": reports, "tables": [table.as_json() for table in self.tables]}


BenchResult = Report | Measured | ScratchpadReports


def side_by_side(reports: Mapping[str, Report]) -> Table:
    """Return a table with one row per mode."""
    rows = tuple(
        (
            mode,
            _share(report.all.answer),
            _share(report.all.trace),
            None if report.bytes_per_program is None else round(report.bytes_per_program),
            round(report.seconds, 1),
        )
        for mode, report in reports.items()
    )
    heads = ("scratchpad", "answers right", "traces right", "bytes per program", "seconds")
    return Table("by scratchpad", heads, rows, NOTE)


def _share(tally: Tally) -> Share:
    return Share(tally.right, tally.n)
