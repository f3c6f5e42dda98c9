"""Calibration: map a model's score to a lower bound on how often it is right on this code.

The recorded executions are ordered by score and pooled until confidence and accuracy rise together (pool adjacent
violators, Ayer et al. 1955). Each pool has its one-sided Clopper-Pearson bound; a score gets the best bound at or below
it. A probability is therefore a bound that holds for four ledgers of five, not a mean: 32 right of 32 give 0.95. With
fewer than 30 entries there is no gate.

Entries may form groups that are right or wrong together, such as the calls of one function. Then a group counts once in
a pool, with the share of its entries there that are right.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from worldline.core.errors import UsageError
from worldline.core.stats import at_least
from worldline.core.text import plural
from worldline.plan.ledger import LedgerEntry

MIN_ENTRIES = 30
CONFIDENCE = 0.8  # of the bound of each pool


@dataclass(frozen=True)
class GatePool:
    """Entries (or groups) from one score upwards: how many there are, and how many were right."""

    lowest: float
    right: float
    n: float

    @property
    def rate(self) -> float:
        """The share of right predictions."""
        return self.right / self.n


@dataclass(frozen=True)
class Gate:
    """Pools in the order of their lowest scores, each with its bound; fitted on `n` entries.

    Predictions with a score up to `closed_to` have no probability, whatever their pool. `basis` says what the
    gate is fitted on, if it is more than executions.
    """

    pools: tuple[GatePool, ...]
    bounds: tuple[float, ...]
    n: int
    closed_to: float = -math.inf
    basis: str = ""

    @property
    def described(self) -> str:
        """What it is fitted on: `120 recorded executions`."""
        return self.basis or plural(self.n, "recorded execution")

    @classmethod
    def fit(cls, entries: Iterable[LedgerEntry], *, confidence: float = CONFIDENCE) -> Gate:
        """Fit a gate on the entries of a ledger.

        Raises:
            UsageError: The ledger has too few entries.
        """
        scored = [(entry.score, entry.is_right) for entry in entries if entry.score is not None]
        return cls.of_scores(scored, confidence=confidence)

    @classmethod
    def of_scores(cls, scored: Iterable[tuple[float, bool]], *, confidence: float = CONFIDENCE) -> Gate:
        """Fit a gate on pairs of a score and whether the prediction was right.

        Raises:
            UsageError: There are too few pairs.
        """
        points = sorted(scored)
        _require_enough(len(points))
        return cls._of_pools(pool_entries(points), len(points), confidence)

    @classmethod
    def of_groups(cls, scored: Iterable[tuple[float, bool, Hashable]], *, confidence: float = CONFIDENCE) -> Gate:
        """Fit a gate on scores, whether each prediction was right, and the group of each.

        Raises:
            UsageError: There are too few groups.
        """
        points = sorted(scored, key=itemgetter(0))
        sizes = Counter(group for _, _, group in points)
        _require_enough(len(sizes))
        pools = _pool((score, is_right / sizes[group], 1 / sizes[group]) for score, is_right, group in points)
        counted = _count_groups(points, [pool.lowest for pool in pools])
        return cls._of_pools(counted, len(points), confidence)

    @classmethod
    def _of_pools(cls, pools: tuple[GatePool, ...], n: int, confidence: float) -> Gate:
        bounds, best = list[float](), 0.0
        for pool in pools:
            best = max(best, at_least(int(pool.right), int(pool.n), confidence=confidence))
            bounds.append(best)
        return cls(pools, tuple(bounds), n)

    def probability(self, score: float) -> float:
        """Return the lower bound on the probability that a prediction with this score is right."""
        at = bisect_right([pool.lowest for pool in self.pools], score)
        return self.bounds[at - 1] if at and score > self.closed_to else 0.0


def pool_entries(points: Iterable[tuple[float, bool]]) -> tuple[GatePool, ...]:
    """Pool entries, ordered by score, until each pool is right more often than the one below it."""
    return _pool((score, is_right, 1) for score, is_right in points)


def _pool(points: Iterable[tuple[float, float, float]]) -> tuple[GatePool, ...]:
    """Pool points, ordered by score, each with the weight that is right and its whole weight."""
    pools = list[GatePool]()
    for score, same in groupby(points, itemgetter(0)):
        rights, weights = zip(*((right, weight) for _, right, weight in same), strict=True)
        now = GatePool(score, sum(rights), sum(weights))
        while pools and pools[-1].rate >= now.rate:
            last = pools.pop()
            now = GatePool(last.lowest, last.right + now.right, last.n + now.n)
        pools.append(now)
    return tuple(pools)


def _count_groups(points: Sequence[tuple[float, bool, Hashable]], lowest: Sequence[float]) -> tuple[GatePool, ...]:
    """Count the groups with entries in each pool, and those that are right; parts of groups count as wrong ones."""
    rights = [dict[Hashable, list[bool]]() for _ in lowest]
    for score, is_right, group in points:
        rights[bisect_right(lowest, score) - 1].setdefault(group, []).append(is_right)
    pools = list[GatePool]()
    for start, groups in zip(lowest, rights, strict=True):
        wrong = sum(answers.count(False) / len(answers) for answers in groups.values())
        pools.append(GatePool(start, len(groups) - math.ceil(wrong - 1e-9), len(groups)))
    return tuple(pools)


def _require_enough(count: int) -> None:
    if count < MIN_ENTRIES:
        raise UsageError(f"{count} recorded executions of this code are too few to calibrate: {MIN_ENTRIES} are needed")


def fit_gate(entries: Sequence[LedgerEntry]) -> Gate | None:
    """Fit a gate on the entries; None if there are too few."""
    return Gate.fit(entries) if len(entries) >= MIN_ENTRIES else None
