"""One text being written by an engine, byte by byte: which byte comes next, and when it is enough.

`imagine` writes the steps of one program, `unroll` does so while somebody watches. Several at once are `local`. An
engine is whatever gives 256 logits after each byte; nothing here knows its kind, or what is right.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import is_ended
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of

Logits = NDArray[np.float32]
_ANY = (1 << 256) - 1


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


@runtime_checkable
class ForkingEngine(Engine, Protocol):
    """An engine whose states can be copied by `fork()`, and that says what follows each of many bytes."""

    def feed_all(self, state: Any, data: bytes, *, pin: bool) -> Logits:
        """256 logits after each of these bytes."""
        ...


class Script(Protocol):
    """Somebody who dictates a part of a text: asked at every byte that the grammar leaves open."""

    def allowed(self, text: bytearray, /) -> int:
        """The bytes that are the model's to choose from behind this text, as bits."""
        ...

    def instead(self, text: bytearray, byte: int | None, /) -> bytes | None:
        """What is written instead of the byte that the model chose: nothing else, some bytes, or None to stop here."""
        ...


class WrittenByte(NamedTuple):
    """One byte, its natural log-probability, and the entropy (nats) it was drawn from; both 0 when it was forced."""

    byte: int
    logprob: float
    entropy: float


class RolloutDraft:
    """A text under way: what is written, what the grammar says, what somebody dictates, and what it cost.

    `logprobs` and `entropies` are kept for each byte behind `given` once they are lists; `dictated` are spans of text.
    """

    def __init__(
        self,
        ask: PredictionRequest,
        *,
        guide: bool,
        guard: bool,
        temperature: float,
        random: Random | None,
        script: Script | None = None,
    ) -> None:
        if temperature > 0 and random is None:
            raise UsageError("a temperature needs a source of randomness")
        self.ask, self.text = ask, bytearray(ask.given)
        self.guide: Guide | None = None
        if guide:
            try:
                self.guide = guide_behind(ask, guard=guard)
            except UsageError:
                if script is None:  # else an earlier dictation may have left the grammar, as below
                    raise
        self.logprob, self.seconds, self.status = 0.0, 0.0, ""
        self.logprobs: list[float] | None = None
        self.entropies: list[float] = []
        self.dictated: list[tuple[int, int]] = []
        self._script = script
        self._temperature, self._random = temperature, random
        self._settle()

    def force(self) -> bytes:
        """Writes what the grammar leaves no choice about, as far as the limit goes."""
        if self.guide is None:
            return b""
        data = self.guide.advance(self.ask.limit - len(self.text))
        if data:
            self._add(data, 0.0, 0.0)
        return data

    def write(self, byte: int, logprob: float, entropy: float = 0.0) -> bytes:
        """Writes a byte that was chosen, or what is dictated instead; what was written."""
        data = self._script.instead(self.text, byte) if self._script is not None else b""
        if data is None:
            self.status = "budget"
            return b""
        if data:
            return self.dictate(data[: self.ask.limit - len(self.text)])
        if self.guide is not None:
            self.guide.feed(byte)
        self.logprob += logprob
        self._add(bytes([byte]), logprob, entropy)
        return bytes([byte])

    def fork(self, *, limit: int, script: Script | None = None) -> RolloutDraft:
        """An independent copy that goes on from here, with another limit and another script."""
        other = copy.copy(self)
        other.ask = replace(self.ask, limit=limit)
        other.text, other.guide = bytearray(self.text), self.guide and self.guide.fork()
        other.logprobs, other.entropies, other.dictated = None, [], []
        other._script = script
        return other

    def dictate(self, data: bytes) -> bytes:
        """Goes on by bytes that were not chosen. Where they leave the grammar, no guide follows."""
        if self.guide is not None:
            try:
                self.guide.feed_all(data)
            except ImpossibleByte:  # what the model wrote before leaves no way to it
                self.guide = _unguarded(self.ask, bytes(self.text) + data)
        joins = self.dictated and self.dictated[-1][1] == len(self.text)
        start = self.dictated.pop()[0] if joins else len(self.text)
        self.dictated.append((start, len(self.text) + len(data)))
        self._add(data, 0.0, 0.0)
        return data

    def _add(self, data: bytes, logprob: float, entropy: float) -> None:
        self.text += data
        if self.logprobs is not None:
            self.logprobs += [logprob] * len(data)
            self.entropies += [entropy] * len(data)
        self._settle()

    def choose(self, logits: Logits) -> tuple[int, float]:
        """The next byte, the likeliest that may come or one drawn, and its log-probability among those."""
        found = chosen(self.masked(logits), self._temperature, self._random)
        if found is None:
            self.status = "broken"
        return found or (0, 0.0)

    def entropy(self, logits: Logits) -> float:
        """How open the next byte is, in nats."""
        logits = self.masked(logits)
        weights = np.exp((logits - logits.max()).astype(np.float64))
        weights = weights[weights > 0] / weights.sum()
        return float(-(weights * np.log(weights)).sum())

    def masked(self, logits: Logits) -> Logits:
        """Logits of the bytes that may come; of all others minus infinity."""
        bits = self.guide.bits if self.guide is not None else _ANY
        if self._script is not None:
            bits = bits & self._script.allowed(self.text) or bits
        if bits == _ANY:
            return logits
        with np.errstate(invalid="ignore"):  # infinity less infinity: `choose` sees it
            return logits + penalty(bits)

    @property
    def script(self) -> Script | None:
        """Who dictates a part of it."""
        return self._script

    def prediction(self) -> Prediction:
        """What has come of it."""
        status = self.status or "budget"
        return Prediction(text=bytes(self.text), status=status, logprob=self.logprob, seconds=self.seconds)

    def _settle(self) -> None:
        ended = self.guide.ended if self.guide is not None else is_ended(self.text)
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
    ask = PredictionRequest(program=program, options=options or Compact(), limit=limit, given=given)
    draft = RolloutDraft(ask, guide=guide, guard=guard, temperature=0.0, random=None)
    began = time.perf_counter()
    for _ in unroll(engine, draft):
        pass
    draft.seconds = time.perf_counter() - began
    return draft.prediction()


