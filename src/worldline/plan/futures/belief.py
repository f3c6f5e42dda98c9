"""What a model believes about the futures of a program, measured in two ways.

By texts: the model writes N texts with predicted draws, and their outcomes are counted. By its own odds: along every
true text, the model scores the value of each draw after the true text before it. The product is its mass on that
future; the rest of 1 is on impossible draws. No guide constrains the model there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from worldline.core.hidden import possibilities
from worldline.plan.futures.distribution import Distribution, from_samples
from worldline.plan.futures.draws import find_draws
from worldline.plan.futures.odds import LogProbs
from worldline.plan.futures.scores import (
    Errors,
    Forecast,
    ProbabilityMasses,
    ReliabilityBin,
    errors,
    reliability,
    smooth_counts,
)
from worldline.plan.futures.subject import IMPOSSIBLE, Subject, read_from_prediction
from worldline.plan.futures.walk import is_random
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor, ScoresText

BATCH_SIZE = 64
SMOOTHING_NOTE = "half a text is added for each outcome that is possible or was predicted"


@dataclass(frozen=True, kw_only=True)
class TextBelief:
    """A belief measured by texts: the distribution of their outcomes, and its errors against the truth."""

    distribution: Distribution
    errors: Errors
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON."""
        return {
            "distribution": self.distribution.as_json(),
            "errors": self.errors.as_json(),
            "smoothed": SMOOTHING_NOTE,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, kw_only=True)
class TrueText:
    """One true future: its text, its probability, and its outcome (`what`)."""

    text: bytes
    weight: Fraction
    what: str


@dataclass(frozen=True, kw_only=True)
class OwnOdds:
    """A belief measured by odds: the mass per outcome, the `rest` on impossible draws, and the calibration of draws.

    `whole` is the mass on all true texts, with every byte counted: draws, and what follows from them.
    """

    masses: ProbabilityMasses
    rest: float
    whole: float
    errors: Errors
    draws: tuple[ReliabilityBin, ...]

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON."""
        return {
            "masses": dict(self.masses),
            "rest": self.rest,
            "whole": self.whole,
            "errors": self.errors.as_json(),
            "draws": [reliability_bin.as_json() for reliability_bin in self.draws],
        }


def measure_by_texts(
    predictor: Predictor,
    ask: PredictionRequest,
    subject: Subject,
    truth: Distribution,
    texts: int,
    *,
    fresh: Callable[[int], Predictor] | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> TextBelief | str:
    """Measure a belief by at most `texts` texts, or those written until `enough()`.

    `fresh` returns the predictor of text N, if one predictor would repeat itself (a server with one seed).

    Returns:
        The belief, or the note of the first text that was not written if none was: nothing more is then asked.
    """
    answers, seconds, requested, fault = list[str](), 0.0, 0, ""
    while requested < texts and not (requested and (enough() or not answers)):
        batch_size = 1 if fresh is not None else min(BATCH_SIZE, texts - requested)
        writer = predictor if fresh is None else fresh(requested)
        requested += batch_size
        for prediction in writer.predict([ask] * batch_size):
            seconds += prediction.seconds
            if prediction.status != "fault":
                answers.append(read_from_prediction(subject, ask, prediction))
            else:
                fault = fault or prediction.note
            if enough():
                break
    if not answers:
        return fault
    belief = from_samples(answers)
    counts = {outcome: int(mass * belief.samples) for outcome, mass in belief.mass.items()}
    smooth = smooth_counts(counts, truth.mass)
    return TextBelief(
        distribution=belief, errors=errors(truth.shares(), belief.shares(), smooth=smooth), seconds=seconds
    )


def measure_own_odds(
    odds: ScoresText,
    ask: PredictionRequest,
    futures: Sequence[TrueText],
    *,
    left: float = 0.0,
    enough: Callable[[], bool] = lambda: False,
) -> OwnOdds | None:
    """Measure a belief along all true texts; `left` is the mass they do not cover. None if `enough()` came first."""
    futures, read = sorted(futures, key=lambda future: future.text), list[LogProbs]()
    for first in range(0, len(futures), BATCH_SIZE):  # sorted neighbours share the longest prefixes
        if first and enough():
            return None
        read += odds.score(ask, [future.text for future in futures[first : first + BATCH_SIZE]])
    masses: dict[str, float] = {}
    truth: dict[str, float] = {}
    whole = 0.0
    single: dict[tuple[bytes, bytes], Forecast] = {}
    for future, numbers in zip(futures, read, strict=True):
        drawn = 0.0
        for place in find_draws(future.text):
            n, cost = possibilities(place.kind), float(numbers[place.start : place.end].sum())
            if not n or not is_random(place.kind):
                continue
            drawn += cost
            key = future.text[: place.start], future.text[place.start : place.end]
            known = single.get(key, Forecast(float(np.exp(cost)), 1 / n, 0.0))
            single[key] = replace(known, weight=known.weight + float(future.weight))
        masses[future.what] = masses.get(future.what, 0.0) + float(np.exp(drawn))
        truth[future.what] = truth.get(future.what, 0.0) + float(future.weight)
        whole += float(np.exp(numbers.sum()))
    rest = max(0.0, 1 - left - sum(masses.values()))
    belief = {**masses, IMPOSSIBLE: rest} if rest > 1e-12 else masses
    return OwnOdds(
        masses=masses,
        rest=rest if rest > 1e-12 else 0.0,
        whole=min(1.0, whole),
        errors=errors(truth, belief),
        draws=reliability(single.values()),
    )
