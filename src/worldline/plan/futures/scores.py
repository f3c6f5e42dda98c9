"""How far a belief is from the truth: divergence, log-loss, Brier score, calibration, and mass on the impossible.

All in bits. If a true outcome has no mass in the belief, divergence and log-loss are infinite, so counts are smoothed
first (`smooth_counts`). Values below `ROUNDING` count as 0, because logarithms of fractions are not exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ROUNDING = 1e-12
DEFAULT_BINS = 10
ProbabilityMasses = Mapping[str, float]
TITLES = {  # of the fields of `Errors`
    "divergence": "divergence (KL), bits", "log_loss": "log-loss, bits", "entropy": "entropy of the truth, bits",
    "brier": "Brier, beyond the minimum", "calibration": "calibration error", "impossible": "mass on the impossible",
}  # fmt: skip


@dataclass(frozen=True)
class Forecast:
    """The believed and the true probability of one outcome, and its weight."""

    believed: float
    true: float
    weight: float = 1.0


@dataclass(frozen=True)
class ReliabilityBin:
    """Forecasts of similar probability: count, share of the weight, mean belief, mean truth."""

    low: float
    high: float
    n: int
    share: float
    believed: float
    true: float

    def as_json(self) -> dict[str, Any]:
        """Return the fields."""
        return dict(self.__dict__)


@dataclass(frozen=True, kw_only=True)
class Errors:
    """The errors of a belief. For the truth itself each is 0, except `log_loss` (the `entropy`) and `brier_score` (the
    minimum).

    `divergence` is Kullback-Leibler from truth to belief. `brier` sums the squared differences of masses. `calibration`
    is the expected calibration error over the bins. `impossible` is the mass on impossible outcomes.
    """

    divergence: float
    log_loss: float
    entropy: float
    brier: float
    brier_score: float
    brier_least: float
    calibration: float
    impossible: float
    bins: tuple[ReliabilityBin, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the fields; infinite values are None."""
        numbers = {name: _finite(value) for name, value in self.__dict__.items() if name != "bins"}
        return {**numbers, "bins": [reliability_bin.as_json() for reliability_bin in self.bins]}


def entropy(truth: ProbabilityMasses) -> float:
    """Compute the entropy of the truth."""
    return _plain(-sum(p * math.log2(p) for p in truth.values() if p > 0))


def log_loss(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """Compute the expected bits to encode the truth with this belief."""
    total = 0.0
    for outcome, p in truth.items():
        q = belief.get(outcome, 0.0)
        if p > 0 and q <= 0:
            return math.inf
        total -= p * math.log2(q) if p > 0 else 0.0
    return _plain(total)


def divergence(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """Compute the Kullback-Leibler divergence from truth to belief: the bits beyond the entropy."""
    total = 0.0
    for outcome, p in truth.items():
        q = belief.get(outcome, 0.0)
        if p > 0 and q <= 0:
            return math.inf
        total += p * math.log2(p / q) if p > 0 else 0.0
    return _plain(max(total, 0.0))


def brier(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """Sum the squared differences of all masses: the Brier score beyond its minimum."""
    every = truth.keys() | belief.keys()
    return _plain(sum((belief.get(outcome, 0.0) - truth.get(outcome, 0.0)) ** 2 for outcome in every))


def brier_minimum(truth: ProbabilityMasses) -> float:
    """Compute the Brier score of the truth itself: the minimum."""
    return _plain(sum(p * (1 - p) for p in truth.values()))


def impossible(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """Compute the mass of a belief on impossible outcomes."""
    return _plain(sum(q for outcome, q in belief.items() if truth.get(outcome, 0.0) <= 0))


def to_forecasts(truth: ProbabilityMasses, belief: ProbabilityMasses) -> list[Forecast]:
    """Return one forecast per outcome that is true or believed."""
    every = sorted(truth.keys() | belief.keys())
    return [Forecast(belief.get(outcome, 0.0), truth.get(outcome, 0.0)) for outcome in every]


def reliability(predicted: Iterable[Forecast], *, bins: int = DEFAULT_BINS) -> tuple[ReliabilityBin, ...]:
    """Group forecasts by belief into bins of equal width; empty bins are left out."""
    inside: dict[int, list[Forecast]] = {}
    for forecast in predicted:
        inside.setdefault(min(int(forecast.believed * bins), bins - 1), []).append(forecast)
    total = sum(forecast.weight for group in inside.values() for forecast in group)
    return tuple(_bin(number, inside[number], total, bins) for number in sorted(inside))


def _bin(number: int, group: Sequence[Forecast], total: float, bins: int) -> ReliabilityBin:
    weight = sum(forecast.weight for forecast in group)
    believed, true = (
        sum(getattr(forecast, name) * forecast.weight for forecast in group) / weight if weight else 0.0
        for name in ("believed", "true")
    )
    share = weight / total if total else 0.0
    return ReliabilityBin(number / bins, (number + 1) / bins, len(group), share, believed, true)


def calibration_error(bins: Iterable[ReliabilityBin]) -> float:
    """Compute the expected calibration error: the weighted difference of belief and truth per bin."""
    return _plain(
        sum(reliability_bin.share * abs(reliability_bin.believed - reliability_bin.true) for reliability_bin in bins)
    )


def smooth_counts(counts: Mapping[str, int], every: Iterable[str]) -> dict[str, float]:
    """Return shares with half a sample added per outcome that is possible or was seen (Jeffreys)."""
    names = {*counts, *every}
    total = sum(counts.values()) + len(names) / 2
    return {name: (counts.get(name, 0) + 0.5) / total for name in sorted(names)}


def errors(truth: ProbabilityMasses, belief: ProbabilityMasses, *, smooth: ProbabilityMasses | None = None) -> Errors:
    """Compute all errors; divergence and log-loss use the belief `smooth`, if it is set."""
    bins = reliability(to_forecasts(truth, belief))
    least, more = brier_minimum(truth), brier(truth, belief)
    charged = belief if smooth is None else smooth
    return Errors(
        divergence=divergence(truth, charged),
        log_loss=log_loss(truth, charged),
        entropy=entropy(truth),
        brier=more,
        brier_score=least + more,
        brier_least=least,
        calibration=calibration_error(bins),
        impossible=impossible(truth, belief),
        bins=bins,
    )


def _plain(value: float) -> float:
    return 0.0 if abs(value) < ROUNDING else value


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
