"""What a script asked of the system, as the guest in the box wrote it: decoded within bounds, and not trusted."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import msgspec

from worldline.recording.guests.rehearsal import HEADER, SLOTS

MAX_LINE_BYTES = 8_000  # bytes of one line


class ScriptEvent(msgspec.Struct, frozen=True):
    """Something that the script asked of the system, before it was done or refused; paths are those of the box."""

    kind: str = ""
    target: str = ""
    detail: str = ""
    file: str = ""
    line: int = 0
    child: bool = False
    end: str = ""


def events_in(wire: bytes | memoryview) -> Iterator[ScriptEvent]:
    """Every line that is one of the guest's, process by process; what is not is passed over."""
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
