"""Execute one script in the sandbox over a copy of a folder: its requests, its end and the files it left.

There is no fallback: without a sandbox nothing is executed, even if the user trusts the script. What
the process of the script wrote is decoded within bounds and not trusted. The sandbox gathers the
files that were left when the script is dead.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
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
from worldline.recording.sandbox import SandboxRun, open_sandbox
from worldline.recording.verdict import judge, readable

WIRE_BYTES = 16 << 20
MAX_EVENTS = 50_000
_ENDS = ("returned", "raised", "exited", "limit", "unsupported", "host-fault", "tampered")


@dataclass(frozen=True)
class LeftFiles:
    """The files in the sandbox when the script is dead, with the bytes of those that changed."""

    entries: tuple[Entry, ...]
    contents: Mapping[str, bytes]
    unseen: int = 0


@dataclass(frozen=True)
class RehearsedRun:
    """The result of one run over a copy. `left` is None if it could not be gathered."""

    outcome: Outcome
    events: tuple[ScriptEvent, ...]
    left: LeftFiles | None
    output: str
    stderr: str
    more: bool  # there were events that did not fit
    line: int = 0  # the source of the exception that ended it
    listened: bool = True  # the interpreter reported its requests


@dataclass(frozen=True, kw_only=True)
class AssumedAnswers:
    """What a run assumes where the sandbox has no answer.

    Attributes:
        stubs: Names and the Python expressions that replace them; they are evaluated in the sandbox.
        stubs_source: The source of a file that defines more of them, in `STUBS`.
        predicted: Literals that a model predicts, by what is asked for.
        decisions: Whether the first conditions on unknown values hold, in order; later ones are as is likely.
        loop_seconds: After how many seconds a loop is stopped; 0 for never.
    """

    stubs: tuple[tuple[str, str], ...] = ()
    stubs_source: str = ""
    predicted: Mapping[str, str] = field(default_factory=dict)
    decisions: tuple[bool, ...] = ()
    loop_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RehearsedScript:
    """A script and its inputs. `name` is its path from the working folder, or `../script/NAME`."""

    name: str
    source: str
    argv: tuple[str, ...] = ()
    stdin: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    command: tuple[str, ...] = ()  # the command that executes it, if not this interpreter
    toolchain: Toolchain | None = None
    assume: AssumedAnswers | None = None  # go past what the sandbox cannot give


def run_over(script: RehearsedScript, copy: FolderCopy, *, limits: Limits, python: str | None = None) -> RehearsedRun:
    """Execute a script in the sandbox over a copy.

    Args:
        script: The script and its inputs.
        copy: The copy of the folder.
        limits: What the script may use, besides the copy.
        python: The Python interpreter that executes it.

    Raises:
        NoSandbox: There is no sandbox here.
    """
    limits = replace(limits, disk=limits.disk + copy.pages, memory=limits.memory + copy.pages, trace_bytes=WIRE_BYTES)
    setup = prepare(limits=limits, python=python, core="python", trust=False)
    if not setup.plan.sandboxed:
        raise NoSandbox("a rehearsal needs a sandbox: without one the script would really act")
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
        "assume": None if script.assume is None else asdict(script.assume),
    }
    with open_sandbox(plan, limits) as sandbox:
        run = sandbox.run(spec, encode(script.stdin), parts=copy.packed(), left=MAX_GATHERED_BYTES)
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
    """Decode the files that the sandbox gathered. Return None if they are incomplete."""
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
