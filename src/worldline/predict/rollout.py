"""One text being written by an engine, byte by byte: which byte comes next, and when it is enough.

`imagine` writes the steps of one program, `unroll` does so while somebody watches. Several at once are `local`. An
engine is whatever gives 256 logits after each byte; nothing here knows its kind, or what is right.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from worldline.codec.compact_prompt import Compact
from worldline.core.program import Program
from worldline.errors import UsageError
from worldline.predict.guide import Guide, Refused
from worldline.predict.predictor import Ask, Prediction

Logits = NDArray[np.float32]


class Engine(Protocol):
    """A model that reads bytes."""

    def start(self) -> Any:
        """The state before the first byte."""
        ...

    def feed(self, state: Any, data: bytes, *, pin: bool) -> Logits:
        """256 logits after these bytes; `pin` keeps them in sight for good."""
        ...

    def step(self, states: Sequence[Any], data: bytes) -> Logits:
        """256 logits for each state, after one byte for each."""
        ...


class Written(NamedTuple):
    """One byte, its natural log-probability, and the entropy (nats) it was drawn from; both 0 when it was forced."""

    byte: int
    logprob: float
    entropy: float


class Draft:
    """A text under way: what is written, what the grammar says, and what it cost."""

    def __init__(
        self, ask: Ask, *, guide: bool, guard: bool, temperature: float, random: Random | None
    ) -> None:
        if temperature > 0 and random is None:
            raise UsageError("a temperature needs a source of randomness")
        self.ask, self.text = ask, bytearray(ask.given)
        self.guide = _guide(ask, guard) if guide else None
        self.logprob, self.seconds, self.status = 0.0, 0.0, ""
        self.logprobs: list[float] | None = None
        self._temperature, self._random = temperature, random
        self._settle()

    def force(self) -> bytes:
        """Writes what the grammar leaves no choice about, as far as the limit goes."""
        if self.guide is None:
            return b""
        data = self.guide.advance(self.ask.limit - len(self.text))
        if data:
            self._add(data, 0.0)
        return data

    def write(self, byte: int, logprob: float) -> None:
        """Writes a byte that was chosen."""
        if self.guide is not None:
            self.guide.feed(byte)
        self.logprob += logprob
        self._add(bytes([byte]), logprob)

    def _add(self, data: bytes, logprob: float) -> None:
        self.text += data
        if self.logprobs is not None:
            self.logprobs += [logprob] * len(data)
        self._settle()

    def choose(self, logits: Logits) -> tuple[int, float]:
        """The next byte, the likeliest that may come or one drawn, and its log-probability among those."""
        logits = self._masked(logits)
        byte = int(logits.argmax())
        best = float(logits[byte])  # not a number if any logit is none
        if not math.isfinite(best):  # no byte may come, or the weights are damaged: the model's failure
            self.status = "broken"
            return 0, 0.0
        total = float(np.exp(logits - best).sum())
        if self._temperature > 0 and self._random is not None:
            byte = _draw(logits, self._temperature, self._random)
        return byte, float(logits[byte]) - best - math.log(total)

    def entropy(self, logits: Logits) -> float:
        """How open the next byte is, in nats."""
        logits = self._masked(logits)
        weights = np.exp((logits - logits.max()).astype(np.float64))
        weights = weights[weights > 0] / weights.sum()
        return float(-(weights * np.log(weights)).sum())

    def _masked(self, logits: Logits) -> Logits:
        if self.guide is None:
            return logits
        with np.errstate(invalid="ignore"):  # infinity less infinity: `choose` sees it
            return logits + _penalty(self.guide.bits)

    def prediction(self) -> Prediction:
        """What has come of it."""
        status = self.status or "budget"
        return Prediction(text=bytes(self.text), status=status, logprob=self.logprob, seconds=self.seconds)

    def _settle(self) -> None:
        ended = self.guide.ended if self.guide is not None else _is_ended(self.text)
        if ended:
            self.status = "ended"
        elif len(self.text) >= self.ask.limit:
            self.status = "budget"


def imagine(
    engine: Engine,
    program: Program,
    options: Compact | None = None,
    *,
    guide: bool = True,
    guard: bool = False,
    limit: int = 1 << 16,
    given: bytes = b"",
) -> Prediction:
    """The steps of one program, as the engine has them: at each byte the likeliest."""
    ask = Ask(program=program, options=options or Compact(), limit=limit, given=given)
    draft = Draft(ask, guide=guide, guard=guard, temperature=0.0, random=None)
    began = time.perf_counter()
    for _ in unroll(engine, draft):
        pass
    draft.seconds = time.perf_counter() - began
    return draft.prediction()


def unroll(engine: Engine, draft: Draft) -> Iterator[Written]:
    """Writes a draft to its end, one byte at a time; what is given is read and not reported."""
    state = engine.start()
    logits = engine.feed(state, draft.ask.prompt, pin=True)
    if draft.text:
        logits = engine.feed(state, bytes(draft.text), pin=False)
    while not draft.status:
        data = draft.force()
        if data:
            yield from (Written(byte, 0.0, 0.0) for byte in data)
        else:
            byte, logprob = draft.choose(logits)
            if draft.status:
                return
            entropy, data = draft.entropy(logits), bytes([byte])
            draft.write(byte, logprob)
            yield Written(byte, logprob, entropy)
        if not draft.status:
            logits = engine.feed(state, data, pin=False)


def _guide(ask: Ask, guard: bool) -> Guide:
    """The guide behind what is given; a given text that leaves the control flow is followed without the guard."""
    for guarded in (True, False) if guard else (False,):
        guide = Guide(ask.program, ask.options, guard=guarded)
        try:
            guide.feed_all(ask.given)
        except Refused as refused:
            problem = refused
        else:
            return guide
    raise UsageError(f"the steps given are not steps of this program: {problem}")


def _is_ended(text: bytearray) -> bool:
    return text.endswith(b"\n.\n") or text == b".\n"


def _draw(logits: Logits, temperature: float, random: Random) -> int:
    weights = np.exp((logits - logits.max()).astype(np.float64) / temperature)
    sums = weights.cumsum()
    return int(np.searchsorted(sums, random.random() * sums[-1], side="right"))


@lru_cache(maxsize=8192)
def _penalty(bits: int) -> Logits:
    """Zero for the bytes that may come, minus infinity for all others."""
    allowed = np.unpackbits(np.frombuffer(bits.to_bytes(32, "little"), np.uint8), bitorder="little")
    found = np.where(allowed, np.float32(0), np.float32(-np.inf)).astype(np.float32)
    found.setflags(write=False)
    return found
