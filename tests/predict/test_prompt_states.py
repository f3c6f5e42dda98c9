"""A prompt that is asked again is not read again, and what is written behind it is the same."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from scripted import random_engine

from worldline.core.program import Program
from worldline.model.engine import native
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.prompt_states import INTERRUPTIBLE_BYTES, SNAPSHOT_BYTES, PromptStates, shared_size

ASKS = [
    PredictionRequest(program=Program(source=f"def f(n):\n    return n + {k}\n", call="f(1)"), limit=60)
    for k in range(3)
]


class Counting:
    """An engine that counts the bytes of prompts that it reads."""

    def __init__(self) -> None:
        self._engine, self.pinned = random_engine(7), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def feed(self, state: Any, data: bytes, *, pin: bool) -> Any:
        self.pinned += len(data) if pin else 0
        return self._engine.feed(state, data, pin=pin)


def test_texts_behind_a_known_prompt_are_the_same() -> None:
    engine = Counting()
    local = Local(engine, name="random", logprobs=True)
    first, read = list(local.predict(ASKS)), engine.pinned
    again = list(local.settled().predict([*ASKS, *ASKS]))
    assert read == sum(len(ask.prompt) for ask in ASKS)
    assert engine.pinned == read
    assert [one.text for one in again] == [one.text for one in [*first, *first]]
    sums = [one.logprob for one in [*first, *first]]  # rounded otherwise where more texts are written together
    assert [one.logprob for one in again] == pytest.approx(sums, rel=1e-5)


def states_of(engine: Any, max_bytes: int = 1 << 30) -> PromptStates:
    return PromptStates(engine, max_bytes=max_bytes)


@pytest.mark.parametrize(("prompts", "read"), [(3, 23), (2, 33), (1, 43), (0, 43)])
def test_only_the_newest_are_cached(prompts: int, read: int) -> None:
    engine = Counting()
    state = engine.start()
    engine.feed(state, b"0123456789", pin=False)
    states = states_of(engine, prompts * int(state.nbytes))
    for prompt in (b"0123456789", b"9876543210", b"abc", b"9876543210", b"0123456789"):
        states.after(prompt)
        assert states.nbytes <= prompts * state.nbytes
    assert engine.pinned == read == states.read_bytes
    assert states.reused_bytes == 43 - read


def test_a_prompt_starts_where_another_diverged() -> None:
    """The first prompt is read whole; the second marks where they diverge; the third starts there."""
    engine = Counting()
    states, shared = states_of(engine), b"s" * 500
    for number, read in enumerate((510, 510, 10)):
        before = engine.pinned
        states.after(shared + b"%d" % number * 10)
        assert engine.pinned - before == read


def test_a_long_prompt_leaves_states_on_its_way() -> None:
    engine = Counting()
    states, prompt = states_of(engine), bytes(range(1, 200)) * 13
    states.after(prompt)
    before = engine.pinned
    states.after(prompt[: 2 * SNAPSHOT_BYTES] + b"x")
    assert engine.pinned - before == 1


def test_a_prompt_that_follows_another_waits_for_the_shared_beginning() -> None:
    engine = Counting()
    states, shared = states_of(engine), b"s" * 200
    leader, follower = states.open(shared + b"left"), states.open(shared + b"right")
    follower.follow(leader)
    assert follower.is_waiting
    while follower.is_waiting:
        leader.advance(64)
    assert leader.position == 200
    while not follower.is_done:
        follower.advance(64)
    assert engine.pinned == 205
    assert follower.position == 205


def test_a_prompt_whose_leader_is_given_up_reads_by_itself() -> None:
    engine = Counting()
    states, shared = states_of(engine), b"s" * 200
    leader, follower = states.open(shared + b"left"), states.open(shared + b"right")
    follower.follow(leader)
    leader.advance(64)
    leader.close()
    assert not follower.is_waiting
    while not follower.is_done:
        follower.advance(64)
    assert engine.pinned == 64 + 205


@pytest.mark.skipif(not native.is_built(), reason="the C engine was not built")
@pytest.mark.parametrize("cached", [0, 2 << 20, 1 << 30])
def test_the_cache_changes_no_logit(cached: int) -> None:
    """Random prompts with shared beginnings, in any order and in any pieces, under any limit."""
    reference = random_engine(3)
    engine = native.NativeEngine(reference.shape, reference.weights, threads=1)
    states, random = states_of(engine, cached), Random(5)
    parts = [random.randbytes(size) for size in (70, 300, 900)]
    prompts = [b"".join(random.sample(parts, k)) + random.randbytes(3) for k in (1, 2, 3) for _ in range(6)]
    for prompt in prompts * 2:
        reading = states.open(prompt)
        while not reading.is_done:
            reading.advance(random.randrange(1, 200))
        state, logits = reading.result()
        alone = engine.start()
        assert np.array_equal(logits, engine.feed(alone, prompt, pin=True))
        assert np.array_equal(engine.feed(state, b"trace", pin=False), engine.feed(alone, b"trace", pin=False))
        assert states.nbytes <= cached
    assert (states.reused_bytes > 0) == (cached > 0)


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [(b"", b"", 0), (b"abc", b"abd", 2), (b"abc", b"ab", 2), (b"x", b"y", 0), (b"ab", b"ab", 2)],
)
def test_the_shared_size_is_that_of_the_common_prefix(left: bytes, right: bytes, size: int) -> None:
    assert shared_size(left, right) == shared_size(right, left) == size


class Stingy(Counting):
    """An engine that also notes the largest piece that it reads."""

    largest = 0

    def feed(self, state: Any, data: bytes, *, pin: bool) -> Any:
        self.largest = max(self.largest, len(data))
        return super().feed(state, data, pin=pin)


@pytest.mark.usefixtures("sandbox")
def test_ctrl_c_waits_for_a_small_piece_of_a_prompt_or_of_a_given_text() -> None:
    source = "".join(f"def f{n}(n):\n    for i in range(n):\n        i = i * {n}\n    return i\n" for n in range(40))
    asked = PredictionRequest(program=Program(source=source, call="f1(20)"), limit=400)
    (true,) = Interpreter().predict([asked])
    engine = Stingy()
    asked = replace(asked, given=true.text[: true.text.rindex(b"\n", 0, 120) + 1])
    (prediction,) = Local(engine, name="random").predict([asked])
    assert prediction.text.startswith(asked.given)
    assert len(asked.prompt) > 1000
    assert len(asked.given) > INTERRUPTIBLE_BYTES
    assert engine.largest == INTERRUPTIBLE_BYTES
