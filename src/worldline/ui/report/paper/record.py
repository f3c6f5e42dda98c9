"""The types of a published table: the runs it needs, its content, and the record that joins them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldline.evaluation.suites.published import PublishedSource
from worldline.evaluation.table import Measured, Table
from worldline.ui.report.charts import Rates
from worldline.ui.report.data import Findings


@dataclass(frozen=True, kw_only=True)
class PaperRun:
    """One run of `bench` that tables need; tables that name the same run share it.

    Attributes:
        name: The run's folder.
        suite: The suite.
        programs: The default number of programs.
        options: Other arguments of `bench`.
        cells: The number of groups that the suite draws in turn, so the least number of programs.
        data_suite: The suite in place of `suite` if its data file was passed; empty for none.
        interventions: The interventions that are tried on some failed samples.
        tried: How many failed samples.
    """

    name: str
    suite: str
    programs: int
    options: Mapping[str, Any] = field(default_factory=dict)
    cells: int = 1
    data_suite: str = ""
    interventions: tuple[str, ...] = ()
    tried: int = 20

    def with_data(self, data: str | Path | None) -> PaperRun:
        """Return the run for a data file: on its suite, in a folder of its own."""
        if data is None or not self.data_suite:
            return self
        name = self.name if self.suite == self.data_suite else f"{self.name}-{self.data_suite}"
        options = {**self.options, "data": str(Path(data).resolve())}
        return replace(self, name=name, suite=self.data_suite, options=options)


@dataclass(frozen=True, kw_only=True)
class PaperResults:
    """The stored runs of a table for one model: judged ones as findings, measured ones as their tables."""

    model: str
    judged: Mapping[str, Findings] = field(default_factory=dict)
    measured: Mapping[str, Measured] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PaperContent:
    """The rows of a table with the published ones beside, its figure, and the sources that its rows number."""

    table: Table
    chart: Rates
    sources: tuple[PublishedSource, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A published table: its runs, by the names that `build` reads them under, and how its rows are made.

    Its caption stands in `captions.toml` under the same name. `needs_data`: without the user's data file there is no
    such table.
    """

    name: str
    runs: Mapping[str, PaperRun]
    build: Callable[[PaperResults], PaperContent]
    needs_data: bool = False
