"""Scores any text with an engine: the log-probability of each byte.

A prefix that several texts share is read once. No guide is used, so probability on impossible bytes counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.predict.prediction import PredictionRequest
from worldline.predict.rollout import ForkingEngine, Logits

ByteLogprobs = NDArray[np.float64]


@dataclass(frozen=True)
class EngineScorer:
    """Scores texts by the logits of an engine that reads them."""

    engine: ForkingEngine

    def score(self, request: PredictionRequest, texts: Sequence[bytes], /) -> list[ByteLogprobs]:
        """Score texts that continue `request.given`; see `ScoresText`."""
        state = self.engine.start()
        logits = self.engine.feed(state, request.prompt, pin=True)
        if request.given:
            logits = self.engine.feed(state, request.given, pin=False)
        logprobs = [np.zeros(len(text)) for text in texts]
        waiting = [_Branch(state, logits, 0, [n for n, text in enumerate(texts) if text])]
        while waiting:
            branch = waiting.pop()
            waiting += self._read(branch, texts, logprobs)
        return logprobs

    def _read(self, branch: _Branch, texts: Sequence[bytes], logprobs: list[ByteLogprobs]) -> Iterator[_Branch]:
        """Read the common prefix of a branch's texts, and yield the branches after it."""
        shared = _shared([texts[index][branch.start :] for index in branch.indices])
        end = branch.start + len(shared)
        logits = branch.logits
        if shared:
            rows = np.concatenate([logits[None], self.engine.feed_all(branch.state, shared, pin=False)])
            logits = rows[-1]
            for index in branch.indices:
                logprobs[index][branch.start : end] = _logprobs(rows[:-1], shared)
        groups: dict[int, list[int]] = {}
        for index in branch.indices:
            if len(texts[index]) > end:
                groups.setdefault(texts[index][end], []).append(index)
        for byte, group in groups.items():
            for index in group:
                logprobs[index][end] = _logprobs(logits[None], bytes([byte]))[0]
            further = [index for index in group if len(texts[index]) > end + 1]
            if further:
                state = branch.state.fork()
                yield _Branch(state, self.engine.feed(state, bytes([byte]), pin=False), end + 1, further)


@dataclass(frozen=True)
class _Branch:
    """Texts that are equal up to `start`, and the engine's state there."""

    state: Any
    logits: Logits
    start: int
    indices: list[int]


def _shared(texts: Sequence[bytes]) -> bytes:
    """Return the common prefix of all texts: that of the smallest and the largest."""
    first, last = min(texts), max(texts)
    size = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:size]


def _logprobs(rows: Logits, data: bytes) -> ByteLogprobs:
    """Return the log-probability of each byte, given the logits before it."""
    wide = rows.astype(np.float64)
    wide -= wide.max(-1, keepdims=True)
    logprobs: ByteLogprobs = wide[np.arange(len(data)), np.frombuffer(data, np.uint8)] - np.log(np.exp(wide).sum(-1))
    return logprobs
