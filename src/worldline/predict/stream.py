"""One request, answered while somebody watches and may stop it: byte by byte where there is an engine, else at once.

The end of a stream is the prediction that `predict` gives: same text, same status, same log-probabilities. A stream
that was stopped ends with what is written so far, as if the budget had cut it there, and says so in its note. Nothing
here knows what is right.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, wait
from typing import TypeVar

from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest, StreamPiece
from worldline.predict.predictor import Predictor
from worldline.predict.rollout import Script

BEAT = 0.1  # seconds between two looks at whoever is waited for

_T = TypeVar("_T")


def never() -> bool:
    """Nobody stops it."""
    return False


def stream(
    predictor: Predictor,
    request: PredictionRequest,
    *,
    stop: Callable[[], bool] = never,
    script: Script | None = None,
    loose: bool = False,
) -> Iterator[StreamPiece]:
    """The pieces of one prediction; `script` dictates to an engine, and to nobody else.

    `loose`: a given text that is not of the grammar (a name that the program does not have) is followed without it,
    where `predict` would refuse it.
    """
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        return decoder.settled().stream(request, stop=stop, script=script, loose=loose)
    return _asked(predictor, request, stop)


def patiently(act: Callable[[], _T], *, stop: Callable[[], bool] = never) -> Generator[None, None, _T | None]:
    """Yields while somebody else acts, in a thread; returns its result, None where it was stopped before."""
    future: Future[_T] = Future()
    threading.Thread(target=_settle, args=(future, act), daemon=True).start()
    while not wait([future], timeout=BEAT).done:
        if stop():
            return None
        yield
    return future.result()


def _settle(future: Future[_T], act: Callable[[], _T]) -> None:
    try:
        found = act()
    except BaseException as error:  # whatever it is, it is raised where it is waited for
        future.set_exception(error)
    else:
        future.set_result(found)


def _asked(
    predictor: Predictor, request: PredictionRequest, stop: Callable[[], bool]
) -> Iterator[StreamPiece]:
    """A predictor that answers at once: what it says behind the given text is one piece."""
    waiting = patiently(lambda: next(iter(predictor.predict([request]))), stop=stop)
    found: Prediction | None = None
    while True:
        try:
            next(waiting)
        except StopIteration as done:
            found = done.value
            break
        yield StreamPiece()
    if found is None:
        found = Prediction(text=request.given, status="budget", codec=predictor.info.notation, note=STOPPED)
    fresh = found.text[len(request.given) :] if found.text.startswith(request.given) else b""
    yield StreamPiece(fresh, prediction=found)
