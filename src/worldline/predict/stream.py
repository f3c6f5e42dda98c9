"""Predictions as streams that the caller can stop: byte by byte with an engine, in one piece otherwise.

A stream ends with the same prediction as `predict`: text, status and log-probabilities. A stopped stream ends with the
text so far, status `budget` and a note.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from typing import TypeVar

from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest, StreamPiece
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor
from worldline.predict.rollout import Script

POLL_SECONDS = 0.1

_T = TypeVar("_T")


def never() -> bool:
    """Never stop."""
    return False


def stream(
    predictor: Predictor,
    request: PredictionRequest,
    *,
    stop: Callable[[], bool] = never,
    script: Script | None = None,
    loose: bool = False,
) -> Iterator[StreamPiece]:
    """Predict one request piece by piece, until `stop` returns true. Predictors that decode bytes follow the script.

    `loose` continues a given text that does not match the grammar without a guide; `predict` would refuse it.
    """
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        return decoder.settled().stream(request, stop=stop, script=script, loose=loose)
    return _predict_whole(predictor, request, stop)


def run_in_thread(act: Callable[[], _T], *, stop: Callable[[], bool] = never) -> Generator[None, None, _T | None]:
    """Run a function in a thread and yield while it works; return its result, or None if stopped before."""
    future: Future[_T] = Future()
    threading.Thread(target=_complete, args=(future, act), daemon=True).start()
    while not wait([future], timeout=POLL_SECONDS).done:
        if stop():
            return None
        yield
    return future.result()


def _complete(future: Future[_T], act: Callable[[], _T]) -> None:
    try:
        result = act()
    except BaseException as error:  # raised again by `future.result()` in the waiting thread
        future.set_exception(error)
    else:
        future.set_result(result)


def _predict_whole(predictor: Predictor, request: PredictionRequest, stop: Callable[[], bool]) -> Iterator[StreamPiece]:
    """Predict in a thread; everything after `given` is one piece."""
    waiting = run_in_thread(lambda: next(iter(predictor.predict([request]))), stop=stop)
    prediction: Prediction | None = None
    while True:
        try:
            next(waiting)
        except StopIteration as done:
            prediction = done.value
            break
        yield StreamPiece()
    if prediction is None:
        prediction = Prediction(text=request.given, status="budget", codec=predictor.info.notation, note=STOPPED)
    fresh = prediction.text[len(request.given) :] if prediction.text.startswith(request.given) else b""
    yield StreamPiece(fresh, prediction=prediction)


@dataclass
class StreamingPredictor:
    """A model whose work can be watched and stopped, also inside a scratchpad: it streams one prediction after another.

    Texts and confidences are those of the model itself. `written` counts its bytes so far; when `stop` returns true, it
    writes no more. It writes one text at a time, so it suits one program, not a suite.
    """

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
