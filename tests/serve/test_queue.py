"""Prompts are read in pieces between passes; requests wait for a place no longer than their deadline."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from worldline.predict.rollout import Logits
from worldline.ui.serve.batch import FAR_BYTES, MIN_PIECE_BYTES, PIECE_BYTES, BatchLoad, EngineBatch
from worldline.ui.serve.completion import LATE, LEFT, LENGTH, Completion
from worldline.ui.serve.request import CompletionRequest

pytestmark = pytest.mark.unit

PATIENCE = 120.0


class Logged:
    """An engine that logs what it reads and writes, and may wait before it does."""

    def __init__(self) -> None:
        self.log: list[tuple[str, int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.is_reached = threading.Event()

    def start(self) -> list[int]:
        return [0]

    def feed(self, state: list[int], data: bytes, *, pin: bool) -> Logits:
        return self._add("read", data[0])

    def step(self, states: Sequence[Any], data: bytes) -> Logits:
        return np.stack([self._add("write", len(states))] * len(states))

    def _add(self, action: str, detail: int) -> Logits:
        self.is_reached.set()
        assert self.gate.wait(PATIENCE)
        self.log.append((action, detail))
        return np.where(np.arange(256) == ord("x"), 9.0, 0.0).astype(np.float32)


class Clock:
    """A clock that a test sets. It also moves by itself, so that every piece ends the turn of reading."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def request_for(prompt: bytes, texts: int = 1, tokens: int = 4) -> list[Completion]:
    request = CompletionRequest(model="m", prompts=(prompt,), temperature=0.0, max_tokens=tokens)
    done = threading.Event()
    return [Completion(request, prompt, number, guide=True, notify=done.set) for number in range(texts)]


def wait_for(texts: list[Completion]) -> None:
    """Wait until a text of a request has ended."""
    notify: Any = texts[0].notify
    assert notify.__self__.wait(PATIENCE)


def test_texts_are_written_between_the_pieces_of_a_long_prompt() -> None:
    engine = Logged()
    batch = EngineBatch(engine, max_members=4, queue_seconds=1e9, clock=Clock())
    long, short = request_for(b"l" * 50 * PIECE_BYTES, tokens=1), request_for(b"s", tokens=10)
    batch.join(long)
    batch.join(short)
    batch.start()
    wait_for(long)
    batch.close()
    kinds = [entry for entry in engine.log if entry != ("write", 1)]
    assert kinds.count(("read", ord("l"))) == 50
    # The short prompt is read after one piece of the long one, and its ten bytes are written beside ten pieces.
    assert engine.log.index(("read", ord("s"))) == 1
    last = max(at for at, entry in enumerate(engine.log) if entry == ("write", 1))
    assert engine.log[:last].count(("read", ord("l"))) <= 10
    assert bytes(short[0].text) == b"x" * 10


class Sized(Logged):
    """An engine that logs how many bytes it reads."""

    def feed(self, state: list[int], data: bytes, *, pin: bool) -> Logits:
        return self._add("read", len(data))


@pytest.mark.parametrize("is_writing", [True, False])
def test_pieces_far_into_a_long_prompt_are_small_while_a_text_is_written(is_writing: bool) -> None:
    engine = Sized()
    batch = EngineBatch(engine, max_members=2, queue_seconds=1e9, clock=Clock())
    long = request_for(b"l" * 60_000, tokens=1)
    if is_writing:
        batch.join(request_for(b"s", tokens=1 << 20))
    batch.join(long)
    batch.start()
    wait_for(long)
    batch.close()
    sizes = [detail for action, detail in engine.log if action == "read"]
    assert sum(sizes) == 60_000 + is_writing
    assert sizes.count(PIECE_BYTES) >= FAR_BYTES // PIECE_BYTES
    # A piece ends where a state is cached, so some are smaller.
    assert max(sizes[-100:]) == (MIN_PIECE_BYTES if is_writing else PIECE_BYTES)


