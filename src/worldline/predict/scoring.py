"""How likely an engine takes texts to be that it did not write: the log-probability of each of their bytes.

A beginning that several texts share is read once. No guide helps the engine, so that probability on impossible
bytes is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.predict.prediction import PredictionRequest
from worldline.predict.rollout import ForkingEngine, Logits

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class EngineScorer:
    """Scores texts by what an engine says while it reads them."""

    engine: ForkingEngine

    def score(self, request: PredictionRequest, texts: Sequence[bytes], /) -> list[Numbers]:
        """The natural log-probability of each byte of each text that continues `request.given`."""
        state = self.engine.start()
        logits = self.engine.feed(state, request.prompt, pin=True)
        if request.given:
            logits = self.engine.feed(state, request.given, pin=False)
        found = [np.zeros(len(text)) for text in texts]
        waiting = [_Branch(state, logits, 0, [n for n, text in enumerate(texts) if text])]
        while waiting:
            branch = waiting.pop()
            waiting += self._read(branch, texts, found)
        return found

    def _read(self, branch: _Branch, texts: Sequence[bytes], found: list[Numbers]) -> Iterator[_Branch]:
        """Reads what the texts of a branch have in common; the branches that it parts into."""
        shared = _shared([texts[number][branch.at :] for number in branch.numbers])
        end = branch.at + len(shared)
        logits = branch.logits
        if shared:
            rows = np.concatenate([logits[None], self.engine.feed_all(branch.state, shared, pin=False)])
            logits = rows[-1]
            for number in branch.numbers:
                found[number][branch.at : end] = _logprobs(rows[:-1], shared)
        groups: dict[int, list[int]] = {}
        for number in branch.numbers:
            if len(texts[number]) > end:
                groups.setdefault(texts[number][end], []).append(number)
        for byte, group in groups.items():
            for number in group:
                found[number][end] = _logprobs(logits[None], bytes([byte]))[0]
            further = [number for number in group if len(texts[number]) > end + 1]
            if further:
                state = branch.state.fork()
                yield _Branch(state, self.engine.feed(state, bytes([byte]), pin=False), end + 1, further)


@dataclass(frozen=True)
class _Branch:
    """Texts that begin alike: what the engine has read of them, and their numbers."""

    state: Any
    logits: Logits
    at: int
    numbers: list[int]


def _shared(texts: Sequence[bytes]) -> bytes:
    """What all texts begin with: what the first and the last of them, sorted, do."""
    first, last = min(texts), max(texts)
    size = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:size]


def _logprobs(rows: Logits, data: bytes) -> Numbers:
    """Of each byte, behind its row."""
    wide = rows.astype(np.float64)
    wide -= wide.max(-1, keepdims=True)
    found: Numbers = wide[np.arange(len(data)), np.frombuffer(data, np.uint8)] - np.log(np.exp(wide).sum(-1))
    return found
