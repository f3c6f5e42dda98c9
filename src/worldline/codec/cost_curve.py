"""How many tokens traces take, by their length or by the length of their values, in rows that double.

Each row has the median, the spread, and how many traces exceed a budget of 4,096 or 8,192 tokens, which are common
output limits of public models. Only the steps are counted, which a model writes, not the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

BUDGETS = (4_096, 8_192)
FIRST_ROW_END = 8


@dataclass(frozen=True)
class CurveRow:
    """The traces of one row: lengths `low` to `high`, how many, their tokens, and how many exceed each budget."""

    low: int
    high: int
    n: int
    tenth: float
    median: float
    ninetieth: float
    most: int
    over: tuple[int, ...]

    @property
    def name(self) -> str:
        """The bounds of the row: `9-16`."""
        return f"{self.low}-{self.high}"

    def as_json(self) -> dict[str, Any]:
        over = dict(zip(map(str, BUDGETS), self.over, strict=True))
        return {
            "from": self.low,
            "to": self.high,
            "n": self.n,
            "10 %": self.tenth,
            "median": self.median,
            "90 %": self.ninetieth,
            "most": self.most,
            "over": over,
        }


def curve(points: Iterable[tuple[int, int]]) -> tuple[CurveRow, ...]:
    """Group traces, each a length and its tokens, into rows. Rows without a trace are left out."""
    rows: dict[int, list[int]] = {}
    for length, tokens in points:
        rows.setdefault(row_of(length), []).append(tokens)
    return tuple(_row(high, sorted(rows[high])) for high in sorted(rows))


def row_of(length: int) -> int:
    """Return the highest length of the row of a length: 8, 16, 32, ..."""
    return max(FIRST_ROW_END, 1 << max(length - 1, 0).bit_length())


def _row(high: int, tokens: list[int]) -> CurveRow:
    cuts = quantiles(tokens, n=10, method="inclusive") if len(tokens) > 1 else [float(tokens[0])] * 9
    over = tuple(sum(count > budget for count in tokens) for budget in BUDGETS)
    low = 1 if high == FIRST_ROW_END else high // 2 + 1
    return CurveRow(low, high, len(tokens), cuts[0], cuts[4], cuts[8], tokens[-1], over)