def test_two_long_prompts_take_turns() -> None:
    engine = Logged()
    batch = EngineBatch(engine, max_members=4, queue_seconds=1e9, clock=Clock())
    first, second = request_for(b"1" * 5 * PIECE_BYTES, tokens=1), request_for(b"2" * 5 * PIECE_BYTES, tokens=1)
    batch.join(first)
    batch.join(second)
    batch.start()
    wait_for(second)
    batch.close()
    assert [detail for action, detail in engine.log if action == "read"] == [ord("1"), ord("2")] * 5


def test_a_prompt_whose_client_has_left_is_read_no_further() -> None:
    engine = Logged()
    batch = EngineBatch(engine, max_members=1)
    long, short = request_for(b"l" * 500 * PIECE_BYTES), request_for(b"s")
    engine.gate.clear()
    batch.join(long)
    batch.join(short)
    batch.start()
    assert engine.is_reached.wait(PATIENCE)  # the first piece is being read
    assert batch.load() == BatchLoad(writing=0, reading=1, waiting=1)
    batch.leave(long[0])
    engine.gate.set()
    wait_for(short)
    batch.close()
    assert engine.log.count(("read", ord("l"))) == 1
    assert batch.counts().ended == {LEFT: 1, LENGTH: 1}


def test_closing_waits_for_a_piece_and_not_for_a_prompt() -> None:
    engine = Logged()
    batch = EngineBatch(engine, max_members=1)
    engine.gate.clear()
    batch.join(request_for(b"l" * 500 * PIECE_BYTES))
    batch.start()
    assert engine.is_reached.wait(PATIENCE)
    closing = threading.Thread(target=batch.close)
    closing.start()
    while not batch._is_closing:
        assert closing.is_alive()
    engine.gate.set()
    closing.join(PATIENCE)
    assert len(engine.log) == 1


def test_a_request_waits_for_its_first_place_no_longer_than_the_deadline() -> None:
    """The texts of a request that has a place wait without a deadline; texts without a place are late."""
    engine, clock = Logged(), Clock()
    batch = EngineBatch(engine, max_members=1, queue_seconds=1000.0, clock=clock)
    started, late = request_for(b"a", texts=3, tokens=1), request_for(b"b", texts=2, tokens=1)
    engine.gate.clear()
    batch.join(started)
    batch.start()
    assert engine.is_reached.wait(PATIENCE)
    batch.join(late)
    clock.now += 1000.0
    engine.gate.set()
    wait_for(late)
    while any(not text.finish for text in started):
        assert batch._thread.is_alive()
    batch.close()
    assert [text.finish for text in started] == [LENGTH] * 3
    assert [text.finish for text in late] == [LATE] * 2
    assert batch.counts().ended == {LENGTH: 3, LATE: 2}


def test_a_request_with_many_texts_leaves_places_to_others() -> None:
    engine = Logged()
    batch = EngineBatch(engine, max_members=2, queue_seconds=1e9)
    many, single = request_for(b"m", texts=20, tokens=2), request_for(b"s", tokens=2)
    batch.join(many)
    batch.join(single)
    batch.start()
    wait_for(single)
    batch.close()
    assert [detail for action, detail in engine.log if action == "read"][:2] == [ord("m"), ord("s")]


def test_a_small_prompt_passes_one_that_does_not_fit() -> None:
    engine = Logged()
    batch = EngineBatch(engine, max_members=8, queue_seconds=1e9)
    large = [request_for(bytes([letter]) * 60_000, tokens=1) for letter in b"abc"]
    small = request_for(b"s", tokens=1)
    for texts in (*large, small):
        batch.join(texts)
    batch.start()
    wait_for(small)
    wait_for(large[2])
    batch.close()
    reads = [detail for action, detail in engine.log if action == "read"]
    assert reads.index(ord("s")) < reads.index(ord("c"))
    assert batch.counts().ended == {LENGTH: 4}
