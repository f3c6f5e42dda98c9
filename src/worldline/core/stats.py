"""Rates, their differences and tests: of one group, of two groups, and of samples before and after a change.

Samples before and after a change are compared by McNemar's exact test and Tango's score interval. Two groups are
compared by Newcombe's interval. Where a covariate such as length separates the groups, they are compared within its
strata: by Mantel and Haenszel's difference with Klingenberg's interval (Statistics in Medicine 33:2968, 2014) and by
Fisher's exact test over the strata. Several tests are corrected by Holm's method. `clusters` has intervals for values
that are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# The 97.5 % quantile of the normal distribution, for 95 % intervals.
Z = 1.959963984540054
ALPHA = 0.05


def mcnemar(lost: int, gained: int) -> float:
    """Return McNemar's exact two-sided p-value for samples lost and gained."""
    n, term, total = lost + gained, 1, 0
    for k in range(min(lost, gained) + 1):
        total += term
        term = term * (n - k) // (k + 1)
    return min(1.0, 2 * total / (1 << n))


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate: (0, 1) for n = 0. An effective n need not be whole."""
    if n == 0:
        return 0.0, 1.0
    rate, square = successes / n, Z * Z
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    return low, 1.0 if successes == n else min(1.0, middle + half)


def binomial_tails(successes: int, n: int, rate: float) -> tuple[float, float]:
    """Return the exact probabilities of at most and of at least this many successes.

    A rate lies in Clopper and Pearson's interval if neither tail is below half the significance level.

    Args:
        successes: How many of n succeeded.
        n: The number of trials.
        rate: The success probability of each trial.

    Returns:
        P(X <= successes) and P(X >= successes).
    """
    if not 0 < rate < 1:
        return (1.0, 1.0) if successes == n * rate else (0.0, 0.0)
    lower = math.fsum(math.exp(_log_probability(k, n, rate)) for k in range(successes + 1))
    return min(1.0, lower), min(1.0, max(0.0, 1 - lower) + math.exp(_log_probability(successes, n, rate)))


def at_least(successes: int, n: int, *, confidence: float) -> float:
    """Return Clopper and Pearson's one-sided lower bound of a rate.

    Args:
        successes: How many of n succeeded.
        n: The number of trials.
        confidence: The probability that the true rate is at least the bound.

    Returns:
        The lower bound.
    """
    low, high = 0.0, successes / n if n else 0.0
    for _ in range(50):
        middle = (low + high) / 2
        upper_tail = binomial_tails(successes, n, middle)[1]
        low, high = (low, middle) if upper_tail > 1 - confidence else (middle, high)
    return low


def _log_probability(successes: int, n: int, rate: float) -> float:
    return _log_choose(n, successes) + successes * math.log(rate) + (n - successes) * math.log1p(-rate)


@dataclass(frozen=True)
class Share:
    """A proportion: `some` of `n`."""

    some: int
    n: int

    @property
    def rate(self) -> float | None:
        """The proportion as a number, or None if n is 0."""
        return self.some / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.some, self.n)

    def as_json(self) -> dict[str, Any]:
        return {"some": self.some, "n": self.n, "rate": self.rate, "interval": list(self.interval)}


@dataclass(frozen=True)
class Paired:
    """Outcomes of the same samples before and after a change."""

    right: int = 0
    regressed: int = 0
    recovered: int = 0
    wrong: int = 0

    @property
    def n(self) -> int:
        return self.right + self.regressed + self.recovered + self.wrong

    @property
    def net(self) -> int:
        return self.recovered - self.regressed

    @property
    def p(self) -> float:
        """McNemar's exact p-value."""
        return mcnemar(self.regressed, self.recovered)

    @property
    def recovery(self) -> Share:
        """The share of wrong samples that are right after the change."""
        return Share(self.recovered, self.recovered + self.wrong)

    @property
    def regression(self) -> Share:
        """The share of right samples that are wrong after the change."""
        return Share(self.regressed, self.regressed + self.right)

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            **self.__dict__,
            "net": self.net,
            "p": self.p,
            "recovery": self.recovery.as_json(),
            "regression": self.regression.as_json(),
        }


@dataclass(frozen=True)
class RateDifference:
    """The difference of two rates with its 95 % interval."""

    rate: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        return {"difference": self.rate, "interval": [self.low, self.high]}


def tango(paired: Paired) -> RateDifference | None:
    """Return the change of the share of right samples with Tango's score interval.

    The interval holds the changes that a score test, which is McNemar's for no change, does not reject (Statistics in
    Medicine 17:891, 1998).

    Args:
        paired: The outcomes of the samples before and after.

    Returns:
        The rate after minus the rate before, or None without samples.
    """
    n, gained, lost = paired.n, paired.recovered, paired.regressed
    if not n:
        return None
    change = (gained - lost) / n

    def deviate(delta: float) -> float:
        """How many standard errors the observed change is above a hypothetical one."""
        b, c = (2 * n - gained + lost) * delta - gained - lost, -lost * delta * (1 - delta)
        lost_rate = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
        variance = max(0.0, n * (2 * lost_rate + delta * (1 - delta)))
        above = gained - lost - n * delta
        return above / math.sqrt(variance) if variance else math.copysign(math.inf, above) if above else 0.0

    return RateDifference(change, _crossing(deviate, Z, -1.0, change), _crossing(deviate, -Z, change, 1.0))


