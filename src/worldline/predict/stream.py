"""Predictions as streams that the caller can stop: byte by byte with an engine, in one piece otherwise.

A stream ends with the same prediction as `predict`: text, status and log-probabilities. A stopped stream ends with the
text so far, status `budget` and a note.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, wait
from typing import TypeVar

from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest, StreamPiece
from worldline.predict.predictor import Predictor
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
