"""A branch of a rehearsal: what a script would do after answers that were assumed, labelled as predicted throughout.

The code of a branch is executed in the sandbox, but what it does follows from answers that nothing observed. So an
effect of a branch is known as `assumed`, and each assumption has the file and line that asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldline.core.trace import Outcome
from worldline.plan.rehearse.change import FileChange
from worldline.plan.rehearse.effect import HostPaths, ScriptEffect
from worldline.recording.rehearsal.events import ScriptEvent
from worldline.recording.rehearsal.run import RehearsedRun

ASSUME, DECIDE, LACK, CALL = "assume", "decide", "lack", "call"  # kinds of events that are no requests
BY_STUB, BY_MODEL, BY_NOBODY, BY_LOOP = "stub", "model", "unknown", "loop"


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """One answer that was assumed: by a stub of the user, by the model, as an unknown value, or for a stopped loop.

    `answer` is empty for an unknown value. `probability` is the model's own, which is not calibrated.
    """

    what: str
    answer: str
    by: str
    file: str
    line: int
    probability: float | None = None


@dataclass(frozen=True, kw_only=True)
class AssumedDecision:
    """A condition on an unknown value, and whether this branch takes it to hold."""

    condition: str
    holds: bool
    file: str
    line: int


@dataclass(frozen=True, kw_only=True)
class AssumedBranch:
    """What follows from some assumptions and decisions. Nothing in it was observed.

    `effects` and `changes` are those that the executed run does not have; `output` is what is printed after the first
    assumption.
    """

    assumptions: tuple[Assumption, ...]
    decisions: tuple[AssumedDecision, ...]
    outcome: Outcome
    line: int
    effects: tuple[ScriptEffect, ...]
    changes: tuple[FileChange, ...]
    output: str
    stderr: str
    label: str = "predicted"

    @property
    def consequences(self) -> tuple[object, ...]:
        """What the branch does, without what it assumes: two branches with the same consequences are shown once."""
        return self.outcome.kind, self.line, self.effects, self.changes, self.output


def missing_answers(run: RehearsedRun) -> Iterator[str]:
    """Yield what a run asked for and did not get, once each: the reasons to go on with assumed answers."""
    reasons = [reason for event in run.events if (reason := _reason(event))]
    if run.outcome.kind == "limit" and run.outcome.detail == "time":
        reasons.append("the time to finish")
    yield from dict.fromkeys(reasons)


def _reason(event: ScriptEvent) -> str:
    if event.kind == LACK:
        return event.target
    if event.kind == "send":
        return f"a connection to {event.target}"
    if event.failed == "FileNotFoundError" and event.kind in ("read", "start"):
        return f"the {'file' if event.kind == 'read' else 'program'} {event.target}"
    return ""


def assumptions_of(run: RehearsedRun, names: HostPaths) -> tuple[Assumption, ...]:
    """Return the answers that a run assumed, in order."""
    return tuple(
        Assumption(what=event.target, answer=answer, by=by, file=_file(event, names), line=event.line)
        for event in run.events
        if event.kind == ASSUME
        for by, _, answer in [event.detail.partition(":")]
    )


def decisions_of(run: RehearsedRun, names: HostPaths) -> tuple[AssumedDecision, ...]:
    """Return the conditions that the process of the script decided, in order."""
    return tuple(
        AssumedDecision(condition=event.target, holds=event.detail == "yes", file=_file(event, names), line=event.line)
        for event in run.events
        if event.kind == DECIDE and not event.child
    )


def _file(event: ScriptEvent, names: HostPaths) -> str:
    return names.of(event.file)[0] if event.file else ""


def called_lines(run: RehearsedRun, names: HostPaths) -> set[tuple[str, int]]:
    """The files and lines in which a run calls something unknown."""
    return {(_file(event, names), event.line) for event in run.events if event.kind == CALL}


def events_before(run: RehearsedRun) -> tuple[ScriptEvent, ...]:
    """The events of the script's own process before the first assumption."""
    first = next((at for at, event in enumerate(run.events) if event.kind == ASSUME), len(run.events))
    return tuple(event for event in run.events[:first] if not event.child)


def printed_after(run: RehearsedRun) -> str:
    """What was printed after the first assumption."""
    first = next((event for event in run.events if event.kind == ASSUME), None)
    return "" if first is None else run.output[first.printed :]
