"""A model whose work can be watched and stopped, also inside a scratchpad: it streams one prediction after another.

Texts and confidences are those of the model itself. It writes one text at a time, so it suits one program, not a suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor
from worldline.predict.stream import never, stream


@dataclass
class StreamingPredictor:
    """Predicts as `predictor` does. `written` counts its bytes so far; when `stop` returns true, it writes no more."""

    predictor: Predictor
    stop: Callable[[], bool] = never
    written: int = 0

    @property
    def info(self) -> ModelInfo:
        """Those of the model."""
        return self.predictor.info

    @property
    def capabilities(self) -> Capabilities:
        """Those of the model, with rollouts that can be watched."""
        return replace(self.predictor.capabilities, decodes_bytes=None, rolls_out=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request."""
        return (rolled.prediction for rolled in self.roll(requests))

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """Yield one prediction per request, with the confidence of each step if the model reports it."""
        return map(self._roll_one, requests)

    def _roll_one(self, request: PredictionRequest) -> ForcedRollout:
        logprobs, entropies = list[float](), list[float]()
        prediction = Prediction(text=request.given, status="fault", note="the model gave no answer")
        for piece in stream(self.predictor, request, stop=self.stop):
            logprobs += piece.logprobs
            entropies += piece.entropies
            self.written += len(piece.data)
            prediction = piece.prediction or prediction
        sure = step_confidences(request, prediction, logprobs, entropies) if logprobs else ()
        return ForcedRollout(prediction=prediction, force="free", sure=tuple(sure))
