"""A predictor that is helped: a part of the truth is put in its way, so that any suite runs under any forcing.

The truth is what the interpreter answers to the same asks. Forcings under which nothing is written but the truth
(`next`, `both`) make no prediction: `states` measures those, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.rolled import Rolled
from worldline.predict.interpreter import Interpreter
from worldline.predict.predictor import Ask, Prediction, WrappedPredictor

QUERIES = 8  # true steps that a predictor may ask for
FORCED = ("actions", "states", "guard", "queries")


@dataclass(frozen=True)
class Forced(WrappedPredictor):
    """Another predictor under one forcing; `queries` is how many true steps it may ask for."""

    force: str
    queries: int = QUERIES
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.force not in FORCED:
            raise UsageError(f"a prediction is forced by one of {', '.join(FORCED)}, not {self.force!r}")

    @property
    def name(self) -> str:
        """The other's, and what is forced."""
        return f"{self.predictor.name}, {self.force} forced"

    def predict(self, asks: Sequence[Ask], /) -> Iterator[Prediction]:
        """What the other writes under the forcing."""
        return (rolled.prediction for rolled in self.roll(asks))

    def roll(self, asks: Sequence[Ask], /) -> Iterator[Rolled]:
        """The same, with the model's confidence in each step."""
        truths = list(Interpreter(limits=self.limits, codec=self.codec).predict(asks))
        return roll(self.predictor, asks, truths, force=self.force, budget=self.queries)
