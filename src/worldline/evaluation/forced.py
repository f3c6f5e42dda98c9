"""A predictor that is helped: a part of the truth is put in its way, so that any suite runs under any forcing.

The truth is what the interpreter answers to the same requests. Forcings under which nothing is written but the truth
(`next`, `both`) make no prediction: `states` measures those, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor

QUERIES = 8  # true steps that a predictor may ask for
FORCED = ("actions", "states", "guard", "queries")


@dataclass(frozen=True)
class Forced:
    """Another predictor under one forcing; `queries` is how many true steps it may ask for."""

    predictor: Predictor
    force: str
    queries: int = QUERIES
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.force not in FORCED:
            raise UsageError(f"a prediction is forced by one of {', '.join(FORCED)}, not {self.force!r}")

    @property
    def info(self) -> ModelInfo:
        """The other's, and what is forced."""
        info = self.predictor.info
        return replace(info, name=f"{info.name}, {self.force} forced", is_ground_truth=False)

    @property
    def capabilities(self) -> Capabilities:
        """Its answers and its rollouts: no text that is asked for in another way would be forced."""
        return Capabilities(answers_questions=self.predictor.capabilities.answers_questions, rolls_out=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """What the other writes under the forcing."""
        return (rolled.prediction for rolled in self.roll(requests))

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """The same, with the model's confidence in each step."""
        truths = list(Interpreter(limits=self.limits, codec=self.predictor.info.notation).predict(requests))
        return roll(self.predictor, requests, truths, force=self.force, budget=self.queries)