def _crossing(deviate: Callable[[float], float], level: float, low: float, high: float) -> float:
    """Where a falling function crosses a level; the end that it does not reach if it does not."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if deviate(middle) > level else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class NetEffect:
    """How many more of a whole population are right after a change, estimated from a sample, with its interval."""

    count: float
    low: float
    high: float


def net_effect(fixed: Share, failing: int, broken: Share, passing: int) -> NetEffect | None:
    """Extrapolate a change from drawn failures and drawn passing samples to all of them.

    Failures and passing samples are two strata, drawn apart without replacement. The number of fixed samples in the one
    and of broken ones in the other each has an exact interval (`population_total`), which is a point once all samples
    are tried. Their difference is combined from both by Newcombe's square-and-add rule, as Zou and Donner apply it to
    any two intervals (Statistics in Medicine 27:1693, 2008). A bootstrap would give no width to 5 of 5.

    Args:
        fixed: The fixed ones of the failures that were tried.
        failing: The number of all failures.
        broken: The broken ones of the passing samples that were tried.
        passing: The number of all passing samples.

    Returns:
        The net number of samples, or None if a stratum that is not empty was not tried.
    """
    if (failing and not fixed.n) or (passing and not broken.n):
        return None
    gained, gained_low, gained_high = _estimated(fixed, failing)
    lost, lost_low, lost_high = _estimated(broken, passing)
    below = math.hypot(gained - gained_low, lost_high - lost)
    above = math.hypot(gained_high - gained, lost - lost_low)
    return NetEffect(gained - lost, gained - lost - below, gained - lost + above)


def _estimated(share: Share, population: int) -> tuple[float, int, int]:
    return (share.rate or 0.0) * population, *population_total(share, population)


def population_total(share: Share, population: int) -> tuple[int, int]:
    """Return the exact 95 % interval of how many of a population succeed, of which a share was drawn and tried.

    It holds the totals that neither tail of the hypergeometric distribution rejects. It has no width if all were tried.
    """
    untried = population - share.n
    if untried <= 0:
        return share.some, share.some
    failures = Share(share.n - share.some, share.n)
    return _least_total(share, population), population - _least_total(failures, population)


def _least_total(share: Share, population: int) -> int:
    """The least number of successes in a population that does not make the drawn number of successes too unlikely."""
    low, high = share.some, share.some + population - share.n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _upper_tail(share, middle, population) > ALPHA / 2 else (middle + 1, high)
    return low


def _upper_tail(share: Share, total: int, population: int) -> float:
    """The probability of drawing at least this many successes if `total` of the population are successes."""
    lowest, chances = _hypergeometric(total, population - total, share.n)
    return math.fsum(chances[max(0, share.some - lowest) :])


Strata = Sequence[tuple[Share, Share]]


def newcombe(first: Share, second: Share) -> RateDifference | None:
    """Return the difference of two rates with Newcombe's interval, or None if either n is 0."""
    if first.rate is None or second.rate is None:
        return None
    (first_low, first_high), (second_low, second_high) = first.interval, second.interval
    difference = first.rate - second.rate
    below = math.hypot(first.rate - first_low, second_high - second.rate)
    above = math.hypot(first_high - first.rate, second.rate - second_low)
    return RateDifference(difference, difference - below, difference + above)


def mantel_haenszel(strata: Strata) -> RateDifference | None:
    """Return Mantel and Haenszel's difference of two rates over strata.

    The interval holds the differences that Sato's variance, evaluated at them, does not reject. If no stratum has any
    variance, the interval is Newcombe's over all strata together.

    Args:
        strata: For each stratum the shares of both groups. Strata in which a group is empty are ignored.

    Returns:
        The difference with its interval, or None if no stratum has both groups.
    """
    weight = moved = slope = level = 0.0
    for first, second in strata:
        x, n, y, m = first.some, first.n, second.some, second.n
        if not n or not m:
            continue
        weight += n * m / (n + m)
        moved += (x * m - y * n) / (n + m)
        slope += (n * n * y - m * m * x + n * m * (m - n) / 2) / (n + m) ** 2
        level += (x * (m - y) + y * (n - x)) / (2 * (n + m))
    if not weight:
        return None
    if not level:
        return _pooled_difference([pair for pair in strata if pair[0].n and pair[1].n])
    difference, square = moved / weight, Z * Z / weight**2
    middle = difference + square * slope / 2
    half = math.sqrt(max(0.0, middle**2 - difference**2 + square * level))
    return RateDifference(difference, max(-1.0, middle - half), min(1.0, middle + half))


def _pooled_difference(strata: Strata) -> RateDifference | None:
    first, second = (
        Share(sum(share.some for share in group), sum(share.n for share in group))
        for group in zip(*strata, strict=True)
    )
    pooled = newcombe(first, second)
    return pooled and RateDifference(0.0, min(0.0, pooled.low), max(0.0, pooled.high))


def exact(strata: Strata) -> float:
    """Return the two-sided p-value of Fisher's exact test over strata."""
    import numpy as np

    probabilities, lowest, observed = np.ones(1), 0, 0
    for first, second in strata:
        if first.n and second.n:
            minimum, chances = _hypergeometric(first.n, second.n, first.some + second.some)
            probabilities = np.convolve(probabilities, chances)
            lowest, observed = lowest + minimum, observed + first.some
    threshold = probabilities[observed - lowest] * (1 + 1e-7)
    return min(1.0, float(probabilities[probabilities <= threshold].sum() / probabilities.sum()))


def _hypergeometric(n: int, m: int, drawn: int) -> tuple[int, list[float]]:
    """The least possible count from the first n when `drawn` of n + m are drawn, and each count's probability."""
    counts = range(max(0, drawn - m), min(drawn, n) + 1)
    total = _log_choose(n + m, drawn)
    return counts[0], [math.exp(_log_choose(n, k) + _log_choose(m, drawn - k) - total) for k in counts]


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def holm(ps: Sequence[float]) -> list[float]:
    """Return the p-values of several tests after Holm's correction, in the same order."""
    corrected, largest = [1.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = largest
    return corrected
