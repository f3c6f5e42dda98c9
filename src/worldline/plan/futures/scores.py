"""How far a belief is from the truth: divergence, log-loss, Brier's score, calibration, mass on what cannot be.

Masses by text; in bits. Where something true has no mass in the belief, divergence and log-loss are infinite: counts
are smoothed first (`smoothed`). Less than `ROUNDING` is called 0: logarithms of fractions are not exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ROUNDING = 1e-12
BINS = 10
ProbabilityMasses = Mapping[str, float]
TITLES = {  # of the fields of `Errors`, as they are shown
    "divergence": "divergence (KL), bits", "log_loss": "log-loss, bits", "entropy": "entropy of the truth, bits",
    "brier": "Brier, beyond the least", "calibration": "calibration error", "impossible": "mass on the impossible",
}  # fmt: skip


@dataclass(frozen=True)
class Forecast:
    """Something was believed with a probability, and is true with another; `weight`: how much it counts."""

    believed: float
    true: float
    weight: float = 1.0


@dataclass(frozen=True)
class ReliabilityBin:
    """Forecasts of about one probability: how many, their share of the weight, what was believed, what is true."""

    low: float
    high: float
    n: int
    share: float
    believed: float
    true: float

    def as_json(self) -> dict[str, Any]:
        """Its fields."""
        return dict(self.__dict__)


@dataclass(frozen=True, kw_only=True)
class Errors:
    """What a belief costs. Of the truth itself each is 0, but for `log_loss`, which is then the `entropy`, and
    `brier_score`, then the least possible.

    `divergence` is Kullback and Leibler's from the truth to the belief; `brier` sums squared differences of masses;
    `calibration` is the expected calibration error over the bins; `impossible` the mass on what cannot be.
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
        """Its fields; what is infinite is None."""
        numbers = {name: _finite(value) for name, value in self.__dict__.items() if name != "bins"}
        return {**numbers, "bins": [reliability_bin.as_json() for reliability_bin in self.bins]}


def entropy(truth: ProbabilityMasses) -> float:
    """How open the truth itself is."""
    return _plain(-sum(p * math.log2(p) for p in truth.values() if p > 0))


def log_loss(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """The bits that the truth costs who believes this, on average."""
    total = 0.0
    for outcome, p in truth.items():
        q = belief.get(outcome, 0.0)
        if p > 0 and q <= 0:
            return math.inf
        total -= p * math.log2(q) if p > 0 else 0.0
    return _plain(total)


def divergence(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """Kullback and Leibler's, from the truth to a belief: the bits beyond the entropy."""
    total = 0.0
    for outcome, p in truth.items():
        q = belief.get(outcome, 0.0)
        if p > 0 and q <= 0:
            return math.inf
        total += p * math.log2(p / q) if p > 0 else 0.0
    return _plain(max(total, 0.0))


def brier(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """The squared differences of all masses: Brier's score beyond the least that is possible."""
    every = truth.keys() | belief.keys()
    return _plain(sum((belief.get(outcome, 0.0) - truth.get(outcome, 0.0)) ** 2 for outcome in every))


def brier_least(truth: ProbabilityMasses) -> float:
    """Brier's score of the truth itself."""
    return _plain(sum(p * (1 - p) for p in truth.values()))


def impossible(truth: ProbabilityMasses, belief: ProbabilityMasses) -> float:
    """The mass of a belief on what cannot be."""
    return _plain(sum(q for outcome, q in belief.items() if truth.get(outcome, 0.0) <= 0))


def forecasts(truth: ProbabilityMasses, belief: ProbabilityMasses) -> list[Forecast]:
    """Each thing that is true or believed, as a forecast of its own."""
    every = sorted(truth.keys() | belief.keys())
    return [Forecast(belief.get(outcome, 0.0), truth.get(outcome, 0.0)) for outcome in every]


def reliability(predicted: Iterable[Forecast], *, bins: int = BINS) -> tuple[ReliabilityBin, ...]:
    """Forecasts by what was believed, in bins of one width; those that are empty are left out."""
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
    """The expected calibration error: how far belief and truth are apart in each bin, weighted."""
    return _plain(
        sum(
            reliability_bin.share * abs(reliability_bin.believed - reliability_bin.true)
            for reliability_bin in bins
        )
    )


def smoothed(counts: Mapping[str, int], every: Iterable[str]) -> dict[str, float]:
    """Shares of samples with half a sample more for each thing that is possible or was seen (Jeffreys)."""
    names = {*counts, *every}
    total = sum(counts.values()) + len(names) / 2
    return {name: (counts.get(name, 0) + 0.5) / total for name in sorted(names)}


def errors(
    truth: ProbabilityMasses, belief: ProbabilityMasses, *, smooth: ProbabilityMasses | None = None
) -> Errors:
    """All of them; `smooth` is the belief by which divergence and log-loss are taken, where it is another."""
    bins = reliability(forecasts(truth, belief))
    least, more = brier_least(truth), brier(truth, belief)
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
