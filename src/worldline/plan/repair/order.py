"""The order of candidates: the probability that each is the fix, from its kind and its prediction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from worldline.core.errors import UsageError
from worldline.plan.repair.candidate import PROPOSED_KIND, RepairCandidate
from worldline.plan.repair.edits.proposer import kind_shares

PROPOSED_SHARE = 0.5  # the joint prior of all candidates of another proposer
BASE_RATE = 0.1  # of changed programs that pass the failing test


@dataclass(frozen=True, kw_only=True)
class RankedCandidate:
    """A candidate with its prior and, if it was predicted, how likely it passes the failing test."""

    candidate: RepairCandidate
    prior: float
    imagined: float | None = None

    @property
    def passing(self) -> float:
        """How likely it passes; the base rate if it was not predicted."""
        return BASE_RATE if self.imagined is None else self.imagined


def with_priors(candidates: Sequence[RepairCandidate], source: str) -> list[RankedCandidate]:
    """Divide the share of each kind among its candidates; sort by prior, then by size."""
    counts, shares = Counter(candidate.kind for candidate in candidates), kind_shares()
    least = min(shares.values())
    own = sum(shares.get(kind, least) for kind in counts if kind != PROPOSED_KIND) or 1.0
    foreign = PROPOSED_SHARE if PROPOSED_KIND in counts else 0.0
    ranked = []
    for candidate in candidates:
        share = foreign if candidate.kind == PROPOSED_KIND else (1 - foreign) * shares.get(candidate.kind, least) / own
        ranked.append(RankedCandidate(candidate=candidate, prior=share / counts[candidate.kind]))
    return sorted(ranked, key=lambda item: (-item.prior, growth(source, item.candidate.source)))


def growth(old: str, new: str) -> int:
    """Return by how many characters a change alters the length of a source; breaks ties."""
    return abs(len(new) - len(old))


CandidateCost = Callable[[RankedCandidate], float]

ORACLE_COSTS: dict[str, CandidateCost] = {
    "none": lambda item: item.candidate.lines.start,
    "random": lambda _: 0.0,
    "prior": lambda _: 0.0,
    "imagined": lambda item: -item.passing,
    "mixed": lambda item: -item.passing * item.prior,
}
"""By oracle, the cost of a candidate: the cheapest is tried first. `prior` keeps the order of `with_priors`."""
ORACLES = tuple(ORACLE_COSTS)


def order_candidates(ranked: Sequence[RankedCandidate], oracle: str, *, seed: int = 0) -> list[RankedCandidate]:
    """Return the candidates best first; ties keep their order.

    A cost does not depend on the results of other candidates. The order is therefore known before the first execution,
    and workers try candidates ahead of it.
    """
    if oracle not in ORACLES:
        raise UsageError(f"the oracle must be one of {', '.join(ORACLES)}, not {oracle!r}")
    if oracle == "random":
        shuffled = sorted(ranked, key=lambda item: item.candidate.source)
        Random(f"repair {seed}").shuffle(shuffled)
        return shuffled
    return sorted(ranked, key=ORACLE_COSTS[oracle])
