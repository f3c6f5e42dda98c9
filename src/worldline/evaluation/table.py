"""Tables of figures as data, for the terminal and the report.

A share always carries its n and its interval, a difference its interval. An unknown cell is None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldline.core.stats import RateDifference, Share


@dataclass(frozen=True)
class Between:
    """A share that was estimated, not counted, with the bounds of its interval."""

    rate: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        """Return the rate and its interval."""
        return {"rate": self.rate, "interval": [self.low, self.high]}


@dataclass(frozen=True)
class Chance:
    """The p-value of a test."""

    p: float

    def as_json(self) -> float:
        """Return the p-value."""
        return self.p


Cell = str | int | float | Share | Between | RateDifference | Chance | None


@dataclass(frozen=True)
class Table:
    """Rows under column heads, with a note that explains them."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the rows as objects, by head."""
        rows = [{head: _json(cell) for head, cell in zip(self.heads, row, strict=True)} for row in self.rows]
        return {"title": self.title, "rows": rows, "note": self.note}

    def texts(self) -> list[list[str]]:
        """Return the cells as text, the heads first."""
        return [list(self.heads), *([text_of(cell) for cell in row] for row in self.rows)]


def text_of(cell: Cell) -> str:
    """Return a cell as text, a share with its n and its interval."""
    if cell is None:
        return "-"
    if isinstance(cell, Share):
        if cell.rate is None:
            return "- of 0"
        low, high = cell.interval
        return f"{100 * cell.rate:.1f} % ({100 * low:.1f} - {100 * high:.1f}) of {cell.n:,}"
    if isinstance(cell, Between):
        return f"{100 * cell.rate:.1f} % ({100 * cell.low:.1f} - {100 * cell.high:.1f})"
    if isinstance(cell, RateDifference):
        return f"{100 * cell.rate:+.1f} points ({100 * cell.low:+.1f} to {100 * cell.high:+.1f})"
    if isinstance(cell, Chance):
        return f"{cell.p:.3f}" if cell.p >= 0.001 else f"{cell.p:.1e}"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:,.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


@dataclass(frozen=True)
class Measured:
    """The results of a suite that measures more than one trace per program: its tables, and counts outside them."""

    suite: str
    model: str
    n: int
    tables: tuple[Table, ...]
    skipped: int = 0
    faults: int = 0
    seconds: float = 0.0
    first_fault: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what `bench --json` prints."""
        keys = ("suite", "model", "n", "skipped", "faults", "seconds")
        return {key: getattr(self, key) for key in keys} | {"tables": [table.as_json() for table in self.tables]}


def _json(cell: Cell) -> Any:
    return cell.as_json() if isinstance(cell, Share | Between | RateDifference | Chance) else cell
