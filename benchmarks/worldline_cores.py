"""worldline's two recorder cores as the peers are: in this process, into memory, unboxed.

The wire is decoded after the clock has stopped, and the session says what it held: how many steps, and with which
values the last outermost call ended. `measure` refuses the figure unless both are true.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from peers import Recorder, Session, itself

from worldline.core.events import EVENTS
from worldline.core.limits import Limits
from worldline.core.trace import NO_TEXT
from worldline.recording.guests.python import global_names
from worldline.recording.wire import Decoded, decode

ROOM = 2 << 30  # address space; only what is written becomes memory
LIMITS = {"steps": 1 << 40, "value_bytes": Limits().value_bytes, "value_depth": Limits().value_depth}


def native_core() -> Any:
    """The class of native/recorder.c."""
    from worldline import _recorder

    return _recorder.Recorder


def readable_core() -> Any:
    """The class of recording/guests/recorder.py."""
    from worldline.recording.guests import recorder

    return recorder.Recorder


def fresh_wire() -> int:
    """A file in memory, as the host makes one for a program."""
    fd = os.memfd_create("wire")
    os.ftruncate(fd, ROOM)
    return fd


@contextlib.contextmanager
def core(load: Callable[[], Any], file: Path) -> Iterator[Session]:
    """A recorder that is on, writing into fresh memory."""
    wire = fresh_wire()
    recorder = load()(wire, {str(file): file.name}, LIMITS, global_names)
    recorder.start()

    def stopped() -> Decoded:
        if not recorder.stop():
            raise RuntimeError("the recorder says that it was tampered with")
        recorder.end("returned", "")
        decoded = decode(mmap.mmap(wire, 0, prot=mmap.PROT_READ))
        if decoded.damage is not None or decoded.end is None or decoded.end.kind != "returned":
            raise RuntimeError(f"the wire ends with {decoded.end}, damage at {decoded.damage}")
        return decoded

    try:
        yield Session(itself, stopped, exact=True)
    finally:
        recorder.stop()
        os.close(wire)


def final_state(decoded: Decoded) -> dict[str, str]:
    """The names of the last outermost frame, folded from its deltas, and its value as `return`."""
    columns, texts = decoded.columns, decoded.columns.texts
    outermost = len(decoded.frames) - 1
    while decoded.frames.parent[outermost]:
        outermost -= 1
    state: dict[str, str] = {}
    for i in range(len(columns)):
        if columns.frame[i] != outermost:
            continue
        for at in range(columns.change_at[i], columns.change_at[i + 1]):
            name, value = texts[columns.change_name[at]], columns.change_value[at]
            state.pop(name, None) if value == NO_TEXT else state.__setitem__(name, texts[value])
        if EVENTS[columns.event[i]] == "return":
            state["return"] = texts[columns.arg[i]]
    return state


CORES: dict[str, Recorder] = {
    "worldline": partial(core, native_core),
    "worldline (python)": partial(core, readable_core),
}
"""What is being measured."""
