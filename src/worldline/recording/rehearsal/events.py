"""Decode the system requests of a script, which the guest in the sandbox wrote. They are not trusted."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import msgspec

from worldline.recording.guests.rehearsal import HEADER, SLOTS

MAX_LINE_BYTES = 8_000


class ScriptEvent(msgspec.Struct, frozen=True):
    """A request of the script to the system, before it was done or refused. Paths are those in the sandbox.

    A second event of the same request says that it `failed`, by which exception, or that a repetition was `done`.
    Four kinds are no requests: `lack` (the script asks for what the sandbox does not have), `assume` (an answer is
    assumed, after so many `printed` characters), `decide` (a condition on an unknown value is assumed to hold) and
    `call` (something unknown is called).
    """

    kind: str = ""
    target: str = ""
    detail: str = ""
    file: str = ""
    line: int = 0
    child: bool = False
    end: str = ""
    failed: str = ""
    done: bool = False
    printed: int = 0


def events_in(wire: bytes | memoryview) -> Iterator[ScriptEvent]:
    """Decode every valid line of the guest, process by process. Invalid lines are skipped."""
    room = (len(wire) - HEADER) // SLOTS
    decoder = msgspec.json.Decoder(ScriptEvent)
    for slot in range(SLOTS if room > 8 else 0):
        at = HEADER + slot * room
        (used,) = struct.unpack_from("<Q", wire, at)
        for line in bytes(wire[at + 8 : at + 8 + min(used, room - 8)]).split(b"\n"):
            if not 0 < len(line) <= MAX_LINE_BYTES:
                continue
            try:
                yield decoder.decode(line)
            except msgspec.MsgspecError:
                continue
