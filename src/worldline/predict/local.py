"""An engine as a predictor: several texts at once, each replaced by the next as soon as it is done.

Predictions come in the order asked. What a text needs does not grow with it, but for the text itself. The engine may
be any; how one byte is chosen is `rollout`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from worldline.errors import UsageError
from worldline.predict.predictor import Ask, Prediction
from worldline.predict.rollout import Draft, Engine, Logits

AHEAD = 64  # how many predictions a slow one may be overtaken by, times the batch
PROMPTS = 1 << 15  # bytes of prompts in one batch: the shipped model's states hold 2 KB for each


@dataclass
class _Member:
    """One text of the batch: where it stands in the order, its draft, its state, and what the engine said last."""

    order: int
    draft: Draft
    state: Any
    logits: Logits
    prompt: int  # bytes


class Local:
    """An engine behind the seam. `random` is needed for a temperature above 0; `logprobs` keeps one for each byte."""

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
    ) -> None:
        if batch < 1:
            raise UsageError(f"a batch of {batch}")
        if guard and not guide:
            raise UsageError("the guard is a part of the guide")
        self._engine, self._name, self._batch = engine, name, batch
        self._guide, self._guard = guide, guard
        self._temperature, self._random = temperature, random
        self._keeps = logprobs
        self.logprobs: list[
            float
        ] = []  # of the prediction that was given out last, for each byte behind `given`

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self._name

    def predict(self, asks: Sequence[Ask], /) -> Iterator[Prediction]:
        """One prediction for each ask, in their order, each as soon as it is there."""
        waiting, members, done, given = 0, list[_Member](), dict[int, Draft](), 0
        coming = _prompt_size(asks, 0)
        while given < len(asks):
            while waiting < min(len(asks), given + AHEAD * self._batch) and self._has_room(members, coming):
                self._admit(waiting, asks[waiting], members, done)
                waiting += 1
                coming = _prompt_size(asks, waiting)
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
                self.logprobs = draft.logprobs or []
                given += 1
                yield draft.prediction()

    def _has_room(self, members: list[_Member], coming: int) -> bool:
        """Whether one more may enter: a lone one always may, however long its prompt."""
        held = sum(member.prompt for member in members)
        return not members or (len(members) < self._batch and held + coming <= PROMPTS)

    def _admit(self, order: int, ask: Ask, members: list[_Member], done: dict[int, Draft]) -> None:
        """The next ask enters the batch: its prompt is read."""
        began = time.perf_counter()
        draft = Draft(
            ask, guide=self._guide, guard=self._guard, temperature=self._temperature, random=self._random
        )
        draft.logprobs = [] if self._keeps else None
        if draft.status:
            done[order] = draft
            return
        state = self._engine.start()
        prompt = ask.prompt
        logits = self._engine.feed(state, prompt, pin=True)
        if ask.given:
            logits = self._engine.feed(state, ask.given, pin=False)
        members.append(_Member(order, draft, state, logits, len(prompt)))
        draft.seconds = time.perf_counter() - began

    def _round(self, members: list[_Member]) -> list[_Member]:
        """One byte or more for each member; those that go on."""
        running, data = [], bytearray()
        for member in members:
            byte = self._next(member)
            if not member.draft.status:
                running.append(member)
                data.append(byte)
        if running:
            rows = self._engine.step([member.state for member in running], bytes(data))
            for member, logits in zip(running, rows, strict=True):
                member.logits = logits
        return running

    def _next(self, member: _Member) -> int:
        """The byte that the engine reads next for a member; of a forced run all others are read here."""
        draft = member.draft
        data = draft.force()
        if not data:
            byte, logprob = draft.choose(member.logits)
            if not draft.status:
                draft.write(byte, logprob)
            return byte
        if len(data) > 1 and not draft.status:
            self._engine.feed(member.state, data[:-1], pin=False)
        return data[-1]


def _prompt_size(asks: Sequence[Ask], number: int) -> int:
    """The bytes of an ask's prompt; none behind the last."""
    return len(asks[number].prompt) if number < len(asks) else 0
