"""Compute curriculum factors from measured results. Pure functions: no model, no files.

A lesson teaches most where the model nearly succeeds: a trace of probability p counts 4 p (1 - p), so
mastered and hopeless lessons count little. A lesson's factor is its mean gain over the mean of its axis,
within limits. Spacings of sparse reveals open one after another, when the largest open one is mastered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from worldline.core.errors import FormatError
from worldline.data.lessons import KIND, MODE, OPERATION, REVEAL, SOURCE

# For each axis: the largest factor (and its inverse, the smallest), and the weight of the mean of all.
FACTOR_LIMITS = {KIND: (4.0, 6.0), SOURCE: (2.0, 6.0), MODE: (1.5, 12.0), OPERATION: (2.0, 40.0)}
# Weight of earlier results at each new set.
TALLY_DECAY = 0.85
# The spacing that is open from the start.
FIRST_SPACING = 2
# A spacing is mastered at this share of exact traces, of at least this many.
MASTERED_RATE, MIN_EXAMS = 0.8, 12.0
# Shares of the largest open spacing and the one before; the others share the rest.
OPEN_SHARES = (0.5, 0.25)
# Share of spacings that are not open: without it they are forgotten in minutes.
CLOSED_SHARE = 0.15


@dataclass(frozen=True)
class LessonTally:
    """Decayed sums of results: number, right ones, probabilities, and gains."""

    n: float = 0.0
    right: float = 0.0
    sure: float = 0.0
    gain: float = 0.0

    def plus(self, other: LessonTally) -> LessonTally:
        """Add two tallies."""
        return LessonTally(*(a + b for a, b in zip(self._sums, other._sums, strict=True)))

    def times(self, share: float) -> LessonTally:
        """Scale a tally."""
        return LessonTally(*(share * value for value in self._sums))

    @property
    def _sums(self) -> tuple[float, float, float, float]:
        return self.n, self.right, self.sure, self.gain

    @property
    def rate(self) -> float:
        """Share that is right."""
        return self.right / self.n if self.n else 0.0


@dataclass(frozen=True)
class DrillResult:
    """Result of a drill or one of its steps under one label: exactness and log-probability."""

    label: str
    right: bool
    logprob: float

    def tally(self) -> LessonTally:
        """Convert to a tally of one."""
        chance = math.exp(min(0.0, self.logprob))
        return LessonTally(1.0, float(self.right), chance, 4 * chance * (1 - chance))


@dataclass(frozen=True)
class Curriculum:
    """Tallies by label, the largest open spacing, and the resulting factors."""

    tallies: Mapping[str, LessonTally] = field(default_factory=dict)
    opened: int = FIRST_SPACING
    factors: Mapping[str, float] = field(default_factory=dict)
    sets: int = 0

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON."""
        return {
            "factors": {label: round(value, 4) for label, value in self.factors.items()},
            "opened": self.opened,
            "sets": self.sets,
            "tallies": {label: asdict(tally) for label, tally in self.tallies.items()},
        }


def from_json(data: Any) -> Curriculum:
    """Parse what `Curriculum.to_json` returned; raise FormatError if it is damaged."""
    try:
        tallies = {
            label: LessonTally(**{name: float(value) for name, value in tally.items()})
            for label, tally in data["tallies"].items()
        }
        factors = {label: float(value) for label, value in data["factors"].items()}
        return Curriculum(tallies, int(data["opened"]), factors, int(data["sets"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"not a curriculum: {error!r}") from error


def initial_curriculum(spacings: Mapping[int, float]) -> Curriculum:
    """Create a curriculum without results, with the first of the mixture's spacings open."""
    return replace(update_curriculum(Curriculum(), (), spacings), sets=0)


def update_curriculum(before: Curriculum, results: Iterable[DrillResult], spacings: Mapping[int, float]) -> Curriculum:
    """Update a curriculum with the results of one set of drills.

    Args:
        before: Current curriculum.
        results: Results of the set.
        spacings: Spacings of the mixture with their weights.

    Returns:
        The new curriculum.
    """
    fresh: dict[str, LessonTally] = {}
    for result in results:
        fresh[result.label] = fresh.get(result.label, LessonTally()).plus(result.tally())
    old = {label: tally.times(TALLY_DECAY) for label, tally in before.tallies.items()}
    tallies = {label: old.get(label, LessonTally()).plus(fresh.get(label, LessonTally())) for label in old | fresh}
    opened = _open_spacing(before.opened, tallies, spacings)
    factors = {**compute_factors(tallies), **_spacing_factors(opened, spacings)}
    return replace(before, tallies=tallies, opened=opened, factors=factors, sets=before.sets + 1)


def compute_factors(tallies: Mapping[str, LessonTally]) -> dict[str, float]:
    """Compute each label's gain over the mean gain of its axis, shrunk towards 1 while data is scarce."""
    factors = {}
    for axis, (limit, weight) in FACTOR_LIMITS.items():
        named = {label: tally for label, tally in tallies.items() if label.startswith(axis + " ")}
        n = sum(tally.n for tally in named.values())
        mean = sum(tally.gain for tally in named.values()) / n if n else 0.0
        for label, tally in named.items():
            known = (tally.gain + weight * mean) / (tally.n + weight)
            factors[label] = min(limit, max(1 / limit, known / mean)) if mean > 0 else 1.0
    return factors


def _open_spacing(opened: int, tallies: Mapping[str, LessonTally], spacings: Mapping[int, float]) -> int:
    exam = tallies.get(f"{REVEAL} {opened}", LessonTally())
    later = [spacing for spacing in spacings if spacing > opened]
    return min(later) if later and exam.n >= MIN_EXAMS and exam.rate >= MASTERED_RATE else opened


def _spacing_factors(opened: int, spacings: Mapping[int, float]) -> dict[str, float]:
    """Factors that give most of the weight to open spacings, and most of that to the largest."""
    total, reached = sum(spacings.values()), sorted((s for s in spacings if s <= opened), reverse=True)
    rest, closed = (len(reached) - len(OPEN_SHARES), sum(weight for s, weight in spacings.items() if s > opened))
    shares = dict(zip(reached, (*OPEN_SHARES, *[(1 - sum(OPEN_SHARES)) / max(1, rest)] * max(0, rest)), strict=False))
    closed_share = CLOSED_SHARE if closed else 0.0
    scale = (1 - closed_share) * total / sum(shares.values()) if shares else 0.0
    return {
        f"{REVEAL} {spacing}": scale * shares[spacing] / weight if spacing in shares else closed_share * total / closed
        for spacing, weight in spacings.items()
    }
