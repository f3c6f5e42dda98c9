"""The same samples before and after something was changed: flips each way, their test and intervals. Pure sums.

The test is McNemar's, exact: of the samples that flipped, as many would go each way by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Z = 1.959963984540054  # the normal quantile of 97.5 %: an interval of 95 %


def mcnemar(lost: int, gained: int) -> float:
    """The two-sided exact p of so many flips each way, if each way were as likely."""
    n, term, total = lost + gained, 1, 0
    for k in range(min(lost, gained) + 1):
        total += term
        term = term * (n - k) // (k + 1)
    return min(1.0, 2 * total / (1 << n))


def wilson(some: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's score; of none it is everything."""
    if n == 0:
        return 0.0, 1.0
    rate, square = some / n, Z * Z
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return (0.0 if some == 0 else max(0.0, middle - half)), (1.0 if some == n else min(1.0, middle + half))


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    some: int
    n: int

    @property
    def rate(self) -> float | None:
        """The share as a number; None of none."""
        return self.some / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return wilson(self.some, self.n)

    def as_json(self) -> dict[str, Any]:
        """The counts, the rate and its interval."""
        return {"some": self.some, "n": self.n, "rate": self.rate, "interval": list(self.interval)}


@dataclass(frozen=True)
class Paired:
    """How samples came out twice: right both times, regressed (right, then not), recovered, wrong both times."""

    right: int = 0
    regressed: int = 0
    recovered: int = 0
    wrong: int = 0

    @property
    def n(self) -> int:
        """All samples."""
        return self.right + self.regressed + self.recovered + self.wrong

    @property
    def net(self) -> int:
        """Recovered less regressed."""
        return self.recovered - self.regressed

    @property
    def p(self) -> float:
        """McNemar's exact p."""
        return mcnemar(self.regressed, self.recovered)

    @property
    def recovery(self) -> Share:
        """Of those that were wrong, how many are right now."""
        return Share(self.recovered, self.recovered + self.wrong)

    @property
    def regression(self) -> Share:
        """Of those that were right, how many are wrong now."""
        return Share(self.regressed, self.regressed + self.right)

    def as_json(self) -> dict[str, Any]:
        """The counts, both shares and the test."""
        return {
            "n": self.n, "right": self.right, "regressed": self.regressed, "recovered": self.recovered,
            "wrong": self.wrong, "net": self.net, "p": self.p,
            "recovery": self.recovery.as_json(), "regression": self.regression.as_json(),
        }  # fmt: skip
