"""A stream ends with what `predict` gives, to the bit, and stops when it is told to, not a byte later."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from threading import Event

import pytest
from plain_predictor import PlainPredictor
from scripted import random_engine

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest, StreamPiece
from worldline.predict.stream import run_in_thread, stream

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(3)"
)
LONG = Program(
    source="def f(n):\n" + "".join(f"    x{i} = n + {i}\n" for i in range(40)) + "    return n\n", call="f(1)"
)
GIVEN = b"(1 n=3\n2\n4\n"
ASKS = {
    "whole": PredictionRequest(program=FACT, limit=400),
    "given": PredictionRequest(program=FACT, limit=400, given=GIVEN),
    "cut": PredictionRequest(program=FACT, limit=17),
    "full": PredictionRequest(program=FACT, limit=len(GIVEN), given=GIVEN),
    "ended": PredictionRequest(program=FACT, given=b"(1 n=1\n2\n3\n)1\n.\n"),
    "long prompt": PredictionRequest(program=LONG, limit=90),
    "modes": PredictionRequest(program=FACT, limit=120, options=Compact(delta="element", same=True, reveal=3)),
}


@pytest.fixture(scope="module")
def model() -> Local:
    found = load_model()
    assert isinstance(found, Local)
    return found.settled()


def same(local: Local, again: Local, ask: PredictionRequest) -> list[StreamPiece]:
    """The pieces of a stream, which must be the prediction of an equal predictor."""
    (wanted,) = local.predict([ask])
    pieces = list(stream(again, ask))
    found = pieces[-1].prediction
    assert found is not None
    assert all(piece.prediction is None for piece in pieces[:-1])
    assert (found.text, found.status, found.logprob) == (wanted.text, wanted.status, wanted.logprob)
    assert ask.given + b"".join(piece.data for piece in pieces) == found.text
    assert [each for piece in pieces for each in piece.logprobs] == local.logprobs
    assert [each for piece in pieces for each in piece.entropies] == local.entropies
    return pieces


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize("guard", [False, True])
def test_a_stream_ends_with_the_prediction(model: Local, name: str, guard: bool) -> None:
    local = model.settled(guard=guard)
    same(local, local, ASKS[name])


@pytest.mark.parametrize("guide", [False, True])
def test_drawn_bytes_are_the_same(guide: bool) -> None:
    engine = random_engine(3)
    pair = [
        Local(engine, name="drawn", guide=guide, temperature=1.0, random=Random(5), logprobs=True) for _ in range(2)
    ]
    same(pair[0], pair[1], PredictionRequest(program=FACT, limit=80))


class Told:
    """Dictates two lines behind the first."""

    def allowed(self, text: bytearray) -> int:
        """Any byte."""
        return (1 << 256) - 1

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Both lines at once."""
        return b"2\n4\n" if text == b"(1 n=3\n" else b""


def test_what_is_dictated_comes_together(model: Local) -> None:
    ask = replace(ASKS["whole"], given=b"(1 n=3\n")
    (wanted,) = model.follow([ask], [Told()])
    pieces = list(stream(model, ask, script=Told()))
    found, written = pieces[-1].prediction, [piece for piece in pieces if piece.data]
    assert found is not None
    assert written[0] == StreamPiece(b"2\n4\n", (0.0,) * 4, (0.0,) * 4)
    assert (found.text, found.status, found.logprob) == (wanted.text, wanted.status, wanted.logprob)
    assert all(len(piece.data) == len(piece.logprobs) == len(piece.entropies) for piece in written)


@pytest.mark.parametrize("after", [0, 1, 7])
def test_it_stops_at_once_and_keeps_its_text(model: Local, after: int) -> None:
    whole = next(iter(model.predict([ASKS["whole"]])))
    stop, pieces, written = Event(), list[StreamPiece](), 0
    for piece in stream(model, ASKS["whole"], stop=stop.is_set):
        pieces.append(piece)
        written += bool(piece.data)
        if written == after:
            stop.set()
    found = pieces[-1].prediction
    assert found is not None
    assert (found.status, found.note) == ("budget", STOPPED)
    assert written == after
    assert whole.text.startswith(found.text)
    assert found.text == b"".join(piece.data for piece in pieces)


def test_a_stream_that_is_done_was_not_stopped(model: Local) -> None:
    ask = ASKS["ended"]
    (last,) = stream(model, ask, stop=lambda: True)
    assert last.prediction is not None
    assert (last.prediction.status, last.prediction.note) == ("ended", "")


@pytest.mark.usefixtures("sandbox")
def test_a_text_predictor_streams_one_piece() -> None:
    pieces = list(stream(Interpreter(), ASKS["given"]))
    (wanted,) = Interpreter().predict([ASKS["given"]])
    found = pieces[-1].prediction
    assert found is not None
    assert (found.text, found.status) == (wanted.text, wanted.status)
    assert [piece.data for piece in pieces if piece.data] == [wanted.text[len(GIVEN) :]]


class Slow(PlainPredictor):
    """Answers when it is let."""

    name = "slow"

    def __init__(self) -> None:
        self.let = Event()

    def predict(self, asks):  # type: ignore[no-untyped-def]
        """An answer, sometime."""
        self.let.wait(120)
        yield Prediction(text=b"(1 n=3\n", status="ended")


def test_a_stopped_prediction_is_not_waited_for() -> None:
    slow, stop = Slow(), Event()
    pieces = stream(slow, ASKS["whole"], stop=stop.is_set)
    assert next(pieces) == StreamPiece()
    stop.set()
    found = list(pieces)[-1].prediction
    slow.let.set()
    assert found is not None
    assert (found.text, found.status, found.note) == (b"", "budget", STOPPED)


def test_a_given_text_off_the_grammar_is_followed_loosely(model: Local) -> None:
    ask = PredictionRequest(program=FACT, limit=60, given=b"(1 n=3\n2 unheard=[1]\n")
    with pytest.raises(UsageError, match="not steps of this program"):
        stream(model, ask)
    pieces = list(stream(model, ask, loose=True))
    found = pieces[-1].prediction
    assert found is not None
    assert found.text.startswith(ask.given)
    assert len(found.text) > len(ask.given)
    assert found.text == ask.given + b"".join(piece.data for piece in pieces)


def test_an_exception_in_the_thread_is_raised_by_the_waiter() -> None:
    def fails() -> None:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        list(run_in_thread(fails))
