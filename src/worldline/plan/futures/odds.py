"""How likely a predictor takes texts to be that it did not write: the log-probability of each of their bytes.

A model has the odds that its capability `scores_text` tells. The interpreter takes every value of a finite draw for as
likely as the others, and all else for certain. Servers tell log-probabilities of their own text alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.core.hidden import possibilities
from worldline.plan.futures.draws import draw_places
from worldline.plan.futures.walk import is_chance
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor, ScoresText

LogProbs = NDArray[np.float64]


def odds_of(predictor: Predictor) -> ScoresText | None:
    """The odds of a predictor; None of one that does not tell how likely a text is that it did not write."""
    return EvenOdds() if predictor.info.is_ground_truth else predictor.capabilities.scores_text


def certain_odds(predictor: Predictor) -> ScoresText:
    """The same, for who cannot do without."""
    odds = odds_of(predictor)
    if odds is None:
        raise UsageError(f"{predictor.info.name} does not tell how likely a text is that it did not write")
    return odds


class EvenOdds:
    """What the interpreter knows: each value of a finite draw is as likely as the others, the rest is certain."""

    def score(self, request: PredictionRequest, texts: Sequence[bytes], /) -> list[LogProbs]:
        """Of each text behind `request.given`."""
        return [self._read(request.given + text)[len(request.given) :] for text in texts]

    def _read(self, text: bytes) -> LogProbs:
        logprobs = np.zeros(len(text))
        for place in draw_places(text):
            if is_chance(place.kind) and (n := possibilities(place.kind)):
                logprobs[place.start] = -np.log(n)
        return logprobs
