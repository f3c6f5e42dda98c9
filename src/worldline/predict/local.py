"""An engine as a predictor: a batch of texts, each replaced by the next as soon as it is finished.

Predictions are yielded in the order of their requests. Apart from the text itself, memory per text is constant.
`rollout` chooses bytes; `guess` reads several at once.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.predict.guess import LookAhead, read, write
from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest, StreamPiece
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.prompt_states import PromptStates
from worldline.predict.rollout import Engine, ForkingEngine, Logits, RolloutDraft, Script
from worldline.predict.scoring import EngineScorer

REORDER_WINDOW = 64  # predictions that may overtake a slow one, times the batch size
STREAM_CHUNK_BYTES = 64  # read between two chances to stop a stream
MAX_PROMPT_BYTES = 1 << 15  # of all prompts in a batch; the shipped model's states take 2 KB per byte


@dataclass
class _Member:
    """One text of the batch: its place in the order, its draft and its engine state."""

    order: int
    draft: RolloutDraft
    ahead: LookAhead
    prompt_bytes: int


class Local:
    """Predicts with a local engine.

    `guide` allows only bytes of the grammar, `guard` only lines and names of the control flow. A temperature above 0
    needs `random`. `logprobs` stores the log-probability and entropy of each byte. `guesses` decodes speculatively at
    temperature 0, with the same texts.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        name: str,
        guide: bool = True,
        guard: bool = False,
        batch: int = 8,
        temperature: float = 0.0,
        random: Random | None = None,
        logprobs: bool = False,
        guesses: bool = True,
        digest: str = "",
        modes: tuple[str, ...] = (),
    ) -> None:
        if batch < 1:
            raise UsageError(f"batch must be at least 1, not {batch}")
        if guard and not guide:
            raise UsageError("guard=true needs guide=true: the guard is a part of the guide")
        self._engine, self._batch = engine, batch
        self._prompts = PromptStates(engine)
        self._guide, self._guard = guide, guard
        self._temperature, self._random = temperature, random
        self._keeps, self._guesses = logprobs, guesses
        self.info = ModelInfo(name=name, digest=digest, is_greedy=not temperature, modes=modes)
        # Of the prediction that was yielded last: one number per byte after `given`, and spans of its text.
        self.logprobs: list[float] = []
        self.entropies: list[float] = []
        self.dictated: list[tuple[int, int]] = []

    @property
    def capabilities(self) -> Capabilities:
        """Byte-wise decoding, and text scores if the engine's states can be copied."""
        engine = self.forking_engine
        scorer = None if engine is None else EngineScorer(engine)
        return Capabilities(decodes_bytes=self, scores_text=scorer, samples=True)

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def forking_engine(self) -> ForkingEngine | None:
        """The engine, if its states can be copied."""
        return self._engine if isinstance(self._engine, ForkingEngine) else None

    def settled(self, *, guard: bool | None = None, logprobs: bool = True) -> Local:
        """Return a copy that stores log-probabilities or not, with the guard on, off or as it is."""
        other = copy.copy(self)
        other._keeps = logprobs
        other._guard = self._guard if guard is None else guard
        other._guide = self._guide or other._guard
        return other

    def draft(self, request: PredictionRequest, script: Script | None = None) -> RolloutDraft:
        """Start a text for a request, with this predictor's options or the request's own decoding."""
        own = request.decoding
        draft = RolloutDraft(
            request,
            guide=self._guide,
            guard=self._guard,
            temperature=self._temperature if own is None else own.temperature,
            random=self._random if own is None else Random(own.seed),
            script=script,
        )
        draft.logprobs = [] if self._keeps else None
        return draft

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is ready."""
        return self.follow(requests, [None] * len(requests))

    def follow(self, requests: Sequence[PredictionRequest], scripts: Sequence[Script | None]) -> Iterator[Prediction]:
        """Yield one prediction per request, with the parts that its script dictates."""
        waiting, members, done, yielded = 0, list[_Member](), dict[int, RolloutDraft](), 0
        coming = _prompt_size(requests, 0)
        while yielded < len(requests):
            while waiting < min(len(requests), yielded + REORDER_WINDOW * self._batch) and self._has_capacity(
                members, coming
            ):
                self._admit(waiting, requests[waiting], scripts[waiting], members, done)
                waiting += 1
                coming = _prompt_size(requests, waiting)
            began = time.perf_counter()
            running = self._round(members)
            share = (time.perf_counter() - began) / max(len(members), 1)
            for member in members:
                member.draft.seconds += share
                if member.draft.status:
                    done[member.order] = member.draft
            members = running
            while yielded in done:
                draft = done.pop(yielded)
                self.logprobs, self.entropies = draft.logprobs or [], draft.entropies
                self.dictated = draft.dictated
                yielded += 1
                yield draft.prediction()

    def complete(self, started: Iterable[tuple[RolloutDraft, Any, Logits]]) -> Iterator[RolloutDraft]:
        """Finish started texts, each from its own engine state and the logits there."""
        source, members, done, yielded = enumerate(started), list[_Member](), dict[int, RolloutDraft](), 0
        while True:
            for order, (draft, state, logits) in islice(source, self._batch - len(members)):
                members.append(_Member(order, draft, self.ahead(draft, state, logits), 0))
            if not members:
                return
            running = self._round(members)
            done |= {member.order: member.draft for member in members if member.draft.status}
            members = running
            while yielded in done:
                yield done.pop(yielded)
                yielded += 1

    def stream(
        self, request: PredictionRequest, *, stop: Callable[[], bool], script: Script | None = None, loose: bool = False
    ) -> Iterator[StreamPiece]:
        """Yield the pieces of one prediction, alone in its batch; see `predict.stream.stream`."""
        return self._streamed(self._loose_draft(request, script) if loose else self.draft(request, script), stop)

    def _loose_draft(self, request: PredictionRequest, script: Script | None) -> RolloutDraft:
        try:
            return self.draft(request, script)
        except UsageError:
            draft = self.draft(replace(request, given=b""), script)
            draft.dictate(request.given)
            return draft

    def _streamed(self, draft: RolloutDraft, stop: Callable[[], bool]) -> Iterator[StreamPiece]:
        began = time.perf_counter()
        state, logits, stopped = self._engine.start(), None, False
        for data, pin in _prompt_chunks(draft):
            stopped = stopped or stop()
            if not stopped:
                logits = self._engine.feed(state, data, pin=pin)
                yield StreamPiece()
        ahead = None if logits is None else self.ahead(draft, state, logits)
        while ahead is not None and not draft.status:
            stopped = stopped or stop()
            if stopped:
                break
            before = len(draft.text)
            fresh = self.write(draft, ahead)
            if size := len(draft.text) - before:
                data = bytes(draft.text[before:])
                yield StreamPiece(data, tuple((draft.logprobs or [])[-size:]), tuple(draft.entropies[-size:]))
            if not draft.status:
                read(self._engine, [ahead], [fresh])
        draft.seconds = time.perf_counter() - began
        prediction = draft.prediction()
        yield StreamPiece(prediction=replace(prediction, note=STOPPED) if stopped else prediction)

    def _has_capacity(self, members: list[_Member], coming: int) -> bool:
        """Whether one more text may enter; into an empty batch it always may."""
        held = sum(member.prompt_bytes for member in members)
        return not members or (len(members) < self._batch and held + coming <= MAX_PROMPT_BYTES)

    def _admit(
        self,
        order: int,
        request: PredictionRequest,
        script: Script | None,
        members: list[_Member],
        done: dict[int, RolloutDraft],
    ) -> None:
        """Read the prompt of the next request and add it to the batch."""
        began = time.perf_counter()
        draft = self.draft(request, script)
        if draft.status:
            done[order] = draft
            return
        prompt = request.prompt
        state, logits = self._prompts.after(prompt)
        for first in range(0, len(request.given), STREAM_CHUNK_BYTES):
            logits = self._engine.feed(state, request.given[first : first + STREAM_CHUNK_BYTES], pin=False)
        members.append(_Member(order, draft, self.ahead(draft, state, logits), len(prompt)))
        draft.seconds = time.perf_counter() - began

    def ahead(self, draft: RolloutDraft, state: Any, logits: Logits) -> LookAhead:
        """Return the engine state of a draft, with guesses if this predictor uses them."""
        before = draft.request.prompt + bytes(draft.text)
        return LookAhead(self._engine, state, logits, before, guesses=self._guesses and draft.is_greedy)

    def write(self, draft: RolloutDraft, ahead: LookAhead) -> bytes:
        """Write as far as the known logits reach, and return the bytes that the engine must read next."""
        return write(draft, ahead, entropy=self._keeps, merge=self._guesses and draft.is_greedy)

    def _round(self, members: list[_Member]) -> list[_Member]:
        """Write at least one byte of each text, and return the texts that are not finished."""
        running, data = [], []
        for member in members:
            fresh = self.write(member.draft, member.ahead)
            if not member.draft.status:
                running.append(member)
                data.append(fresh)
        if running:
            read(self._engine, [member.ahead for member in running], data)
        return running


def _prompt_size(requests: Sequence[PredictionRequest], number: int) -> int:
    """Return the size of a request's prompt; 0 after the last request."""
    return len(requests[number].prompt) if number < len(requests) else 0


def _prompt_chunks(draft: RolloutDraft) -> Iterator[tuple[bytes, bool]]:
    """Yield the chunks of prompt and text to read first, and whether each is pinned."""
    if not draft.status:
        for text, pin in ((draft.request.prompt, True), (bytes(draft.text), False)):
            for first in range(0, len(text), STREAM_CHUNK_BYTES):
                yield text[first : first + STREAM_CHUNK_BYTES], pin
