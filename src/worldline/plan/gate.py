"""From how sure a model was to how often it is right on the code at hand, at least: isotonic, with a bound.

Recorded runs, ordered by score, are pooled where a surer one is not oftener right (pool adjacent violators, Ayer et al.
1955). Of each pool Clopper and Pearson's one-sided bound is taken, and of a score the best bound at or below it: the
surer is not oftener wrong. So a probability is a bound that holds for four ledgers of five, not a mean. 32 right of 32
make 0.95. Below 30 entries there is no gate.
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

FEWEST = 30
CONFIDENCE = 0.8  # with which a pool's bound holds


@dataclass(frozen=True)
class GatePool:
    """Entries from one score on: how many were right of how many."""

    lowest: float
    right: int
    n: int

    @property
    def rate(self) -> float:
        """The share that was right."""
        return self.right / self.n


@dataclass(frozen=True)
class Gate:
    """Pools by their lowest score, upwards, and what each is worth; fitted on `n` entries."""

    pools: tuple[GatePool, ...]
    bounds: tuple[float, ...]
    n: int

    @classmethod
    def fit(cls, entries: Iterable[LedgerEntry], *, confidence: float = CONFIDENCE) -> Gate:
        """The gate of a ledger; UsageError where it is too short to tell."""
        scored = [(entry.score, entry.is_right) for entry in entries if entry.score is not None]
        return cls.of_scores(scored, confidence=confidence)

    @classmethod
    def of_scores(cls, scored: Iterable[tuple[float, bool]], *, confidence: float = CONFIDENCE) -> Gate:
        """The same of scores, and whether each was right."""
        points = sorted(scored)
        if len(points) < FEWEST:
            raise UsageError(
                f"{len(points)} recorded runs of this code are too few to tell how sure a model is: it takes {FEWEST}"
            )
        pools = pooled(points)
        bounds, best = list[float](), 0.0
        for pool in pools:
            best = max(best, at_least(pool.right, pool.n, confidence=confidence))
            bounds.append(best)
        return cls(pools, tuple(bounds), len(points))

    def probability(self, score: float) -> float:
        """How likely what was imagined with this score is right, at least."""
        at = bisect_right([pool.lowest for pool in self.pools], score)
        return self.bounds[at - 1] if at else 0.0


def pooled(points: Iterable[tuple[float, bool]]) -> tuple[GatePool, ...]:
    """Entries in the order of their scores, pooled until each pool is oftener right than the one below it."""
    pools = list[GatePool]()
    for score, same in groupby(points, itemgetter(0)):
        rights = [is_right for _, is_right in same]
        now = GatePool(score, sum(rights), len(rights))
        while pools and pools[-1].rate >= now.rate:
            last = pools.pop()
            now = GatePool(last.lowest, last.right + now.right, last.n + now.n)
        pools.append(now)
    return tuple(pools)


def gate_of(entries: Sequence[LedgerEntry]) -> Gate | None:
    """The gate of a ledger's entries; None while they are too few to tell."""
    return Gate.fit(entries) if len(entries) >= FEWEST else None
