"""A trace as the JSON object that `record --json` prints, and back. One step per line.

Reading is total: any text gives a trace or a FormatError with the place of the fault. No file is opened here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from worldline.core.errors import FormatError, UsageError
from worldline.core.events import EVENTS, OUTCOMES
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import NO_TEXT, Columns, Frame, Hidden, InterpreterInfo, Outcome, Trace

_U32 = 0xFFFFFFFF


class _Program(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    source: str
    call: str | None
    argv: list[str]
    stdin: str
    files: dict[str, str]
    digest: str
    flags: list[str] = []
    vm_flags: list[str] = []


class _Step(msgspec.Struct, forbid_unknown_fields=True):
    i: int
    event: str
    frame: int
    depth: int
    line: int
    delta: dict[str, str]
    gone: list[str]
    arg: str | None
    same: dict[str, str | None] = {}
    thread: int = 0


class _Trace(msgspec.Struct, forbid_unknown_fields=True):
    program: _Program
    interpreter: InterpreterInfo
    limits: Limits
    outcome: Outcome
    frames: list[Frame]
    steps: list[_Step]
    output: str
    stderr: str
    hidden: list[Hidden]
    notes: list[str]


def encode(trace: Trace) -> Iterator[str]:
    """Yield the object in pieces that join to `Trace.as_json` as JSON: one step per line, ASCII only."""
    rows = trace.steps
    whole = _without_steps(trace)
    opening = "{"
    for key, value in whole.items():
        yield f"{opening}{json.dumps(key)}: "
        opening = ",\n"
        if key != "steps":
            yield json.dumps(value)
            continue
        between = "[\n"
        for step in rows:
            yield between + json.dumps(step.as_json())
            between = ",\n"
        yield "]" if between == ",\n" else "[]"
    yield "}\n"


def _without_steps(trace: Trace) -> dict[str, Any]:
    """`as_json` without steps: a million of them as dictionaries would take gigabytes."""
    return replace(trace, columns=Columns()).as_json()


def parse(text: str | bytes) -> Trace:
    """Return the trace that a JSON object describes. Raises FormatError for anything else."""
    try:
        # The standard library keeps lone surrogates, which msgspec refuses; msgspec checks the types.
        data = msgspec.convert(json.loads(text), _Trace)
    except (ValueError, RecursionError, UsageError, msgspec.MsgspecError) as error:
        raise FormatError(f"not a trace from record --json: {error}") from None
    _check(data)
    _check_threads(data)
    fields = data.program
    program = Program(
        source=fields.source,
        name=fields.name,
        call=fields.call,
        argv=tuple(fields.argv),
        stdin=fields.stdin,
        files=tuple(fields.files.items()),
        flags=tuple(fields.flags),
        vm_flags=tuple(fields.vm_flags),
    )
    if program.digest != fields.digest:
        raise FormatError("the digest of the program does not match its source, arguments, files and flags")
    return Trace(
        program,
        data.interpreter,
        data.limits,
        data.outcome,
        _columns(data.steps),
        data.frames,
        data.output,
        data.stderr,
        tuple(data.hidden),
        tuple(data.notes),
    )


def _check(data: _Trace) -> None:
    if data.outcome.kind not in OUTCOMES:
        raise FormatError(f"outcome.kind {data.outcome.kind!r} is not one of {', '.join(OUTCOMES)}")
    for at, frame in enumerate(data.frames):
        if frame.serial != at or not -1 <= frame.parent < at:
            raise FormatError(f"frames[{at}] is out of order")
    for at, step in enumerate(data.steps):
        if step.event not in EVENTS:
            raise FormatError(f"steps[{at}].event {step.event!r} is not one of {', '.join(EVENTS)}")
        if step.i != at or not 0 <= step.frame < len(data.frames) or not 0 <= step.line <= _U32:
            raise FormatError(f"steps[{at}] is out of order, or its frame or line does not exist")
        if step.depth != data.frames[step.frame].depth:
            raise FormatError(f"steps[{at}].depth is not the depth of its frame")


def _check_threads(data: _Trace) -> None:
    """Check that the thread of each step is the one that was chosen last before it."""
    turns, at, thread = [hidden for hidden in data.hidden if hidden.thread is not None], 0, 0
    for step in data.steps:
        while at < len(turns) and turns[at].step <= step.i:
            thread, at = turns[at].thread or 0, at + 1
        if step.thread != thread:
            raise FormatError(f"steps[{step.i}].thread contradicts the hidden inputs")


def _columns(steps: list[_Step]) -> Columns:
    columns = Columns()
    ids: dict[str, int] = {}

    def text_id(text: str | None) -> int:
        return NO_TEXT if text is None else ids.setdefault(text, len(ids))

    for step in steps:
        columns.event.append(EVENTS.index(step.event))
        columns.frame.append(step.frame)
        columns.line.append(step.line)
        columns.arg.append(text_id(step.arg))
        for name, value in [*step.delta.items(), *((name, None) for name in step.gone)]:
            columns.change_name.append(text_id(name))
            columns.change_value.append(text_id(value))
        for name, other in step.same.items():
            columns.same_name.append(text_id(name))
            columns.same_value.append(text_id(other))
        columns.change_at.append(len(columns.change_name))
        columns.same_at.append(len(columns.same_name))
    columns.texts = list(ids)
    return columns
