"""One script run in the box over a copy of a folder: what it asked for, how it ended, and what it left.

There is no second best: without a box nothing is run, whoever trusts the script. What the script's process wrote is
decoded line by line within bounds and believed as far as it goes; what was left is told by the box when it is dead.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from worldline.core.errors import NoSandbox
from worldline.core.limits import Limits
from worldline.core.trace import Outcome
from worldline.recording.guests.rehearsal.tree import MAX_GATHERED_BYTES, Entry
from worldline.recording.languages.toolchain import Toolchain
from worldline.recording.recorder import encode, prepare
from worldline.recording.rehearsal.commands import TRACE, shell_events
from worldline.recording.rehearsal.events import ScriptEvent, events_in
from worldline.recording.rehearsal.folder import FolderCopy
from worldline.recording.sandbox import SandboxRun, open_box
from worldline.recording.verdict import judge, readable

WIRE_BYTES = 16 << 20
MAX_EVENTS = 50_000
_ENDS = ("returned", "raised", "exited", "limit", "unsupported", "host-fault", "tampered")


@dataclass(frozen=True)
class LeftFiles:
    """What is in the box when the script is dead, by path, with the bytes of what is not as it was given."""

    entries: tuple[Entry, ...]
    contents: Mapping[str, bytes]
    unseen: int = 0


@dataclass(frozen=True)
class RehearsedRun:
    """What is known of one run over a copy. `left` is None where it could not be told."""

    outcome: Outcome
    events: tuple[ScriptEvent, ...]
    left: LeftFiles | None
    output: str
    stderr: str
    more: bool  # events were told that did not fit
    line: int = 0  # where the exception came from that ended it
    listened: bool = True  # the interpreter told what was asked of it


@dataclass(frozen=True, kw_only=True)
class RehearsedScript:
    """What is run: its path from the working folder (`../script/NAME` of one that lies elsewhere), and what it gets."""

    name: str
    source: str
    argv: tuple[str, ...] = ()
    stdin: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    command: tuple[str, ...] = ()  # what runs it, where that is not this interpreter
    toolchain: Toolchain | None = None


def run_over(
    script: RehearsedScript, copy: FolderCopy, *, limits: Limits, python: str | None = None
) -> RehearsedRun:
    """Run a script in the box over the copy; NoSandbox where there is none."""
    limits = replace(
        limits, disk=limits.disk + copy.pages, memory=limits.memory + copy.pages, trace_bytes=WIRE_BYTES
    )
    setup = prepare(limits=limits, python=python, core="python", trust=False)
    if not setup.plan.boxed:
        raise NoSandbox("a rehearsal without a box would be the deed itself")
    plan = replace(setup.plan, guest="rehearsal.guest", native=None, toolchain=script.toolchain)
    spec: dict[str, Any] = {
        "name": script.name,
        "source": script.source,
        "files": {},
        "argv": list(script.argv),
        "call": None,
        "limits": asdict(limits),
        "environment": dict(script.environment),
        "command": list(script.command),
    }
    with open_box(plan, limits) as box:
        run = box.run(spec, encode(script.stdin), parts=copy.packed(), left=MAX_GATHERED_BYTES)
    return replace(_decoded(run, limits), listened=not script.command)


def _decoded(run: SandboxRun, limits: Limits) -> RehearsedRun:
    events: list[ScriptEvent] = []
    end: Outcome | None = None
    line = 0
    for event in events_in(run.wire):
        if event.end:
            if event.end in _ENDS and not event.child:
                end, line = Outcome(event.end, event.detail), event.line
        elif len(events) < MAX_EVENTS:
            events.append(event)
    left = read_left(run.left)
    events += list(shell_events(left.contents.get(TRACE, b"")))[:MAX_EVENTS] if left else []
    more = bytes(run.wire[16:17]) == b"\x01" or len(events) >= MAX_EVENTS
    outcome = judge(run, end, None)
    streams = (readable(run.stdout, limits.output), readable(run.stderr, limits.output))
    return RehearsedRun(outcome, tuple(events), left, *streams, more, line)


def read_left(data: bytes) -> LeftFiles | None:
    """What the box gathered, if it is whole; anything else is nothing."""
    try:
        (length,) = struct.unpack_from("<Q", data, 0)
        index = json.loads(data[8 : 8 + length])
        entries = tuple(_entry(row) for row in index["entries"])
        unseen = int(index["unseen"])
    except (struct.error, ValueError, RecursionError, KeyError, TypeError):
        return None
    contents: dict[str, bytes] = {}
    at = 8 + length
    for entry in entries:
        if entry.kept:
            contents[entry.path] = data[at : at + entry.kept]
            at += entry.kept
    return LeftFiles(entries, contents, unseen) if at <= len(data) else None


def _entry(row: Any) -> Entry:
    types = (str, str, int, int, str, str, int, int)
    if not isinstance(row, list) or tuple(map(type, row)) != types or min(row[3], row[6]) < 0:
        raise ValueError("no entry")
    return Entry(*row)
