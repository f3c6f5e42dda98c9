"""How likely a predictor takes texts to be that it did not write: the log-probability of each of their bytes.

An engine reads them, each common beginning once; no guide helps it, so that mass on what cannot be is seen. The
interpreter takes every value of a finite draw for as likely as the others, and all else for certain. Servers tell
log-probabilities of their own text alone: they have no odds here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.core.hidden import possibilities
from worldline.plan.futures.draws import draw_places
from worldline.plan.futures.walk import is_chance
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.predictor import Ask, Predictor
from worldline.predict.rollout import Logits

Numbers = NDArray[np.float64]


class Odds(Protocol):
    """Whoever tells how likely a text is."""

    def read(self, ask: Ask, texts: Sequence[bytes]) -> list[Numbers]:
        """Of each text behind `ask.given`, in their order: the natural log-probability of each of its bytes."""
        ...


def odds_of(predictor: Predictor) -> Odds | None:
    """The odds of a predictor; None of one that does not tell how likely a text is that it did not write."""
    if isinstance(predictor, Interpreter):
        return EvenOdds()
    if isinstance(predictor, Local) and hasattr(predictor.engine, "feed_all"):
        return EngineOdds(predictor.engine)
    return None


def certain_odds(predictor: Predictor) -> Odds:
    """The same, for who cannot do without."""
    found = odds_of(predictor)
    if found is None:
        raise UsageError(f"{predictor.name} does not tell how likely a text is that it did not write")
    return found


class EvenOdds:
    """What the interpreter knows: each value of a finite draw is as likely as the others, the rest is certain."""

    def read(self, ask: Ask, texts: Sequence[bytes]) -> list[Numbers]:
        """Of each text behind `ask.given`."""
        return [self._read(ask.given + text)[len(ask.given) :] for text in texts]

    def _read(self, text: bytes) -> Numbers:
        found = np.zeros(len(text))
        for place in draw_places(text):
            if is_chance(place.kind) and (n := possibilities(place.kind)):
                found[place.start] = -np.log(n)
        return found


@dataclass(frozen=True)
class EngineOdds:
    """What an engine says while it reads."""

    engine: Any

    def read(self, ask: Ask, texts: Sequence[bytes]) -> list[Numbers]:
        """Of each text behind `ask.given`; what several begin with is read once."""
        state = self.engine.start()
        logits = self.engine.feed(state, ask.prompt, pin=True)
        if ask.given:
            logits = self.engine.feed(state, ask.given, pin=False)
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
