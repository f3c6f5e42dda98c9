"""Rates, their differences and their tests: of one group, of two, and of samples before and after a change. Pure sums.

Before and after, the test is McNemar's, exact: of the samples that flipped, as many would go each way by chance. Two
groups are compared by Newcombe's interval and, where something else tells them apart (how long they are, say), within
strata of it: by Mantel and Haenszel's difference with Klingenberg's interval (Statistics in Medicine 33:2968, 2014) and
by Fisher's exact test over the strata. Many tests at once are corrected by Holm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def binomial_tails(some: int, n: int, rate: float) -> tuple[float, float]:
    """How likely so few of n are, and so many, where each is so with this rate: both tails, exact.

    A rate is in Clopper and Pearson's interval where neither tail is below half the level.
    """
    if not 0 < rate < 1:
        return (1.0, 1.0) if some == n * rate else (0.0, 0.0)
    few = math.fsum(math.exp(_chance(k, n, rate)) for k in range(some + 1))
    return min(1.0, few), min(1.0, max(0.0, 1 - few) + math.exp(_chance(some, n, rate)))


def at_least(some: int, n: int, *, confidence: float) -> float:
    """Clopper and Pearson's one-sided bound: the rate is no lower with this confidence, whatever it is."""
    low, high = 0.0, some / n if n else 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if binomial_tails(some, n, middle)[1] > 1 - confidence else (middle, high)
    return low


def _chance(some: int, n: int, rate: float) -> float:
    """The logarithm of the chance of exactly so many."""
    return _ways(n, some) + some * math.log(rate) + (n - some) * math.log1p(-rate)


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


@dataclass(frozen=True)
class RateDifference:
    """One rate less another, and its 95 % interval."""

    rate: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        """The three numbers."""
        return {"difference": self.rate, "interval": [self.low, self.high]}


Strata = Sequence[tuple[Share, Share]]


def newcombe(one: Share, other: Share) -> RateDifference | None:
    """The difference of two rates with Newcombe's interval, out of Wilson's of each; None where one is of none."""
    if one.rate is None or other.rate is None:
        return None
    (low, high), (down, up) = one.interval, other.interval
    apart = one.rate - other.rate
    under = math.hypot(one.rate - low, up - other.rate)
    over = math.hypot(high - one.rate, other.rate - down)
    return RateDifference(apart, apart - under, apart + over)


def mantel_haenszel(strata: Strata) -> RateDifference | None:
    """The difference of two rates over the strata that have both; None where none has.

    The interval is of those differences that Sato's variance, taken at them, does not rule out. Where no stratum has
    any variance (nothing fails, say) it is Newcombe's of all together.
    """
    weight = moved = slope = level = 0.0
    for one, other in strata:
        x, n, y, m = one.some, one.n, other.some, other.n
        if not n or not m:
            continue
        weight += n * m / (n + m)
        moved += (x * m - y * n) / (n + m)
        slope += (n * n * y - m * m * x + n * m * (m - n) / 2) / (n + m) ** 2
        level += (x * (m - y) + y * (n - x)) / (2 * (n + m))
    if not weight:
        return None
    if not level:
        return _alike([pair for pair in strata if pair[0].n and pair[1].n])
    apart, square = moved / weight, Z * Z / weight**2
    middle = apart + square * slope / 2
    half = math.sqrt(max(0.0, middle**2 - apart**2 + square * level))
    return RateDifference(apart, max(-1.0, middle - half), min(1.0, middle + half))


def _alike(strata: Strata) -> RateDifference | None:
    one, other = (
        Share(sum(s.some for s in side), sum(s.n for s in side)) for side in zip(*strata, strict=True)
    )
    all_together = newcombe(one, other)
    return all_together and RateDifference(0.0, min(0.0, all_together.low), max(0.0, all_together.high))


def exact(strata: Strata) -> float:
    """The two-sided p of Fisher's exact test over strata: as if who fails in each were drawn by lot."""
    import numpy as np

    chances, lowest, seen = np.ones(1), 0, 0
    for one, other in strata:
        if one.n and other.n:
            first, some = _lots(one.n, other.n, one.some + other.some)
            chances, lowest, seen = np.convolve(chances, some), lowest + first, seen + one.some
    found = chances[seen - lowest]
    return min(1.0, float(chances[chances <= found * (1 + 1e-7)].sum() / chances.sum()))


def _lots(n: int, m: int, failed: int) -> tuple[int, list[float]]:
    """How likely each count among the first n is where `failed` of n + m are drawn: the least count, the chances."""
    counts = range(max(0, failed - m), min(failed, n) + 1)
    whole = _ways(n + m, failed)
    return counts[0], [math.exp(_ways(n, k) + _ways(m, failed - k) - whole) for k in counts]


def _ways(n: int, k: int) -> float:
    """The logarithm of how many ways there are to draw k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def holm(ps: Sequence[float]) -> list[float]:
    """The p of each of many tests, corrected by Holm: below 0.05 in one case of twenty if nothing differs anywhere."""
    found, least = [1.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        found[i] = least
    return found
