"""What is diagnosed: an ask, what happened, and what was predicted, both in one notation. Pure data."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.errors import UsageError
from worldline.predict.predictor import Ask, Prediction


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One ask, its true steps and the found ones.

    `answer` is what a foreign scorer took for the answer, as a value's text: it may differ from what the trace says.
    """

    ask: Ask
    truth: Prediction
    found: Prediction
    answer: str | None = None

    def __post_init__(self) -> None:
        if self.truth.codec != self.found.codec:
            raise UsageError(
                f"the truth is written in {self.truth.codec}, the prediction in {self.found.codec}: they do not compare"
            )
