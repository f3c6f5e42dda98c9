"""A rollout: one text that an engine writes byte by byte, and when it ends.

`local` writes several texts at once. An engine is anything that returns 256 logits after each byte.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.turns import is_ended
from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of

Logits = NDArray[np.float32]
_ANY = (1 << 256) - 1


class Engine(Protocol):
    """Evaluates a model that reads bytes."""

    def start(self) -> Any:
        """Return the state before the first byte."""
        ...

    def feed(self, state: Any, data: bytes, *, pin: bool) -> Logits:
        """Read bytes and return the 256 logits after them; `pin` keeps the bytes in the attention window for good."""
        ...

    def step(self, states: Sequence[Any], data: bytes) -> Logits:
        """Read one byte per state and return 256 logits for each."""
        ...


@runtime_checkable
class ForkingEngine(Engine, Protocol):
    """An engine whose states have a `fork()` that copies them."""

    def feed_all(self, state: Any, data: bytes, *, pin: bool) -> Logits:
        """Read bytes and return the 256 logits after each of them."""
        ...


class Script(Protocol):
    """Dictates part of a text. It is consulted at every byte that the grammar leaves open."""

    def allowed(self, text: bytearray, /) -> int:
        """Return the bytes the model may choose after this text, as a bit set."""
        ...

    def instead(self, text: bytearray, byte: int | None, /) -> bytes | None:
        """Return bytes to write instead of the model's choice; empty to accept it, None to stop here."""
        ...


class RolloutDraft:
    """A text in progress, with its grammar, its script and its log-probability.

    `logprobs` and `entropies` hold one number per byte after `given`, unless `logprobs` is None. `dictated` holds spans
    of the text.
    """

    def __init__(
        self,
        request: PredictionRequest,
        *,
        guide: bool,
        guard: bool,
        temperature: float,
        random: Random | None,
        script: Script | None = None,
    ) -> None:
        if temperature > 0 and random is None:
            raise UsageError("a temperature above 0 needs a random generator: pass `random`")
        self.request, self.text = request, bytearray(request.given)
        self.guide: Guide | None = None
        if guide:
            try:
                self.guide = guide_after(request, guard=guard)
            except UsageError:
                # With a script, earlier dictation may have left the grammar (see `dictate`).
                if script is None:
                    raise
        self.logprob, self.seconds, self.status = 0.0, 0.0, ""
        self.logprobs: list[float] | None = None
        self.entropies: list[float] = []
        self.dictated: list[tuple[int, int]] = []
        self._script = script
        self._temperature, self._random = temperature, random
        self._settle()

    @property
    def is_greedy(self) -> bool:
        """Whether the likeliest byte is always chosen."""
        return not self._temperature

    def force(self) -> bytes:
        """Write the bytes for which the grammar leaves no choice, up to the limit, and return them."""
        if self.guide is None:
            return b""
        data = self.guide.advance(self.request.limit - len(self.text))
        if data:
            self._add(data, 0.0, 0.0)
        return data

    def write(self, byte: int, logprob: float, entropy: float = 0.0) -> bytes:
        """Write the chosen byte or what the script dictates instead, and return what was written."""
        data = self._script.instead(self.text, byte) if self._script is not None else b""
        if data is None:
            self.status = "budget"
            return b""
        if data:
            return self.dictate(data[: self.request.limit - len(self.text)])
        if self.guide is not None:
            self.guide.feed(byte)
        self.logprob += logprob
        self._add(bytes([byte]), logprob, entropy)
        return bytes([byte])

    def fork(self, *, limit: int, script: Script | None = None) -> RolloutDraft:
        """Return an independent copy at this point, with its own limit and script."""
        other = copy.copy(self)
        other.request = replace(self.request, limit=limit)
        other.text, other.guide = bytearray(self.text), self.guide and self.guide.fork()
        other.logprobs, other.entropies, other.dictated = None, [], []
        other._script = script
        return other

    def dictate(self, data: bytes) -> bytes:
        """Write bytes that the model did not choose. If they leave the grammar, the rest is unguided."""
        if self.guide is not None:
            try:
                self.guide.feed_all(data)
            except ImpossibleByte:
                self.guide = _unguarded(self.request, bytes(self.text) + data)
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
        """Return the next byte, the likeliest allowed one or a sampled one, and its log-probability."""
        choice = choose_byte(self.masked(logits), self._temperature, self._random)
        if choice is None:
            self.status = "broken"
        return choice or (0, 0.0)

    def entropy(self, logits: Logits) -> float:
        """Return the entropy of the next byte in nats."""
        logits = self.masked(logits)
        weights = np.exp((logits - logits.max()).astype(np.float64))
        weights = weights[weights > 0] / weights.sum()
        return float(-(weights * np.log(weights)).sum())

    def masked(self, logits: Logits) -> Logits:
        """Return the logits with minus infinity for bytes that are not allowed."""
        bits = self.guide.bits if self.guide is not None else _ANY
        if self._script is not None:
            bits = bits & self._script.allowed(self.text) or bits
        if bits == _ANY:
            return logits
        with np.errstate(invalid="ignore"):  # `choose` handles infinity minus infinity
            return logits + logit_mask(bits)

    @property
    def script(self) -> Script | None:
        return self._script

    def prediction(self) -> Prediction:
        """Return the text so far as a prediction."""
        status = self.status or "budget"
        return Prediction(text=bytes(self.text), status=status, logprob=self.logprob, seconds=self.seconds)

    def _settle(self) -> None:
        ended = self.guide.ended if self.guide is not None else is_ended(self.text)
        if ended:
            self.status = "ended"
        elif len(self.text) >= self.request.limit:
            self.status = "budget"


def guide_after(request: PredictionRequest, *, guard: bool) -> Guide:
    """Return the strictest guide that accepts `request.given`.

    An edit may contradict the control flow, and change a name that its line does not assign.
    """
    rules = [(False, request.options), (False, replace(request.options, assigned=False))]
    if guard:
        rules.insert(0, (True, request.options))
    for is_guarded, options in rules:
        guide = Guide(
            request.program, options, guard=is_guarded, table=table_of(request.program), hidden=request.hidden
        )
        try:
            guide.feed_all(request.given)
        except ImpossibleByte as error:
            problem = error
        else:
            return guide
    raise UsageError(f"the given steps are not steps of this program: {problem}")


def _unguarded(request: PredictionRequest, text: bytes) -> Guide | None:
    """Return the guide after a text, without the guard; None if the text does not match the grammar."""
    guide = Guide(request.program, request.options, table=table_of(request.program), hidden=request.hidden)
    try:
        guide.feed_all(text)
    except ImpossibleByte:
        return None
    return guide


def choose_byte(logits: Logits, temperature: float, random: Random | None) -> tuple[int, float] | None:
    """Return the likeliest byte, or a sampled one, and its log-probability; None if no byte is possible."""
    byte = int(logits.argmax())
    best = float(logits[byte])  # NaN if any logit is NaN
    # No byte is allowed, or the weights are damaged.
    if not math.isfinite(best):
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
def logit_mask(bits: int) -> Logits:
    """Return 0 for the bytes in a bit set and minus infinity for all others."""
    allowed = np.unpackbits(np.frombuffer(bits.to_bytes(32, "little"), np.uint8), bitorder="little")
    mask = np.where(allowed, np.float32(0), np.float32(-np.inf)).astype(np.float32)
    mask.setflags(write=False)
    return mask
