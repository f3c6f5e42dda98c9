"""How many tokens a trace takes to write, by how long it is or how long its values are: rows that double, and budgets.

Of each row the middle, the spread and how many traces are over a budget of 4,096 or 8,192 tokens, which are what public
models are given to write. What is counted is the steps, which a model writes, without the prompt, which it is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

BUDGETS = (4_096, 8_192)
SHORTEST = 8  # the first row goes up to it


@dataclass(frozen=True)
class CurveRow:
    """The traces of one row: from `low` to `high`, how many, their tokens, and how many are over each budget."""

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
        """The row's bounds: `9-16`."""
        return f"{self.low}-{self.high}"

    def as_json(self) -> dict[str, Any]:
        """The row by name."""
        over = dict(zip(map(str, BUDGETS), self.over, strict=True))
        return {
            "from": self.low, "to": self.high, "n": self.n, "10 %": self.tenth, "median": self.median,
            "90 %": self.ninetieth, "most": self.most, "over": over,
        }  # fmt: skip


def curve(points: Iterable[tuple[int, int]]) -> tuple[CurveRow, ...]:
    """The rows of many traces, each a length and its tokens; rows without a trace are left out."""
    rows: dict[int, list[int]] = {}
    for length, tokens in points:
        rows.setdefault(row_of(length), []).append(tokens)
    return tuple(_row(high, sorted(rows[high])) for high in sorted(rows))


def row_of(length: int) -> int:
    """The highest length of the row that one falls into: 8, 16, 32, ..."""
    return max(SHORTEST, 1 << max(length - 1, 0).bit_length())


def _row(high: int, tokens: list[int]) -> CurveRow:
    cuts = quantiles(tokens, n=10, method="inclusive") if len(tokens) > 1 else [float(tokens[0])] * 9
    over = tuple(sum(each > budget for each in tokens) for budget in BUDGETS)
    low = 1 if high == SHORTEST else high // 2 + 1
    return CurveRow(low, high, len(tokens), cuts[0], cuts[4], cuts[8], tokens[-1], over)
