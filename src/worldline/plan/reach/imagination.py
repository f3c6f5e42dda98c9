"""A machine as a model predicts it: snapshots of the engine's own state, and what follows each command.

A snapshot is where the machine asks for its next command. Forks of it get one command each and are continued in one
batch until the machine asks again; true steps can be dictated instead. Any engine with forkable states works. Nothing
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
PER_COMMAND = 512  # bytes of steps between two commands; a text that takes more is lost
_ANY = (1 << 256) - 1
_HIDES, _READS = 0x25, 0x3C  # the bytes % and <


class _UntilAsked:
    """Lets a model write until the next hidden input begins: `%`, or the reading (`<`) before which it stands."""

    def __init__(self) -> None:
        self.stopped = False

    def allowed(self, text: bytearray, /) -> int:
        """Everything, but that a line's number is followed by what is read: that is told before."""
        start = text.rfind(b"\n") + 1
        return _ANY & ~(1 << _READS) if start < len(text) else _ANY

    def instead(self, text: bytearray, byte: int | None, /) -> bytes | None:
        """Stops before a line of a hidden input, or within one that the grammar forced."""
        start = text.rfind(b"\n") + 1
        first = text[start] if start < len(text) else byte
        self.stopped = first == _HIDES or (start == len(text) and byte == _READS)
        return None if self.stopped else b""


@dataclass(frozen=True)
class Snapshot:
    """A text up to where the machine asks, the engine's state after it, and the values of names there.

    `way` says how it stopped: it asks, ended, raised, or its text is lost.
    """

    draft: RolloutDraft
    state: Any
    logits: Logits
    names: Mapping[str, str]
    way: str

    @property
    def logprob(self) -> float:
        """Of all that the model wrote to get here; what was dictated is certain."""
        return self.draft.logprob

    @property
    def probability(self) -> float:
        """How sure the model is of its way here."""
        return math.exp(min(self.draft.logprob, 0.0))

    @property
    def text(self) -> bytes:
        """The whole lines of its steps."""
        return bytes(self.draft.text[: self.draft.text.rfind(b"\n") + 1])

    def certain(self) -> Snapshot:
        """The same, known to be so."""
        draft = self.draft.fork(limit=self.draft.request.limit, script=self.draft.script)
        draft.logprob = 0.0
        return replace(self, draft=draft)


class Imagination:
    """A model that predicts a machine. `written` counts predicted bytes, without dictated ones."""

    def __init__(self, local: Local, machine: CommandMachine, *, per_command: int = PER_COMMAND) -> None:
        self.local, self.machine, self._most = local, machine, per_command
        self.written = 0
        self._prompt = PredictionRequest(program=machine.program).prompt
        self._opened: tuple[Any, Logits] | None = None  # the engine behind the prompt, which is read once

    def begin(self) -> Snapshot:
        """Predict up to the first command."""
        draft, state, logits = self._opening()
        return self._written([(draft, self.local.ahead(draft, state, logits))])[0]

    def told(self, text: bytes) -> Snapshot:
        """Return the snapshot after a true text, which ends where the machine asks."""
        draft, state, logits = self._opening(len(text))
        draft.dictate(text)
        if text:
            logits = self.local.engine.feed(state, text, pin=False)
        return Snapshot(draft, state, logits, names_behind(text, self._prompt), ASKS)

    def follow(self, forks: Sequence[tuple[Snapshot, int]]) -> list[Snapshot]:
        """Predict what follows a command from each of these snapshots, in one batch."""
        members, data = list[tuple[RolloutDraft, LookAhead]](), list[bytes]()
        for origin, command in forks:
            draft = origin.draft.fork(limit=len(origin.draft.text) + self._most, script=_UntilAsked())
            draft.status = ""
            dictated = self._give(draft, command)
            members.append((draft, self.local.ahead(draft, origin.state.fork(), origin.logits)))
            data.append(dictated)
        read(self.local.engine, [ahead for _, ahead in members], data)
        return self._written(members)

    def _opening(self, known: int = 0) -> tuple[RolloutDraft, Any, Logits]:
        ask = PredictionRequest(program=self.machine.program, limit=known + self._most)
        draft = self.local.draft(ask, _UntilAsked())
        if self._opened is None:
            state = self.local.engine.start()
            self._opened = state, self.local.engine.feed(state, self._prompt, pin=True)
        return draft, self._opened[0].fork(), self._opened[1]

    def _give(self, draft: RolloutDraft, command: int) -> bytes:
        """Dictates a command: its line, but for what stands there; and, of one that is read, that it is read."""
        line = self.machine.line(command)
        begun = len(draft.text) - draft.text.rfind(b"\n") - 1
        dictated = draft.dictate(line[begun:])
        if self.machine.kind == READ and (draft.guide is None or draft.guide.bits >> _READS & 1):
            dictated += draft.dictate(b"<" + line.split(b"=", 1)[1])
        return dictated

    def _written(self, members: Sequence[tuple[RolloutDraft, LookAhead]]) -> list[Snapshot]:
        """All members written to where they stop, a byte or more of each at a time."""
        before = [len(draft.text) for draft, _ in members]
        running = list(members)
        while running:
            data = [self.local.write(draft, ahead) for draft, ahead in running]
            going = [
                (member, fresh) for member, fresh in zip(running, data, strict=True) if not member[0].status
            ]
            if going:
                read(self.local.engine, [ahead for (_, ahead), _ in going], [fresh for _, fresh in going])
            running = [member for member, _ in going]
        self.written += sum(len(draft.text) for draft, _ in members) - sum(before)
        return [self._snapshot(draft, ahead) for draft, ahead in members]

    def _snapshot(self, draft: RolloutDraft, ahead: LookAhead) -> Snapshot:
        way = _way(draft)
        logits = ahead.rest()
        names = names_behind(bytes(draft.text), self._prompt) if way != LOST else {}
        return Snapshot(draft, ahead.state if way == ASKS else None, logits, names, way)


def _way(draft: RolloutDraft) -> str:
    script = draft.script
    if isinstance(script, _UntilAsked) and script.stopped:
        return ASKS
    if draft.status != "ended":
        return LOST
    last = draft.text.rstrip(b"\n.").rsplit(b"\n", 1)[-1]
    return RAISED if b")!" in last else ENDED


def names_behind(text: bytes, prompt: bytes) -> dict[str, str]:
    """The names that the innermost live frames have behind a text, as canonical values."""
    return live_names(parse(text, prompt, loose=True).steps)


def live_names(steps: Sequence[Step]) -> dict[str, str]:
    """The names of the frames that live behind these steps; an inner frame's hide an outer one's."""
    state, last = State(), 0
    for step in steps:
        if step.event == "return" and step.frame:
            state.drop(step.frame)
        else:
            state.apply(step)
            last = step.frame
    frames = state.frames
    return {**frames.get(0, {}), **frames.get(last, {})}