def unroll(engine: Engine, draft: RolloutDraft) -> Iterator[WrittenByte]:
    """Writes a draft to its end, one byte at a time; what is given is read and not reported."""
    state = engine.start()
    logits = engine.feed(state, draft.ask.prompt, pin=True)
    if draft.text:
        logits = engine.feed(state, bytes(draft.text), pin=False)
    while not draft.status:
        data = draft.force()
        if data:
            yield from (WrittenByte(byte, 0.0, 0.0) for byte in data)
        else:
            byte, logprob = draft.choose(logits)
            if draft.status:
                return
            entropy = draft.entropy(logits)
            data = draft.write(byte, logprob, entropy)
            chosen = data == bytes([byte])
            yield from (
                WrittenByte(b, logprob, entropy) if chosen else WrittenByte(b, 0.0, 0.0) for b in data
            )
        if not draft.status:
            logits = engine.feed(state, data, pin=False)


def guide_behind(ask: PredictionRequest, *, guard: bool) -> Guide:
    """The guide behind what is given; a given text that leaves the control flow is followed without the guard."""
    for guarded in (True, False) if guard else (False,):
        guide = Guide(ask.program, ask.options, guard=guarded, table=table_of(ask.program), hidden=ask.hidden)
        try:
            guide.feed_all(ask.given)
        except ImpossibleByte as refused:
            problem = refused
        else:
            return guide
    raise UsageError(f"the steps given are not steps of this program: {problem}")


def _unguarded(ask: PredictionRequest, text: bytes) -> Guide | None:
    """The guide behind a text, without the guard; none behind one that is not of the grammar."""
    guide = Guide(ask.program, ask.options, table=table_of(ask.program), hidden=ask.hidden)
    try:
        guide.feed_all(text)
    except ImpossibleByte:
        return None
    return guide


def chosen(logits: Logits, temperature: float, random: Random | None) -> tuple[int, float] | None:
    """The likeliest byte, or one drawn, and its log-probability; None where no byte may come or a logit is none."""
    byte = int(logits.argmax())
    best = float(logits[byte])  # not a number if any logit is none
    if not math.isfinite(best):  # no byte may come, or the weights are damaged: the model's failure
        return None
    total = float(np.exp(logits - best).sum())
    if temperature > 0 and random is not None:
        byte = _draw(logits, temperature, random)
    return byte, float(logits[byte]) - best - math.log(total)


def _draw(logits: Logits, temperature: float, random: Random) -> int:
    weights = np.exp((logits - logits.max()).astype(np.float64) / temperature)
    sums = weights.cumsum()
    return int(np.searchsorted(sums, random.random() * sums[-1], side="right"))


@lru_cache(maxsize=8192)
def penalty(bits: int) -> Logits:
    """Zero for the bytes that may come, minus infinity for all others."""
    allowed = np.unpackbits(np.frombuffer(bits.to_bytes(32, "little"), np.uint8), bitorder="little")
    found = np.where(allowed, np.float32(0), np.float32(-np.inf)).astype(np.float32)
    found.setflags(write=False)
    return found
