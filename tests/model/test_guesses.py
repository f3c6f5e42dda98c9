"""Bytes that are read on trial: taken back, or kept, a state is to the bit what reading byte by byte makes of it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from nets import random_bytes, random_trunk, weights_of

from worldline.model.engine import native as engine_native
from worldline.model.engine.native import MAX_GUESS_BYTES, NativeEngine
from worldline.model.shape import Shape

pytestmark = pytest.mark.skipif(not engine_native.is_built(), reason="the C engine was not built")

SHAPES = (
    Shape(depth=4, window=16, householders=2),
    Shape(depth=2, window=1, mix="attention"),
    Shape(depth=2, mix="recurrence", householders=3),
    Shape(depth=5, window=70),
)
KINDS = [(precision, path) for precision in engine_native.PRECISIONS for path in engine_native.instruction_sets()]


@pytest.fixture(params=KINDS, ids="-".join)
def kind(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A precision and a path."""
    parameters: tuple[str, str] = request.param
    return parameters


def make(shape: Shape, kind: tuple[str, str], threads: int = 2) -> NativeEngine:
    """A random net behind an engine."""
    precision, path = kind
    weights = weights_of(random_trunk(shape))
    return NativeEngine(shape, weights, threads=threads, precision=precision, path=path)


def begun(machine: NativeEngine, count: int) -> list[Any]:
    """States behind prompts of several lengths."""
    states = []
    for n in range(count):
        states.append(machine.start())
        machine.feed(states[-1], random_bytes(5 + 7 * n, seed=n), pin=True)
    return states


@pytest.mark.sampled(1)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_random_guesses_change_nothing(shape: Shape, kind: tuple[str, str]) -> None:
    """Members of a batch read ragged pieces with guesses that are right, partly right, wrong or none."""
    rng, machine = Random(3), make(shape, kind)
    states, plain = begun(machine, 5), begun(machine, 5)
    texts = [random_bytes(200, seed=50 + n) for n in range(5)]
    true = [machine.feed_all(state, text, pin=False) for state, text in zip(plain, texts, strict=True)]
    at = [0] * 5
    for _ in range(60):
        who = [n for n in range(5) if at[n] < 170 and rng.random() < 0.8]
        sizes = [rng.choice((1, 1, 2, 3, 9)) for _ in who]
        right = [rng.choice((0, 1, 2, 5, MAX_GUESS_BYTES)) for _ in who]
        wrong = [rng.choice((0, 0, 1, 4, MAX_GUESS_BYTES)) for _ in who]
        ends = [at[n] + size for n, size in zip(who, sizes, strict=True)]
        guesses = [
            (texts[n][end : end + good] + random_bytes(bad, seed=end))[:MAX_GUESS_BYTES]
            for n, end, good, bad in zip(who, ends, right, wrong, strict=True)
        ]
        data = [texts[n][at[n] : end] for n, end in zip(who, ends, strict=True)]
        logits = machine.try_all([states[n] for n in who], data, guesses)
        for n, end, guess, rows in zip(who, ends, guesses, logits, strict=True):
            fits = next((i for i in range(len(guess)) if guess[i] != texts[n][end + i]), len(guess))
            keep = rng.randint(0, fits)
            assert np.array_equal(rows[: fits + 1], true[n][end - 1 : end + fits])
            states[n].take_back(len(guess) - keep)
            at[n] = end + keep
            assert (states[n].trace, states[n].loose) == (at[n], keep)
    for n, state in enumerate(states):
        copy = state.fork()
        rest = texts[n][at[n] :]
        assert np.array_equal(machine.feed_all(state, rest, pin=False), true[n][at[n] :])
        assert np.array_equal(machine.feed_all(copy, rest, pin=False), true[n][at[n] :])


def test_a_long_piece_with_a_guess(kind: tuple[str, str]) -> None:
    """More rows than go through the net at once: the guess stays together, and can be taken back whole."""
    machine = make(Shape(depth=3, window=16), kind)
    for size in (47, 48, 49, 63, 64, 65, 200):
        text, [state, other_state, third] = (random_bytes(size + MAX_GUESS_BYTES + 1, seed=size), begun(machine, 3))
        true = machine.feed_all(state.fork(), text, pin=False)
        rows = machine.try_all(
            [other_state, state], [text[:40], text[:size]], [b"", text[size : size + MAX_GUESS_BYTES]]
        )
        assert np.array_equal(rows[1], true[size - 1 : size + MAX_GUESS_BYTES])
        state.take_back(MAX_GUESS_BYTES)
        assert np.array_equal(machine.step([state], text[size : size + 1])[0], true[size])
        assert third.trace == 0


@pytest.mark.long(reason="a guess at each of 400 bytes, in every precision and path")
def test_what_is_taken_back_at_the_edge_of_the_window(kind: tuple[str, str]) -> None:
    """A guess writes keys over old ones of the ring: none that can still be seen."""
    machine = make(Shape(depth=3, window=33), kind)
    text, [state] = random_bytes(400), begun(machine, 1)
    true = machine.feed_all(state.fork(), text, pin=False)
    for at in range(len(text)):
        rows = machine.try_all([state], [text[at : at + 1]], [random_bytes(MAX_GUESS_BYTES, seed=at)])[0]
        assert np.array_equal(rows[0], true[at])
        state.take_back(MAX_GUESS_BYTES)
    assert state.trace == len(text)


def test_memory_does_not_grow(kind: tuple[str, str]) -> None:
    machine = make(Shape(depth=3, window=16), kind)
    [state], sizes = begun(machine, 1), []
    for n in range(200):
        machine.try_all([state], [b"ab"], [random_bytes(MAX_GUESS_BYTES, seed=n)])
        state.take_back(n % MAX_GUESS_BYTES)
        sizes.append(state.nbytes)
    assert len(set(sizes[20:])) == 1


def test_what_cannot_be_taken_back_is_refused() -> None:
    machine = make(Shape(depth=3, window=16), KINDS[0])
    [state] = begun(machine, 1)
    machine.try_all([state], [b"abc"], [b"de"])
    for count in (3, 4, -1):
        with pytest.raises((ValueError, OverflowError)):
            state.take_back(count)
    state.take_back(1)
    state.fork()  # what was not taken back is settled now
    with pytest.raises(ValueError, match="only 0"):
        state.take_back(1)
    with pytest.raises(ValueError, match="may be loose"):
        machine.try_all([state], [b"a"], [b"x" * (MAX_GUESS_BYTES + 1)])
    with pytest.raises(ValueError, match="at least one byte"):
        machine.try_all([state], [b""], [b"x"])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        machine.try_all([state], [b"a"], [])
    assert state.trace == 4
