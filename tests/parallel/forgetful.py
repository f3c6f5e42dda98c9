"""A model that writes the truth, and stops early for every third program."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest


class Forgetful:
    """Decides by the program alone, so that it answers alike wherever and in whatever order it is asked."""

    name = "forgetful"

    def predict(self, asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
        """The interpreter's text, or its first half."""
        for ask, found in zip(asks, load_model("interpreter", {}).predict(asks), strict=True):
            is_short = hashlib.sha256(ask.program.source.encode()).digest()[0] % 3 == 0
            yield (
                replace(found, text=found.text[: len(found.text) // 2], status="budget")
                if is_short
                else found
            )
