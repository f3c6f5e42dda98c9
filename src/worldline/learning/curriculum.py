"""From what was measured to what comes how often: pure sums, no model and no file.

A lesson teaches most where it is nearly within reach: a trace of probability p counts 4 p (1 - p), so that what is
mastered and what is hopeless count little. A lesson's factor is its mean of that beside the mean of all, within limits.
Spacings of sparse reveals are a ladder: the next one opens when the largest open one is held.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from worldline.core.errors import FormatError
from worldline.data.lessons import KIND, MODE, OPERATION, REVEAL, SOURCE

# For each axis: how far its factors reach, 1 / limit to limit, and how many results the mean of all counts as.
LIMITS = {KIND: (4.0, 6.0), SOURCE: (2.0, 6.0), MODE: (1.5, 12.0), OPERATION: (2.0, 40.0)}
KEPT = 0.85  # of what was measured before, at each new set
FIRST = 2  # the spacing that is open from the beginning
HELD, ENOUGH = 0.8, 12.0  # a spacing is held: this share of traces written to the letter, of so many
SHARES = (0.5, 0.25)  # of the largest open spacing and the one before; the others share the rest
CLOSED = 0.15  # of all, for those that are not open yet: without it they are forgotten in minutes


@dataclass(frozen=True)
class LessonTally:
    """Results added up, older ones counting less: how many, right, their chances, and what they can teach."""

    n: float = 0.0
    right: float = 0.0
    sure: float = 0.0
    gain: float = 0.0

    def plus(self, other: LessonTally) -> LessonTally:
        """Both together."""
        return LessonTally(*(a + b for a, b in zip(self._sums, other._sums, strict=True)))

    def times(self, share: float) -> LessonTally:
        """The same, counting so much less."""
        return LessonTally(*(share * each for each in self._sums))

    @property
    def _sums(self) -> tuple[float, float, float, float]:
        return self.n, self.right, self.sure, self.gain

    @property
    def rate(self) -> float:
        """The share that is right."""
        return self.right / self.n if self.n else 0.0


@dataclass(frozen=True)
class Result:
    """One drill, or one step of it, under one label: is every byte the likeliest, and how likely were all of them."""

    label: str
    right: bool
    logprob: float

    def tally(self) -> LessonTally:
        """As a tally of one."""
        chance = math.exp(min(0.0, self.logprob))
        return LessonTally(1.0, float(self.right), chance, 4 * chance * (1 - chance))


@dataclass(frozen=True)
class Curriculum:
    """What is known of a model by label, the largest spacing that is open, and the factors that follow."""

    tallies: Mapping[str, LessonTally] = field(default_factory=dict)
    opened: int = FIRST
    factors: Mapping[str, float] = field(default_factory=dict)
    sets: int = 0

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "factors": {label: round(value, 4) for label, value in self.factors.items()},
            "opened": self.opened,
            "sets": self.sets,
            "tallies": {label: asdict(tally) for label, tally in self.tallies.items()},
        }


def from_json(data: Any) -> Curriculum:
    """What `to_json` gave."""
    try:
        tallies = {
            label: LessonTally(**{name: float(value) for name, value in tally.items()})
            for label, tally in data["tallies"].items()
        }
        factors = {label: float(value) for label, value in data["factors"].items()}
        return Curriculum(tallies, int(data["opened"]), factors, int(data["sets"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"not a curriculum: {error!r}") from error


def beginning(spacings: Mapping[int, float]) -> Curriculum:
    """Nothing is known; of the mixture's spacings the first one is open."""
    return replace(moved(Curriculum(), (), spacings), sets=0)


def moved(before: Curriculum, results: Iterable[Result], spacings: Mapping[int, float]) -> Curriculum:
    """The curriculum after one more set of drills; `spacings` are those of the mixture with their weights."""
    fresh: dict[str, LessonTally] = {}
    for result in results:
        fresh[result.label] = fresh.get(result.label, LessonTally()).plus(result.tally())
    old = {label: tally.times(KEPT) for label, tally in before.tallies.items()}
    tallies = {
        label: old.get(label, LessonTally()).plus(fresh.get(label, LessonTally())) for label in old | fresh
    }
    opened = _opened(before.opened, tallies, spacings)
    factors = {**factors_of(tallies), **_ladder(opened, spacings)}
    return replace(before, tallies=tallies, opened=opened, factors=factors, sets=before.sets + 1)


def factors_of(tallies: Mapping[str, LessonTally]) -> dict[str, float]:
    """For each label of an axis its gain beside the mean gain of its axis, shrunk to 1 while little is known of it."""
    found = {}
    for axis, (limit, weight) in LIMITS.items():
        named = {label: tally for label, tally in tallies.items() if label.startswith(axis + " ")}
        n = sum(tally.n for tally in named.values())
        mean = sum(tally.gain for tally in named.values()) / n if n else 0.0
        for label, tally in named.items():
            known = (tally.gain + weight * mean) / (tally.n + weight)
            found[label] = min(limit, max(1 / limit, known / mean)) if mean > 0 else 1.0
    return found


def _opened(opened: int, tallies: Mapping[str, LessonTally], spacings: Mapping[int, float]) -> int:
    exam = tallies.get(f"{REVEAL} {opened}", LessonTally())
    later = [spacing for spacing in spacings if spacing > opened]
    return min(later) if later and exam.n >= ENOUGH and exam.rate >= HELD else opened


def _ladder(opened: int, spacings: Mapping[int, float]) -> dict[str, float]:
    """Factors that give most of the weight of sparse reveals to the open spacings, most of that to the largest."""
    total, reached = sum(spacings.values()), sorted((s for s in spacings if s <= opened), reverse=True)
    rest, closed = len(reached) - len(SHARES), sum(weight for s, weight in spacings.items() if s > opened)
    shares = dict(zip(reached, (*SHARES, *[(1 - sum(SHARES)) / max(1, rest)] * max(0, rest)), strict=False))
    kept = CLOSED if closed else 0.0
    scale = (1 - kept) * total / sum(shares.values()) if shares else 0.0
    return {
        f"{REVEAL} {spacing}": scale * shares[spacing] / weight
        if spacing in shares
        else kept * total / closed
        for spacing, weight in spacings.items()
    }
