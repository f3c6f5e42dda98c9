"""Texts join and leave the one batch between two passes, and each is what it would be alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from worldline.core.program import Program
from worldline.predict.models import load_local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.rollout import Logits
from worldline.ui.http.errors import Refusal
from worldline.ui.serve.answer import ShownText
from worldline.ui.serve.batch import BatchLoad, EngineBatch
from worldline.ui.serve.completion import Completion
from worldline.ui.serve.request import CompletionRequest, request_of

pytestmark = pytest.mark.unit

PATIENCE = 120.0


class Alphabet:
    """An engine that writes the alphabet round and round, a pass at a time when it is let."""

    def __init__(self) -> None:
        self.passes = threading.Semaphore(0)
        self.reached = threading.Semaphore(0)
        self.sizes: list[int] = []

    def start(self) -> list[int]:
        return [0]

    def feed(self, state: list[int], data: bytes, *, pin: bool) -> Logits:
        state[0] = data[-1]
        return self._logits(state)

    def step(self, states: Sequence[Any], data: bytes) -> Logits:
        self.sizes.append(len(states))
        self.reached.release()
        assert self.passes.acquire(timeout=PATIENCE)
        for state, byte in zip(states, data, strict=True):
            state[0] = byte
        return np.stack([self._logits(state) for state in states])

    def _logits(self, state: list[int]) -> Logits:
        following = ord("a") + (state[0] - ord("a") + 1) % 26
        return np.where(np.arange(256) == following, 9.0, 0.0).astype(np.float32)


class Watched:
    """A text that somebody waits for."""

    def __init__(self, prompt: bytes, **given: Any) -> None:
        self.event = threading.Event()
        request = CompletionRequest(model="m", prompts=(prompt,), temperature=0.0, **given)
        self.completion = Completion(request, prompt, 0, guide=True, notify=self.event.set)

    def text(self) -> str:
        assert self.event.wait(PATIENCE)
        found: str = ShownText(self.completion, 0).choice()["text"]
        return found


@pytest.fixture
def engine() -> Alphabet:
    return Alphabet()


@pytest.fixture
def batch(engine: Alphabet) -> Iterator[EngineBatch]:
    found = EngineBatch(engine, max_members=2)
    found.start()
    yield found
    for _ in range(1000):
        engine.passes.release()
    found.close()


def one_pass(engine: Alphabet) -> int:
    """Lets one pass end and the next begin; of how many texts that is."""
    engine.passes.release()
    assert engine.reached.acquire(timeout=PATIENCE)
    return engine.sizes[-1]


def test_texts_join_and_leave_between_passes(engine: Alphabet, batch: EngineBatch) -> None:
    first, second, third = (Watched(b"a", max_tokens=7), Watched(b"m", max_tokens=3), Watched(b"x", max_tokens=4))
    batch.join([first.completion])
    assert engine.reached.acquire(timeout=PATIENCE)
    batch.join([second.completion])
    batch.join([third.completion])
    assert engine.sizes == [1]
    assert one_pass(engine) == 2
    assert batch.load() == BatchLoad(writing=2, reading=0, waiting=1)
    assert one_pass(engine) == 2
    assert one_pass(engine) == 1  # the second is through
    assert one_pass(engine) == 2  # and the third has its place
    assert second.text() == "nop"
    assert batch.load() == BatchLoad(writing=2, reading=0, waiting=0)
    for _ in range(20):
        engine.passes.release()
    assert (first.text(), third.text()) == ("bcdefgh", "yzab")
    assert max(engine.sizes) == 2


def test_who_leaves_frees_a_place(engine: Alphabet, batch: EngineBatch) -> None:
    first, second, third = (Watched(b"a", max_tokens=10_000) for _ in range(3))
    for each in (first, second, third):
        batch.join([each.completion])
    assert engine.reached.acquire(timeout=PATIENCE)
    batch.leave(first.completion)
    one_pass(engine)
    one_pass(engine)
    assert first.event.wait(PATIENCE)
    assert batch.load() == BatchLoad(writing=2, reading=0, waiting=0)
    size = len(first.completion.text)
    one_pass(engine)
    assert len(first.completion.text) == size
    batch.leave(second.completion)
    batch.leave(third.completion)


def test_an_engine_that_fails_costs_those_beside_it_alone(engine: Alphabet) -> None:
    def failing(states: Sequence[Any], data: bytes) -> Logits:
        raise ValueError("damaged")

    kept = engine.step
    batch = EngineBatch(engine, max_members=4)
    engine.step = failing  # type: ignore[method-assign]
    first, second = Watched(b"a", max_tokens=4), Watched(b"b", max_tokens=2)
    batch.join([first.completion])
    batch.start()
    assert first.event.wait(PATIENCE)
    assert first.completion.finish == "broken"
    engine.step = kept  # type: ignore[method-assign]
    for _ in range(4):
        engine.passes.release()
    batch.join([second.completion])
    assert second.text() == "cd"
    batch.close()


def test_a_text_that_cannot_be_written_costs_no_other(
    engine: Alphabet, batch: EngineBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing() -> bytes:
        raise ValueError("no grammar")

    broken, sound = Watched(b"a", max_tokens=4), Watched(b"b", max_tokens=3)
    monkeypatch.setattr(broken.completion, "write", failing)
    for _ in range(4):
        engine.passes.release()
    batch.join([broken.completion])
    batch.join([sound.completion])
    assert sound.text() == "cde"
    assert broken.event.wait(PATIENCE)
    assert (broken.completion.finish, sound.completion.finish) == ("broken", "length")


def test_what_may_be_the_beginning_of_a_stop_is_held_back_and_nothing_else() -> None:
    stops, random = (b"abab!", b"bb!", b"a!"), Random(0)
    for _ in range(50):
        found = Watched(b"x", max_tokens=1000, stops=stops).completion
        for byte in random.choices(b"ab", k=40):
            found._add(byte, 0.0, {})
            ends = [bytes(found.text[at:]) for at in range(len(found.text))]
            held = [len(end) for end in ends if any(stop.startswith(end) for stop in stops)]
            assert found.shown == len(found.text) - max(held, default=0)


@pytest.mark.parametrize(("keeps", "text"), [(False, "bc"), (True, "bcde")])
def test_a_stop_ends_a_text_and_is_held_back(engine: Alphabet, batch: EngineBatch, keeps: bool, text: str) -> None:
    watched = Watched(b"a", max_tokens=9, stops=(b"xx", b"de"), includes_stop=keeps)
    for _ in range(9):
        engine.passes.release()
    batch.join([watched.completion])
    assert watched.text() == text
    choice = ShownText(watched.completion, 0).choice()
    assert (choice["finish_reason"], choice["stop_reason"]) == ("stop", "de")


def test_the_shipped_model_writes_beside_others_what_it_writes_alone() -> None:
    local = load_local(extras={"threads": "1"})
    programs = [Program(source=f"def f(n):\n    m = n * {k}\n    return m\n", call=f"f({k})") for k in range(6)]
    asks = [PredictionRequest(program=program, limit=400) for program in programs]
    wanted = [found.text.decode() for found in local.predict(asks)]
    texts = [Watched(ask.prompt, max_tokens=400, top=2) for ask in asks]
    batch = EngineBatch(local.engine, max_members=3)
    for each in texts:
        batch.join([each.completion])
    batch.start()
    assert [each.text() for each in texts] == wanted
    batch.close()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("é€".encode(), "é€"),
        (b"a\xff\xe2\x82b", "a\ufffd\ufffdb"),
        ("\ud800x".encode("utf-8", "surrogatepass"), "\ud800x"),
        (b"\xe2\x82", "\ufffd"),
    ],
)
def test_bytes_that_are_no_text_are_shown_as_the_protocol_has_them(data: bytes, text: str) -> None:
    watched = Watched(b"a", top=0)
    found = watched.completion
    pieces, shown = [], ShownText(found, 0)
    for byte in data:
        found.text.append(byte)
        found.logprobs.append(0.0)
        found.tops.append({})
        found.shown += 1
        if byte == data[-1]:
            found.finish = "length"
        pieces.append(shown.choice())
    assert "".join(piece["text"] for piece in pieces) == text
    whole = ShownText(found, 0).choice()
    assert whole["text"] == text
    assert [token.startswith("bytes:\\x") for token in whole["logprobs"]["tokens"]] == [b >= 0x80 for b in data]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"prompt": ""}, "a prompt needs at least one byte"),
        ({"prompt": []}, "a prompt needs at least one byte"),
        ({"prompt": [1, 300]}, "a token is a byte"),
        ({"prompt": "a" * 70_000}, "maximum context length"),
        ({"prompt": "a", "top_p": 0.5}, "top_p must be 1"),
        ({"prompt": "a", "max_tokens": 0}, "max_tokens is less than 1"),
        ({"prompt": "a", "n": 200}, "n is more than"),
        ({"prompt": "a", "n": 1.5}, "n is not of type integer or null"),
        ({"prompt": "a", "temperature": float("nan")}, "temperature is not a number"),
        ({"prompt": "a", "logit_bias": {"1": 2}}, "logit_bias must be {}"),
        ({"prompt": ["a"] * 100, "n": 2}, "at most 128 texts"),
        ({"prompt": "a", "stop": [""]}, "none of them empty"),
        ({"prompt": "a", "temprature": 1}, "unknown field 'temprature'"),
        ({}, "has no prompt"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_its_reason(given: dict[str, Any], why: str) -> None:
    with pytest.raises(Refusal, match=why) as refused:
        request_of({"model": "m", **given})
    assert refused.value.status == 400


def test_steps_that_are_none_of_the_program_are_refused() -> None:
    ask = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(1)"))
    with pytest.raises(Refusal, match="not steps of this program"):
        Watched(ask.prompt + b"nonsense")
