"""Scores of texts that a predictor did not write: the log-probability of each byte.

A model scores texts by its capability `scores_text`. The interpreter gives every value of a finite draw the same
probability, and everything else probability 1. Servers report log-probabilities of their own text only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.core.hidden import possibilities
from worldline.plan.futures.draws import find_draws
from worldline.plan.futures.walk import is_random
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor, ScoresText

LogProbs = NDArray[np.float64]


def text_scorer(predictor: Predictor) -> ScoresText | None:
    """Return the scorer of a predictor; None if it cannot score texts that it did not write."""
    return EvenOdds() if predictor.info.is_ground_truth else predictor.capabilities.scores_text


def require_text_scorer(predictor: Predictor) -> ScoresText:
    """Return the scorer of a predictor; UsageError if it has none."""
    odds = text_scorer(predictor)
    if odds is None:
        raise UsageError(f"{predictor.info.name} cannot score texts that it did not write")
    return odds


class EvenOdds:
    """The odds of the interpreter: the values of a finite draw are equally likely, the rest is certain."""

    def score(self, request: PredictionRequest, texts: Sequence[bytes], /) -> list[LogProbs]:
        """Score each text after `request.given`."""
        return [self._read(request.given + text)[len(request.given) :] for text in texts]

    def _read(self, text: bytes) -> LogProbs:
        logprobs = np.zeros(len(text))
        for place in find_draws(text):
            if is_random(place.kind) and (n := possibilities(place.kind)):
                logprobs[place.start] = -np.log(n)
        return logprobs
