"""A machine as a model predicts it: snapshots of the engine's own state, and what follows each command.

A snapshot is where the machine waits for its next command. Forks of it get one command each and are continued in one
batch until the machine waits again; true steps can be dictated instead. Any engine with forkable states works. Nothing
here is executed, and nothing knows the truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldline.codec.compact.parse import parse
from worldline.core.hidden import READ
from worldline.core.state import State
from worldline.core.trace import Step
from worldline.plan.reach.machine import CommandMachine
from worldline.predict.guess import LookAhead, read
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.rollout import Logits, RolloutDraft

ASKS, ENDED, RAISED, LOST = "asks", "ended", "raised", "lost"
MAX_COMMAND_BYTES = 512  # between two commands; a longer text is lost
_ANY = (1 << 256) - 1
_HIDES, _READS = 0x25, 0x3C  # the bytes % and <


class _UntilInput:
    """Lets a model write until the next hidden input: a line with `%`, or a read (`<`)."""

    def __init__(self) -> None:
        self.stopped = False

    def allowed(self, text: bytearray, /) -> int:
        """Everything except a read after a line number: reads come before it."""
        start = text.rfind(b"\n") + 1
        return _ANY & ~(1 << _READS) if start < len(text) else _ANY

    def instead(self, text: bytearray, byte: int | None, /) -> bytes | None:
        """Stop before a line with a hidden input, or within one that the grammar forced."""
        start = text.rfind(b"\n") + 1
        first = text[start] if start < len(text) else byte
        self.stopped = first == _HIDES or (start == len(text) and byte == _READS)
        return None if self.stopped else b""


@dataclass(frozen=True)
class Snapshot:
    """A text up to where the machine waits for a command, the engine's state after it, and the values of names there.

    `way` says how it stopped: it waits for a command (asks), ended, raised, or the text is lost.
    """

    draft: RolloutDraft
    state: Any
    logits: Logits
    names: Mapping[str, str]
    way: str

    @property
    def logprob(self) -> float:
        """The log-probability of the predicted text; dictated text is certain."""
        return self.draft.logprob

    @property
    def probability(self) -> float:
        """The probability of the predicted text."""
        return math.exp(min(self.draft.logprob, 0.0))

    @property
    def text(self) -> bytes:
        """The whole lines of its steps."""
        return bytes(self.draft.text[: self.draft.text.rfind(b"\n") + 1])

    def certain(self) -> Snapshot:
        """Return the same snapshot, confirmed by an execution."""
        draft = self.draft.fork(limit=self.draft.request.limit, script=self.draft.script)
        draft.logprob = 0.0
        return replace(self, draft=draft)


class PredictedMachine:
    """A model that predicts a machine. `written` counts predicted bytes, without dictated ones."""

    def __init__(self, local: Local, machine: CommandMachine, *, per_command: int = MAX_COMMAND_BYTES) -> None:
        self.local, self.machine, self._max_bytes = local, machine, per_command
        self.written = 0
        self._prompt = PredictionRequest(program=machine.program).prompt
        self._opened: tuple[Any, Logits] | None = None  # the engine after the prompt, which is read once

    def begin(self) -> Snapshot:
        """Predict up to the first command."""
        draft, state, logits = self._opening()
        return self._written([(draft, self.local.ahead(draft, state, logits))])[0]

    def after_text(self, text: bytes) -> Snapshot:
        """Return the snapshot after a true text, which ends where the machine waits for a command."""
        draft, state, logits = self._opening(len(text))
        draft.dictate(text)
        if text:
            logits = self.local.engine.feed(state, text, pin=False)
        return Snapshot(draft, state, logits, names_after(text, self._prompt), ASKS)

    def follow(self, forks: Sequence[tuple[Snapshot, int]]) -> list[Snapshot]:
        """Predict what follows a command from each of these snapshots, in one batch."""
        members, data = list[tuple[RolloutDraft, LookAhead]](), list[bytes]()
        for origin, command in forks:
            draft = origin.draft.fork(limit=len(origin.draft.text) + self._max_bytes, script=_UntilInput())
            draft.status = ""
            dictated = self._dictate_command(draft, command)
            members.append((draft, self.local.ahead(draft, origin.state.fork(), origin.logits)))
            data.append(dictated)
        read(self.local.engine, [ahead for _, ahead in members], data)
        return self._written(members)

    def _opening(self, known: int = 0) -> tuple[RolloutDraft, Any, Logits]:
        ask = PredictionRequest(program=self.machine.program, limit=known + self._max_bytes)
        draft = self.local.draft(ask, _UntilInput())
        if self._opened is None:
            state = self.local.engine.start()
            self._opened = state, self.local.engine.feed(state, self._prompt, pin=True)
        return draft, self._opened[0].fork(), self._opened[1]

    def _dictate_command(self, draft: RolloutDraft, command: int) -> bytes:
        """Dictate the rest of a command's line and, for a command that is read, the read itself."""
        line = self.machine.line(command)
        written = len(draft.text) - draft.text.rfind(b"\n") - 1
        dictated = draft.dictate(line[written:])
        if self.machine.kind == READ and (draft.guide is None or draft.guide.bits >> _READS & 1):
            dictated += draft.dictate(b"<" + line.split(b"=", 1)[1])
        return dictated

    def _written(self, members: Sequence[tuple[RolloutDraft, LookAhead]]) -> list[Snapshot]:
        """Let the model write each member until it stops, one or more bytes of each at a time."""
        before = [len(draft.text) for draft, _ in members]
        running = list(members)
        while running:
            data = [self.local.write(draft, ahead) for draft, ahead in running]
            going = [(member, fresh) for member, fresh in zip(running, data, strict=True) if not member[0].status]
            if going:
                read(self.local.engine, [ahead for (_, ahead), _ in going], [fresh for _, fresh in going])
            running = [member for member, _ in going]
        self.written += sum(len(draft.text) for draft, _ in members) - sum(before)
        return [self._snapshot(draft, ahead) for draft, ahead in members]

    def _snapshot(self, draft: RolloutDraft, ahead: LookAhead) -> Snapshot:
        way = _way(draft)
        logits = ahead.rest()
        names = names_after(bytes(draft.text), self._prompt) if way != LOST else {}
        return Snapshot(draft, ahead.state if way == ASKS else None, logits, names, way)


def _way(draft: RolloutDraft) -> str:
    script = draft.script
    if isinstance(script, _UntilInput) and script.stopped:
        return ASKS
    if draft.status != "ended":
        return LOST
    last = draft.text.rstrip(b"\n.").rsplit(b"\n", 1)[-1]
    return RAISED if b")!" in last else ENDED


def names_after(text: bytes, prompt: bytes) -> dict[str, str]:
    """Return the names of the live frames after a text, with canonical values."""
    return live_names(parse(text, prompt, loose=True).steps)


def live_names(steps: Sequence[Step]) -> dict[str, str]:
    """Return the names of the live frames after these steps; inner frames hide outer ones."""
    state, last = State(), 0
    for step in steps:
        if step.event == "return" and step.frame:
            state.drop(step.frame)
        else:
            state.apply(step)
            last = step.frame
    frames = state.frames
    return {**frames.get(0, {}), **frames.get(last, {})}
