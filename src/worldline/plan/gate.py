"""Calibration: map a model's score to a lower bound on how often it is right on this code.

The recorded executions are ordered by score and pooled until confidence and accuracy rise together (pool adjacent
violators, Ayer et al. 1955). Each pool has its one-sided Clopper-Pearson bound; a score gets the best bound at or below
it. A probability is therefore a bound that holds for four ledgers of five, not a mean: 32 right of 32 give 0.95. With
fewer than 30 entries there is no gate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from worldline.core.errors import UsageError
from worldline.core.stats import at_least
from worldline.plan.ledger import LedgerEntry

MIN_ENTRIES = 30
CONFIDENCE = 0.8  # of the bound of each pool


@dataclass(frozen=True)
class GatePool:
    """Entries from one score upwards: how many there are, and how many were right."""

    lowest: float
    right: int
    n: int

    @property
    def rate(self) -> float:
        """The share of right predictions."""
        return self.right / self.n


@dataclass(frozen=True)
class Gate:
    """Pools in the order of their lowest scores, each with its bound; fitted on `n` entries."""

    pools: tuple[GatePool, ...]
    bounds: tuple[float, ...]
    n: int

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
        if len(points) < MIN_ENTRIES:
            raise UsageError(
                f"{len(points)} recorded executions of this code are too few to calibrate: {MIN_ENTRIES} are needed"
            )
        pools = pool_entries(points)
        bounds, best = list[float](), 0.0
        for pool in pools:
            best = max(best, at_least(pool.right, pool.n, confidence=confidence))
            bounds.append(best)
        return cls(pools, tuple(bounds), len(points))

    def probability(self, score: float) -> float:
        """Return the lower bound on the probability that a prediction with this score is right."""
        at = bisect_right([pool.lowest for pool in self.pools], score)
        return self.bounds[at - 1] if at else 0.0


def pool_entries(points: Iterable[tuple[float, bool]]) -> tuple[GatePool, ...]:
    """Pool entries, ordered by score, until each pool is right more often than the one below it."""
    pools = list[GatePool]()
    for score, same in groupby(points, itemgetter(0)):
        rights = [is_right for _, is_right in same]
        now = GatePool(score, sum(rights), len(rights))
        while pools and pools[-1].rate >= now.rate:
            last = pools.pop()
            now = GatePool(last.lowest, last.right + now.right, last.n + now.n)
        pools.append(now)
    return tuple(pools)


def fit_gate(entries: Sequence[LedgerEntry]) -> Gate | None:
    """Fit a gate on the entries; None if there are too few."""
    return Gate.fit(entries) if len(entries) >= MIN_ENTRIES else None
