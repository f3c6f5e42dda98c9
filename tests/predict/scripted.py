"""Engines for tests: one that knows its texts by heart, and a real one with random weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from worldline.model.engine.reference import ReferenceEngine, parameter_shapes
from worldline.model.shape import Shape

Array = NDArray[np.float32]


class Place:
    """How far a scripted engine has come: the text that its prompt stands for, and an offset."""

    def __init__(self, text: bytes = b"", at: int = 0, prompt: bytes = b"") -> None:
        self.text, self.at, self.prompt = text, at, prompt

    def fork(self) -> Place:
        return Place(self.text, self.at, self.prompt)

    @property
    def nbytes(self) -> int:
        return len(self.prompt)


class Scripted:
    """Wants the text that belongs to the prompt; `bias` is added to its wish. It keeps what it was fed, by call."""

    def __init__(self, texts: Mapping[bytes, bytes], *, bias: Array | None = None) -> None:
        self.texts, self.bias = texts, bias
        self.fed: list[tuple[bytes, bool]] = []
        self.batches: list[int] = []

    def start(self) -> Place:
        return Place()

    def feed(self, state: Place, data: bytes, *, pin: bool) -> Array:
        self.fed.append((data, pin))
        if pin:
            state.prompt += data
            state.text, state.at = self.texts.get(state.prompt, b""), 0
        else:
            assert state.text[state.at : state.at + len(data)] == data or self.bias is not None
            state.at += len(data)
        return self._wish(state)

    def step(self, states: Sequence[Place], data: bytes) -> Array:
        assert len(states) == len(data)
        self.batches.append(len(states))
        for state in states:
            state.at += 1
        return np.stack([self._wish(state) for state in states])

    def _wish(self, state: Place) -> Array:
        logits = np.zeros(256, np.float32)
        if state.text:  # the whole prompt has been read
            logits[state.text[min(state.at, len(state.text) - 1)]] = 5.0
        return logits if self.bias is None else logits + self.bias


def random_engine(seed: int) -> ReferenceEngine:
    """The NumPy engine, small, with weights that mean nothing."""
    shape, random = Shape(depth=3, window=64), np.random.default_rng(seed)
    weights = {name: 0.2 * random.standard_normal(size) for name, size in parameter_shapes(shape).items()}
    return ReferenceEngine(shape, {name: array.astype(np.float32) for name, array in weights.items()})
