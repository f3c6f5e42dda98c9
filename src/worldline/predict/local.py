"""An engine as a predictor: several texts at once, each replaced by the next as soon as it is done.

Predictions come in the order asked. What a text needs does not grow with it, but for the text itself. The engine may
be any; how one byte is chosen is `rollout`, and how several are read at once `guess`.
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

AHEAD = 64  # how many predictions a slow one may be overtaken by, times the batch
READ = 64  # bytes of one text that are read between two chances to stop it
PROMPTS = 1 << 15  # bytes of prompts in one batch: the shipped model's states hold 2 KB for each


@dataclass
class _Member:
    """One text of the batch: where it stands in the order, its draft, and how far the engine has read."""

    order: int
    draft: RolloutDraft
    ahead: LookAhead
    prompt: int  # bytes


class Local:
    """An engine behind the seam. `random` is needed for a temperature above 0; `logprobs` keeps one for each byte.

    Without `guesses`, and at a temperature above 0, where texts of a batch draw in turn, it reads a byte or a forced
    run at a time; the texts are the same.
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
    ) -> None:
        if batch < 1:
            raise UsageError(f"a batch of {batch}")
        if guard and not guide:
            raise UsageError("the guard is a part of the guide")
        self._engine, self._batch = engine, batch
        self._prompts = PromptStates(engine)
        self._guide, self._guard = guide, guard
        self._temperature, self._random = temperature, random
        self._keeps, self._guesses = logprobs, guesses and not temperature
        self.info = ModelInfo(name=name, digest=digest, is_greedy=not temperature)
        # Of the prediction that was given out last, for each byte behind `given`; spans of its text.
        self.logprobs: list[float] = []
        self.entropies: list[float] = []
        self.dictated: list[tuple[int, int]] = []

    @property
    def capabilities(self) -> Capabilities:
        """It decodes bytes, and scores texts where the states of its engine can be copied."""
        engine = self.forking_engine
        return Capabilities(decodes_bytes=self, scores_text=None if engine is None else EngineScorer(engine))

    @property
    def engine(self) -> Engine:
        """The engine behind it."""
        return self._engine

    @property
    def forking_engine(self) -> ForkingEngine | None:
        """The same engine, where its states can be copied."""
        return self._engine if isinstance(self._engine, ForkingEngine) else None

    def settled(self, *, guard: bool | None = None, logprobs: bool = True) -> Local:
        """The same engine and options, with log-probabilities kept and the guard as said."""
        other = copy.copy(self)
        other._keeps = logprobs
        other._guard = self._guard if guard is None else guard
        other._guide = self._guide or other._guard
        return other

    def draft(self, request: PredictionRequest, script: Script | None = None) -> RolloutDraft:
        """A text to be written for a request, in this predictor's way."""
        draft = RolloutDraft(
            request,
            guide=self._guide,
            guard=self._guard,
            temperature=self._temperature,
            random=self._random,
            script=script,
        )
        draft.logprobs = [] if self._keeps else None
        return draft

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each request, in their order, each as soon as it is there."""
        return self.follow(requests, [None] * len(requests))

    def follow(
        self, requests: Sequence[PredictionRequest], scripts: Sequence[Script | None]
    ) -> Iterator[Prediction]:
        """The same, each with a part of its text dictated."""
        waiting, members, done, given = 0, list[_Member](), dict[int, RolloutDraft](), 0
        coming = _prompt_size(requests, 0)
        while given < len(requests):
            while waiting < min(len(requests), given + AHEAD * self._batch) and self._has_room(
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
            while given in done:
                draft = done.pop(given)
                self.logprobs, self.entropies = draft.logprobs or [], draft.entropies
                self.dictated = draft.dictated
                given += 1
                yield draft.prediction()

    def complete(self, begun: Iterable[tuple[RolloutDraft, Any, Logits]]) -> Iterator[RolloutDraft]:
        """Texts that were begun, each with its own state of the engine and what it said last, written to their ends."""
        source, members, done, given = enumerate(begun), list[_Member](), dict[int, RolloutDraft](), 0
        while True:
            for order, (draft, state, logits) in islice(source, self._batch - len(members)):
                members.append(_Member(order, draft, self.ahead(draft, state, logits), 0))
            if not members:
                return
            running = self._round(members)
            done |= {member.order: member.draft for member in members if member.draft.status}
            members = running
            while given in done:
                yield done.pop(given)
                given += 1

    def stream(
        self,
        request: PredictionRequest,
        *,
        stop: Callable[[], bool],
        script: Script | None = None,
        loose: bool = False,
    ) -> Iterator[StreamPiece]:
        """The pieces of one prediction, alone in its batch, until `stop` says so.

        `loose`: a given text that is not of the grammar is followed without it, where `predict` would refuse it.
        """
        return self._streamed(
            self._loose_draft(request, script) if loose else self.draft(request, script), stop
        )

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
        for data, pin in _reading(draft):
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
        found = draft.prediction()
        yield StreamPiece(prediction=replace(found, note=STOPPED) if stopped else found)

    def _has_room(self, members: list[_Member], coming: int) -> bool:
        """Whether one more may enter: a lone one always may, however long its prompt."""
        held = sum(member.prompt for member in members)
        return not members or (len(members) < self._batch and held + coming <= PROMPTS)

    def _admit(
        self,
        order: int,
        request: PredictionRequest,
        script: Script | None,
        members: list[_Member],
        done: dict[int, RolloutDraft],
    ) -> None:
        """The next request enters the batch: its prompt is read."""
        began = time.perf_counter()
        draft = self.draft(request, script)
        if draft.status:
            done[order] = draft
            return
        prompt = request.prompt
        state, logits = self._prompts.behind(prompt)
        if request.given:
            logits = self._engine.feed(state, request.given, pin=False)
        members.append(_Member(order, draft, self.ahead(draft, state, logits), len(prompt)))
        draft.seconds = time.perf_counter() - began

    def ahead(self, draft: RolloutDraft, state: Any, logits: Logits) -> LookAhead:
        """What reads ahead of a draft, from a state and what the engine said there, in this predictor's way."""
        before = draft.ask.prompt + bytes(draft.text)
        return LookAhead(self._engine, state, logits, before, guesses=self._guesses)

    def write(self, draft: RolloutDraft, ahead: LookAhead) -> bytes:
        """Writes as far as what the engine said goes; the bytes that it has to read next."""
        return write(draft, ahead, entropy=self._keeps, merge=self._guesses)

    def _round(self, members: list[_Member]) -> list[_Member]:
        """One byte or more for each member; those that go on."""
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
    """The bytes of a request's prompt; none behind the last."""
    return len(requests[number].prompt) if number < len(requests) else 0


def _reading(draft: RolloutDraft) -> Iterator[tuple[bytes, bool]]:
    """What is read before anything is written, piece by piece, and whether it is kept in sight."""
    if not draft.status:
        for text, pin in ((draft.ask.prompt, True), (bytes(draft.text), False)):
            for first in range(0, len(text), READ):
                yield text[first : first + READ], pin
