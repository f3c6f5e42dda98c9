"""Read the spool of a run (guests/testing/spool.py): which tests were collected, began and ended, and their wires.

A spool was written by the process of the tests, so nothing in it is trusted: a line that is not an event, a name that
is not a wire and a wire that is damaged are left out.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldline.core.repository.recorded_test import TEST_OUTCOMES

MAX_TEST_ID_CHARACTERS = 4096
MAX_MESSAGE_CHARACTERS = 20_000


@dataclass(frozen=True)
class SpooledTest:
    """How one test ended, and its wire."""

    id: str
    outcome: str
    message: str = ""
    seconds: float = 0.0
    wire: bytes | memoryview | None = None
    notes: tuple[str, ...] = ()


@dataclass
class SpooledRun:
    """The tests of one run. `begun` have not ended; `exit_status` if a process reached its end."""

    collected: dict[str, None] = field(default_factory=dict)
    ended: dict[str, SpooledTest] = field(default_factory=dict)
    begun: dict[str, str] = field(default_factory=dict)
    exit_status: int | None = None
    stacks: str = ""


def unpack(data: bytes) -> dict[str, memoryview]:
    """Return the files of a packed spool by name; none if it is damaged."""
    view = memoryview(data)
    try:
        (length,) = struct.unpack_from("<Q", view, 0)
        index = json.loads(bytes(view[8 : 8 + length]))
        rows = [(str(name), int(size)) for name, size in index]
    except (struct.error, ValueError, TypeError, RecursionError):
        return {}
    files: dict[str, memoryview] = {}
    at = 8 + length
    for name, size in rows:
        if size < 0 or at + size > len(view):
            break
        files[name] = view[at : at + size]
        at += size
    return files


def read_spool(files: Mapping[str, bytes | memoryview]) -> SpooledRun:
    """Read the events of all processes of a run."""
    run = SpooledRun()
    stacks = []
    for name, data in files.items():
        if name.endswith(".stacks"):
            stacks.append(bytes(data[-MAX_MESSAGE_CHARACTERS:]).decode("utf-8", "replace"))
        elif name.endswith(".jsonl"):
            for event in _events(data):
                _apply(event, run, files)
    run.stacks = "\n".join(filter(None, stacks))
    return run


def _events(data: bytes | memoryview) -> Iterator[dict[str, Any]]:
    for line in bytes(data).split(b"\n"):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _apply(event: dict[str, Any], run: SpooledRun, files: Mapping[str, bytes | memoryview]) -> None:
    match event:
        case {"collected": list(ids)}:
            run.collected |= dict.fromkeys(test for test in ids if isinstance(test, str))
        case {"begin": str(test)}:
            run.begun[test] = test
        case {"end": str(test), "outcome": str(outcome)} if outcome in TEST_OUTCOMES:
            run.begun.pop(test, None)
            run.ended[test] = _ended(test, outcome, event, files)
        case {"finish": int(status)}:
            run.exit_status = status


def _ended(test: str, outcome: str, event: dict[str, Any], files: Mapping[str, bytes | memoryview]) -> SpooledTest:
    seconds, message, slugs = event.get("seconds"), event.get("message"), event.get("notes")
    return SpooledTest(
        id=test[:MAX_TEST_ID_CHARACTERS],
        outcome=outcome,
        message=message[:MAX_MESSAGE_CHARACTERS] if isinstance(message, str) else "",
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        wire=files.get(str(event.get("wire"))),
        notes=tuple(str(slug)[:100] for slug in slugs) if isinstance(slugs, list) else (),
    )
