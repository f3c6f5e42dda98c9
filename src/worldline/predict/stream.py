"""One ask, answered while somebody watches and may stop it: byte by byte where there is an engine, else at once.

The end of a stream is the prediction that `predict` gives: same text, same status, same log-probabilities. A stream
that was stopped ends with what is written so far, as if the budget had cut it there, and says so in its note. Nothing
here knows what is right.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from typing import TypeVar

from worldline.core.errors import UsageError
from worldline.predict.guess import read
from worldline.predict.local import Local
from worldline.predict.predictor import Ask, Prediction, Predictor, codec_of
from worldline.predict.rollout import RolloutDraft, Script

STOPPED = "stopped"  # the note of a prediction that was stopped
BEAT = 0.1  # seconds between two looks at whoever is waited for
READ = 64  # bytes read between two chances to stop

_T = TypeVar("_T")


@dataclass(frozen=True)
class StreamPiece:
    """What came since the last piece: bytes, each with its natural log-probability and entropy where they are known.

    A piece without bytes says that it goes on. The last one, and it alone, has the whole prediction.
    """

    data: bytes = b""
    logprobs: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    prediction: Prediction | None = None


def never() -> bool:
    """Nobody stops it."""
    return False


def stream(
    predictor: Predictor,
    ask: Ask,
    *,
    stop: Callable[[], bool] = never,
    script: Script | None = None,
    loose: bool = False,
) -> Iterator[StreamPiece]:
    """The pieces of one prediction; `script` dictates to an engine, and to nobody else.

    `loose`: a given text that is not of the grammar (a name that the program does not have) is followed without it,
    where `predict` would refuse it.
    """
    if isinstance(predictor, Local):
        local = predictor.settled()
        return _written(local, _draft(local, ask, script, loose), stop)
    return _asked(predictor, ask, stop)


def patiently(act: Callable[[], _T], *, stop: Callable[[], bool] = never) -> Generator[None, None, _T | None]:
    """Yields while somebody else acts, in a thread; returns what came of it, None where it was stopped before."""
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


def _asked(predictor: Predictor, ask: Ask, stop: Callable[[], bool]) -> Iterator[StreamPiece]:
    """A predictor that answers at once: what it says behind the given text is one piece."""
    waiting = patiently(lambda: next(iter(predictor.predict([ask]))), stop=stop)
    found: Prediction | None = None
    while True:
        try:
            next(waiting)
        except StopIteration as done:
            found = done.value
            break
        yield StreamPiece()
    if found is None:
        found = Prediction(text=ask.given, status="budget", codec=codec_of(predictor), note=STOPPED)
    fresh = found.text[len(ask.given) :] if found.text.startswith(ask.given) else b""
    yield StreamPiece(fresh, prediction=found)


def _draft(local: Local, ask: Ask, script: Script | None, loose: bool) -> RolloutDraft:
    try:
        return local.draft(ask, script)
    except UsageError:
        if not loose:
            raise
    draft = local.draft(replace(ask, given=b""), script)
    draft.dictate(ask.given)
    return draft


def _written(local: Local, draft: RolloutDraft, stop: Callable[[], bool]) -> Iterator[StreamPiece]:
    """An engine, as `Local` runs it alone."""
    began = time.perf_counter()
    engine, state, logits, stopped = local.engine, local.engine.start(), None, False
    for data, pin in _reading(draft):
        stopped = stopped or stop()
        if not stopped:
            logits = engine.feed(state, data, pin=pin)
            yield StreamPiece()
    ahead = None if logits is None else local.ahead(draft, state, logits)
    while ahead is not None and not draft.status:
        stopped = stopped or stop()
        if stopped:
            break
        before = len(draft.text)
        fresh = local.write(draft, ahead)
        if size := len(draft.text) - before:
            data = bytes(draft.text[before:])
            yield StreamPiece(data, tuple((draft.logprobs or [])[-size:]), tuple(draft.entropies[-size:]))
        if not draft.status:
            read(engine, [ahead], [fresh])
    draft.seconds = time.perf_counter() - began
    found = draft.prediction()
    yield StreamPiece(prediction=replace(found, note=STOPPED) if stopped else found)


def _reading(draft: RolloutDraft) -> Iterator[tuple[bytes, bool]]:
    """What is read before anything is written, piece by piece, and whether it is kept in sight."""
    if not draft.status:
        for text, pin in ((draft.ask.prompt, True), (bytes(draft.text), False)):
            for first in range(0, len(text), READ):
                yield text[first : first + READ], pin
