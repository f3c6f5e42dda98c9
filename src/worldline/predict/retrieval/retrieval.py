"""A predictor that looks up steps before the model predicts them.

Where the memory has a step of the same statement with the same values, its text is dictated; the model writes
everything else, after what was dictated. The result is a prediction: nothing is executed, and the memory can be wrong
where a statement depends on more than its names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from worldline.codec.compact.parse import parse
from worldline.codec.compact.script import ANY, state_bits
from worldline.predict.local import Local
from worldline.predict.prediction import Prediction, PredictionRequest, StreamPiece
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.retrieval.step_memory import StepMemory, can_remember, frame_names
from worldline.predict.rollout import ForkingEngine, Logits, RolloutDraft, Script

_STATE_STARTS = (0x20, 0x0A)
# Looked up together.
MAX_CHAIN = 200


class MemoryScript:
    """Dictates what the memory has."""

    left: int | None = None
    answered: AbstractSet[int] = frozenset()

    def __init__(self, request: PredictionRequest, memory: StepMemory) -> None:
        self._request, self._memory, self._prompt = request, memory, request.prompt
        # Where a dictated line number ends, and the start of the line about which the memory was asked last.
        self._sealed, self._asked = -1, -1

    def finish(self, text: bytes) -> None:
        """Do nothing."""

    def allowed(self, text: bytearray) -> int:
        """Allow every byte, but no digit after a dictated line number."""
        return state_bits(_part(bytes(text))) if len(text) == self._sealed else ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Return the known continuation where a state or, after a call, the next step is due."""
        start = text.rfind(b"\n") + 1
        if start == self._asked:
            return b""
        line = bytes(text[start:])
        digits = len(line) - len(line.lstrip(b"0123456789"))
        # The grammar may have written the start of the state, such as the name that the line assigns.
        written = line[digits:]
        is_state = digits > 0 and (byte in _STATE_STARTS if not written else written.startswith(b" "))
        if not is_state and (line or not _has_returned(text)):
            return b""
        self._asked = start
        return self._recall(bytes(text), written)

    def _recall(self, text: bytes, written: bytes) -> bytes:
        """Return all that the memory knows after a text, the end of which is the written part of an entry."""
        known = text.removesuffix(written)
        entry = self._next(known)
        if not entry or not entry.startswith(written):
            return b""
        for _ in range(MAX_CHAIN):
            known += entry
            entry = self._next(known)
            if not entry:
                break
        if _part(known).isdigit():
            self._sealed, self._asked = len(known), known.rfind(b"\n") + 1
        return known[len(text) :]

    def _next(self, text: bytes) -> bytes | None:
        """Look up what follows a text that ends with a line number, or with a return."""
        request, part = self._request, _part(text)
        if part.isdigit():
            steps = parse(text + b"\n", self._prompt).steps
            if not steps or steps[-1].event != "line":
                return None
            names = frame_names(steps[:-1], steps[-1].frame)
            return self._memory.find(request.program, request.options, steps[-1].line, names)
        if part or not _has_returned(text):
            return None
        parsed = parse(text, self._prompt)
        if not parsed.steps or parsed.malformed is not None or parsed.steps[-1].event != "return":
            return None
        caller = parsed.frames[parsed.steps[-1].frame].parent
        own = [step for step in parsed.steps if step.frame == caller]
        if not own or own[-1].event != "line":
            return None
        calls = sum(
            step.event == "call" and step.i > own[-1].i and parsed.frames[step.frame].parent == caller
            for step in parsed.steps
        )
        names = frame_names(own[:-1], caller)
        return self._memory.find(request.program, request.options, own[-1].line, names, calls)


def _part(text: bytes) -> bytes:
    """Return the line that is being written."""
    return text[text.rfind(b"\n") + 1 :]


def _has_returned(text: bytes | bytearray) -> bool:
    """Whether the last line is a return."""
    if not text.endswith(b"\n"):
        return False
    line = text[text.rfind(b"\n", 0, len(text) - 1) + 1 :]
    return bytes(line).lstrip(b"0123456789").startswith(b")") and not bytes(line).startswith(b")!")


@dataclass
class Retrieval:
    """Looks up steps in a memory, and leaves the others to a local model."""

    decoder: Local
    memory: StepMemory
    # Of the prediction that was yielded last, as in `DecodesBytes`.
    logprobs: list[float] = field(default_factory=list, init=False)
    entropies: list[float] = field(default_factory=list, init=False)
    dictated: list[tuple[int, int]] = field(default_factory=list, init=False)

    @property
    def info(self) -> ModelInfo:
        """That of the model, with the memory's digest: it is calibrated on its own."""
        info = self.decoder.info
        return replace(info, name=f"{info.name}, memory", digest=f"{info.digest} memory {self.memory.digest[:16]}")

    @property
    def capabilities(self) -> Capabilities:
        """Those of the model; texts are scored without the memory."""
        return replace(self.decoder.capabilities, decodes_bytes=self)

    @property
    def forking_engine(self) -> ForkingEngine | None:
        """The engine, if its states can be copied."""
        return self.decoder.forking_engine

    def settled(self, *, guard: bool | None = None, logprobs: bool = True) -> Retrieval:
        """Return a copy that stores log-probabilities or not, with the guard on, off or as it is."""
        return Retrieval(self.decoder.settled(guard=guard, logprobs=logprobs), self.memory)

    def _script(self, request: PredictionRequest, script: Script | None) -> Script | None:
        """The memory as a script; another script stays as it is."""
        if script is not None or not can_remember(request.program, request.options):
            return script
        return MemoryScript(request, self.memory)

    def draft(self, request: PredictionRequest, script: Script | None = None) -> RolloutDraft:
        """Start a text."""
        return self.decoder.draft(request, self._script(request, script))

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is ready."""
        return self.follow(requests, [None] * len(requests))

    def follow(self, requests: Sequence[PredictionRequest], scripts: Sequence[Script | None]) -> Iterator[Prediction]:
        """Yield one prediction per request; the memory serves those without a script."""
        pairs = zip(requests, scripts, strict=True)
        own = [self._script(request, script) for request, script in pairs]
        for prediction in self.decoder.follow(requests, own):
            decoder = self.decoder
            self.logprobs, self.entropies, self.dictated = decoder.logprobs, decoder.entropies, decoder.dictated
            yield prediction

    def complete(self, started: Iterable[tuple[RolloutDraft, Any, Logits]]) -> Iterator[RolloutDraft]:
        """Finish started texts, each from its own engine state and the logits there."""
        return self.decoder.complete(started)

    def stream(
        self, request: PredictionRequest, *, stop: Callable[[], bool], script: Script | None = None, loose: bool = False
    ) -> Iterator[StreamPiece]:
        """Yield the pieces of one prediction as they are written, until `stop` returns true."""
        return self.decoder.stream(request, stop=stop, script=self._script(request, script), loose=loose)
