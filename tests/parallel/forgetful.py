"""A model that writes the truth, and stops early for every third program."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest


class Forgetful:
    """Decides by the program and the seed alone, so that it answers alike wherever it is asked, in any order."""

    name = "forgetful"

    def __init__(self, seed: str = "") -> None:
        self._seed = seed

    def predict(self, asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
        """The interpreter's text, or its first half."""
        for ask, found in zip(asks, load_model("interpreter", {}).predict(asks), strict=True):
            decided = ask.program.source + self._seed
            is_short = hashlib.sha256(decided.encode()).digest()[0] % 3 == 0
            yield (replace(found, text=found.text[: len(found.text) // 2], status="budget") if is_short else found)
