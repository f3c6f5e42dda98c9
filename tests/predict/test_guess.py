"""Reading ahead by guesses: to the bit the text, the log-probabilities and the end of writing a byte at a time."""

from __future__ import annotations

from random import Random
from typing import Any

import forced_programs
import pytest
from opinions import SUM, TRUTH
from tiers import examples
from unrolled import imagine

from worldline.model.engine import native
from worldline.predict.forcing.forced import roll
from worldline.predict.guess import WINDOW_BYTES, Copier
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.rollout import Engine
from worldline.predict.stream import stream

ASKS = [PredictionRequest(program=SUM, limit=examples(200, 400)), *forced_programs.asks(limit=examples(120, 250))[:3]]
TRUTHS = [Prediction(text=TRUTH, status="ended"), *forced_programs.truths()[:3]]
needs_c = pytest.mark.skipif(not native.is_built(), reason="the C engine was not built")


@pytest.fixture(scope="module")
def engine() -> Engine:
    found = load_model()
    assert isinstance(found, Local)
    return found.engine


def written(engine: Engine, **options: Any) -> list[tuple[Any, ...]]:
    """All that a prediction says, but for its time."""
    local = Local(engine, name="shipped", logprobs=True, **options)
    return [(found.text, found.status, found.logprob, local.logprobs, local.entropies) for found in local.predict(ASKS)]


@pytest.mark.sampled(1)
@needs_c
@pytest.mark.parametrize("options", [{}, {"guard": True}, {"guide": False}])
def test_guesses_change_nothing(engine: Engine, options: dict[str, bool]) -> None:
    plain = written(engine, batch=1, guesses=False, **options)
    for batch in (1, 3):
        assert written(engine, batch=batch, **options) == plain


@pytest.mark.long(reason="the shipped model writes four texts a byte at a time")
@needs_c
def test_it_is_what_is_written_a_byte_at_a_time(engine: Engine) -> None:
    for ask, (text, status, logprob, *_) in zip(ASKS, written(engine), strict=True):
        found = imagine(engine, ask.program, limit=ask.limit)
        assert (found.text, found.status, found.logprob) == (text, status, logprob)


@pytest.mark.long(reason="the shipped model writes four texts three times")
@needs_c
def test_wrong_guesses_change_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is guessed: nonsense, the truth with a wrong byte, one byte of it."""
    plain, rng = written(engine, guesses=False), Random(1)
    texts = [text for text, *_ in plain]

    def guess(self: Copier, most: int) -> bytes:
        known = bytes(self._text)
        for ask, text in zip(ASKS, texts, strict=True):
            if known.startswith(ask.prompt) and text.startswith(known[len(ask.prompt) :]):
                true = bytearray(text[len(known) - len(ask.prompt) :][: rng.randint(0, most)])
                if true and rng.random() < 0.5:
                    true[rng.randrange(len(true))] ^= 1
                return bytes(true) if rng.random() < 0.8 else rng.randbytes(most)
        raise AssertionError("a text that is not to be written")

    monkeypatch.setattr(Copier, "guess", guess)
    assert written(engine) == plain
    assert written(engine, batch=2) == plain


@pytest.mark.long(reason="the shipped model writes four texts")
@needs_c
def test_the_engine_is_asked_less_often(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    passes, try_all = [], type(engine).try_all  # type: ignore[attr-defined]
    monkeypatch.setattr(type(engine), "try_all", lambda *asked: passes.append(0) or try_all(*asked))
    texts = [found.text for found in Local(engine, name="shipped", batch=1).predict(ASKS)]
    assert len(passes) < sum(map(len, texts)) / 1.5


@pytest.mark.long(reason="test_guesses_change_nothing compares the same programs unforced")
@needs_c
@pytest.mark.parametrize("force", ["actions", "states", "next", "queries"])
def test_forcing_is_the_same(engine: Engine, force: str) -> None:
    plain, guessing = (
        [
            (one.prediction.text, one.prediction.logprob, one.dictated, one.left, one.steps, one.sure, one.spent)
            for one in roll(Local(engine, name="s", guesses=guesses), ASKS[:3], TRUTHS[:3], force=force)
        ]
        for guesses in (False, True)
    )
    assert guessing == plain


@needs_c
def test_a_stream_is_the_same(engine: Engine) -> None:
    ends = []
    for guesses in (False, True):
        pieces = list(stream(Local(engine, name="s", guesses=guesses), ASKS[1]))
        found = pieces[-1].prediction
        assert found is not None
        assert b"".join(piece.data for piece in pieces) == found.text
        logprobs = [number for piece in pieces for number in piece.logprobs]
        assert len(logprobs) == len(found.text)
        ends.append((found.text, found.status, found.logprob, logprobs, [n for p in pieces for n in p.entropies]))
    assert ends[0] == ends[1]


@pytest.mark.long(reason="the shipped model writes four texts twice")
@needs_c
def test_texts_that_are_drawn_are_the_same(engine: Engine) -> None:
    """Members of a batch draw from one source in turn, so that they are never read ahead of."""
    options: dict[str, Any] = {"temperature": 1.0, "batch": 2}
    plain, guessing = (written(engine, guesses=guesses, random=Random(4), **options) for guesses in (False, True))
    assert guessing == plain


def test_a_copier_says_what_came_before() -> None:
    copier = Copier(b"for c in text:\n", 16)
    assert copier.guess(16) == b""
    copier.add(b"for c in ")
    assert copier.guess(16) == b"text"
    copier.update(4, 4)  # all right: it says more
    assert copier.guess(16) == b"text:\nf"
    assert copier.guess(2) == b"te"
    copier.update(2, 0)
    copier.update(2, 0)
    copier.update(2, 0)
    assert copier.guess(16) == b"t"


def test_a_copier_holds_no_more_than_it_looks_through() -> None:
    copier = Copier(bytes(3 * WINDOW_BYTES), 16)
    for _ in range(40):
        copier.add(bytes(WINDOW_BYTES // 4))
        assert len(copier._text) <= 2 * WINDOW_BYTES
