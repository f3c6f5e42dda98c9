"""Rates of values that come in clusters, such as the values of one program: intervals, design effects, tests.

Values of one cluster are not independent. The design effect is how many times larger that makes the variance of a
rate: the variance of a ratio of sums over clusters, divided by the variance of as many independent values. The interval
is Wilson's at the effective number of values, which is the number divided by the design effect, with Korn and
Graubard's correction for few clusters (Survey Methodology 24:193, 1998). Differences and p-values are corrected by the
same effect, as Rao and Scott do (JASA 76:221, 1981). Clusters of one value each give exactly the plain results.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from worldline.core.clusters.student import student
from worldline.core.stats import RateDifference, Share, wilson

Counted = tuple[int, int]
"""How many of a cluster's values are counted, and how many values it has."""

TwoCounted = tuple[int, int, int, int]
"""The same of a cluster's values in two groups: some and n of the first, some and n of the second."""


@dataclass(frozen=True)
class ClusteredShare(Share):
    """A proportion of values in clusters. `effective` is the number of independent values that tell as much."""

    clusters: int = 0
    effective: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at the effective number of values."""
        return wilson((self.rate or 0.0) * self.effective, self.effective)

    def as_json(self) -> dict[str, Any]:
        return super().as_json() | {"clusters": self.clusters, "effective_n": self.effective}


def clustered(clusters: Iterable[Counted], *, at_most: int | None = None) -> ClusteredShare:
    """Return the share of all values that are counted, with an interval for clusters.

    The effective number of values is at most their number. It is at least the number that is left if all values of a
    cluster are alike. That bound is also taken where the values say nothing about clusters: in a single cluster, or
    if all or none of the values are counted.

    Args:
        clusters: For each cluster how many of its values are counted, and how many it has. Empty ones are ignored.
        at_most: How many values of one cluster can be counted, if there is such a limit: 1 if only the first failure
            of a program counts.

    Returns:
        The share.
    """
    filled = [cluster for cluster in clusters if cluster[1]]
    some, n = sum(cluster[0] for cluster in filled), sum(cluster[1] for cluster in filled)
    if not n:
        return ClusteredShare(0, 0)
    limits = (size if at_most is None else min(size, at_most) for _, size in filled)
    least = n * n / sum(size * limit for (_, size), limit in zip(filled, limits, strict=True))
    if len(filled) < 2 or some in (0, n):
        return ClusteredShare(some, n, len(filled), least)
    rate = some / n
    squares = math.fsum((count - rate * size) ** 2 for count, size in filled)
    effect = squares / (n * rate * (1 - rate)) * _few_clusters(len(filled), n)
    return ClusteredShare(some, n, len(filled), min(float(n), max(least, n / effect)) if effect else float(n))


def design_effect(strata: Iterable[Mapping[Hashable, TwoCounted]]) -> float:
    """Return the design effect of Mantel and Haenszel's difference of two groups over strata; at least 1.

    Args:
        strata: For each stratum, the counts of each cluster. A cluster may be in several strata and in both groups.

    Returns:
        How many times larger the variance is than that of independent values; 1 if there is no variance at all.
    """
    moved: dict[Hashable, float] = {}
    independent, values = 0.0, 0
    for stratum in strata:
        x, n, y, m = (sum(column) for column in zip(*stratum.values(), strict=True)) if stratum else (0, 0, 0, 0)
        if not n or not m:
            continue
        weight, first, second = n * m / (n + m), x / n, y / m
        independent += weight**2 * (first * (1 - first) / n + second * (1 - second) / m)
        values += n + m
        for key, (some, size, other, other_size) in stratum.items():
            change = (some - first * size) / n - (other - second * other_size) / m
            moved[key] = moved.get(key, 0.0) + weight * change
    if not independent or len(moved) < 2:
        return 1.0
    squares = math.fsum(change * change for change in moved.values())
    return max(1.0, squares / independent * _few_clusters(len(moved), values))


def paired_effect(clusters: Mapping[Hashable, Sequence[int]]) -> float:
    """Return the design effect of the mean of changes (-1, 0 or 1) of samples in clusters; at least 1."""
    changes = [change for members in clusters.values() for change in members]
    if len(clusters) < 2:
        return 1.0
    mean = sum(changes) / len(changes)
    independent = math.fsum((change - mean) ** 2 for change in changes)
    squares = math.fsum((sum(members) - mean * len(members)) ** 2 for members in clusters.values())
    if not independent:
        return 1.0
    return max(1.0, squares / independent * _few_clusters(len(clusters), len(changes)))


def widened(difference: RateDifference | None, effect: float) -> RateDifference | None:
    """Return a difference with its interval widened by a design effect."""
    if difference is None or effect == 1:
        return difference
    factor, rate = math.sqrt(effect), difference.rate
    low, high = rate - factor * (rate - difference.low), rate + factor * (difference.high - rate)
    return RateDifference(rate, max(-1.0, low), min(1.0, high))


def corrected(p: float, effect: float) -> float:
    """Return a two-sided p-value after its deviate was divided by the square root of a design effect."""
    if effect == 1 or not 0 < p < 1:
        return p
    deviate = -NormalDist().inv_cdf(p / 2) / math.sqrt(effect)
    return min(1.0, math.erfc(deviate / math.sqrt(2)))


def _few_clusters(clusters: int, values: int) -> float:
    """The correction for few clusters: 1 if every value is its own cluster."""
    if clusters == values:
        return 1.0
    unbiased = clusters / (clusters - 1) * (values - 1) / values
    return unbiased * (student(clusters - 1) / student(values - 1)) ** 2
