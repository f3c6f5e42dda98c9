"""The probability of each outcome: exact, within a bound, or estimated from samples. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from worldline.core.stats import wilson

ZERO = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """The mass of each possible outcome, by its text, the most likely first.

    `left` is the mass that was not explored. If `samples` is not 0, the masses are shares of that many samples.
    """

    mass: Mapping[str, Fraction] = field(default_factory=dict)
    left: Fraction = ZERO
    samples: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether nothing was sampled or left out."""
        return not self.samples and not self.left

    def interval(self, outcome: str) -> tuple[float, float]:
        """Return bounds on the true mass: Wilson's 95 % interval for samples, otherwise certain bounds."""
        mass = self.mass.get(outcome, ZERO)
        if self.samples:
            return wilson(int(mass * self.samples), self.samples)
        return float(mass), float(mass + self.left)

    def shares(self) -> dict[str, float]:
        """Return the masses as shares of the known mass; they sum to 1."""
        known = sum(self.mass.values(), ZERO)
        return {outcome: float(mass / known) for outcome, mass in self.mass.items()} if known else {}

    def as_json(self) -> dict[str, Any]:
        """Return every mass with its interval, and as a fraction if it is exact."""
        rows = [
            {
                "what": outcome,
                "mass": float(mass),
                "interval": list(self.interval(outcome)),
                "exact": None if self.samples else str(mass),
            }
            for outcome, mass in self.mass.items()
        ]
        return {"rows": rows, "left": float(self.left), "samples": self.samples, "exact": self.is_exact}


def from_weights(parts: Iterable[tuple[str, Fraction]], left: Fraction = ZERO) -> Distribution:
    """Build a distribution from outcomes with weights; an outcome may repeat."""
    mass: dict[str, Fraction] = {}
    for outcome, weight in parts:
        mass[outcome] = mass.get(outcome, ZERO) + weight
    return Distribution(mass=_sorted(mass), left=left)


def from_samples(parts: Iterable[str]) -> Distribution:
    """Build a distribution from samples."""
    counts: dict[str, int] = {}
    for outcome in parts:
        counts[outcome] = counts.get(outcome, 0) + 1
    n = sum(counts.values())
    return Distribution(mass=_sorted({outcome: Fraction(count, n) for outcome, count in counts.items()}), samples=n)


def _sorted(mass: Mapping[str, Fraction]) -> dict[str, Fraction]:
    return dict(sorted(mass.items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0])))
