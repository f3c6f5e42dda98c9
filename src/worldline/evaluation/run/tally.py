"""Counts of verdicts: by outcome, by answer and trace, and of one cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldline.core.stats import wilson


@dataclass(frozen=True)
class Tally:
    """How many predictions had each outcome."""

    right: int = 0
    wrong: int = 0
    truncated: int = 0
    malformed: int = 0

    @property
    def n(self) -> int:
        """How many were judged."""
        return self.right + self.wrong + self.truncated + self.malformed

    @property
    def rate(self) -> float | None:
        """The share that is right; None if nothing was judged."""
        return self.right / self.n if self.n else None

    def as_json(self) -> dict[str, Any]:
        """Return the counts, the rate and its interval."""
        rate = {"right": self.right, "n": self.n, "rate": self.rate, "interval": list(wilson(self.right, self.n))}
        return rate | {"wrong": self.wrong, "truncated": self.truncated, "malformed": self.malformed}


@dataclass(frozen=True)
class VerdictCounts:
    """Some of the verdicts, counted by answer and by trace."""

    answer: Tally
    trace: Tally

    def as_json(self) -> dict[str, Any]:
        """Return the answer's counts, with the trace's inside them."""
        return {**self.answer.as_json(), "trace": self.trace.as_json()}


@dataclass(frozen=True)
class Failures:
    """How many predictions have one cause of failure, and how many of their answers and traces are not right.

    An answer may be right after a wrong trace. Both are right if another scorer judged the answer wrong.
    """

    n: int
    answer: int
    trace: int

    def as_json(self) -> dict[str, int]:
        """Return the counts."""
        return {"n": self.n, "answer": self.answer, "trace": self.trace}
