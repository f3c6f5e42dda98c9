"""Published rows beside measured ones, with numbered sources."""

from __future__ import annotations

from collections.abc import Sequence

from worldline.evaluation.suites.published import PublishedRow, PublishedSource, published_rows
from worldline.evaluation.table import Cell

MEASURED = "measured"  # in the column of sources


class NumberedSources:
    """The sources of a table in the order in which its rows name them."""

    def __init__(self) -> None:
        self._numbers: dict[PublishedSource, int] = {}

    def mark(self, source: PublishedSource) -> str:
        """Return the number of a source in brackets."""
        return f"[{self._numbers.setdefault(source, len(self._numbers) + 1)}]"

    @property
    def all(self) -> tuple[PublishedSource, ...]:
        """The sources by number."""
        return tuple(self._numbers)


def cited_rows(suite: str, figures: Sequence[str]) -> list[PublishedRow]:
    """Return the published rows that have any of some figures, the highest first figure first."""
    rows = [row for row in published_rows(suite) if any(name in row.figures for name in figures)]
    return sorted(rows, key=lambda row: -row.figures.get(figures[0], -1.0))


def cited_name(row: PublishedRow) -> str:
    """Return the model of a row and how it was asked."""
    return f"{row.model}, {row.way}" if row.way else row.model


def cited_cells(row: PublishedRow, figures: Sequence[str], sources: NumberedSources) -> tuple[Cell, ...]:
    """Return the cells of a published row: model, way, figures in %, source."""
    return row.model, row.way, *(row.figures.get(name) for name in figures), sources.mark(row.source)


def rates(row: PublishedRow, figures: Sequence[str]) -> tuple[float | None, ...]:
    """Return the figures of a row as rates from 0 to 1."""
    return tuple(None if (value := row.figures.get(name)) is None else value / 100 for name in figures)
