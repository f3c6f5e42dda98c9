"""Install the control of one run, before the first line of the program: the tape and all that uses it."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Container, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from ..turns.observe import observe_accesses
from . import clocks, file_times, identity, kernel_files, randomness, waits
from .schedule import Scheduler
from .tape import Tape
from .virtual_clock import VirtualClock

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

if "_queue" not in sys.modules:  # its library is mapped once for all programs, and none finds it loaded
    import_module("_queue")
    del sys.modules["_queue"]


def install(
    control: dict[str, Any],
    recorder: Any,
    swap: Callable[..., Any],
    files: Container[str],
    own: Iterable[ModuleType],
    native: Any,
) -> Scheduler:
    """Control and record the hidden inputs of this process from now on."""
    tape, clock = Tape(control, recorder), VirtualClock(live=control["seed"] is None)
    randomness.install(tape, swap)
    began, real_now = clocks.install(tape, clock, swap, control["seed"])
    kernel_files.install(tape, clock, swap)
    file_times.install(tape, swap, files, began, real_now)
    identity.install(tape, swap, files, own)
    scheduler = waits.install(tape, clock, recorder, swap, control)
    if control.get("turns") is not None:
        observe_accesses(scheduler, recorder, control["turns"], native.frame_slot, files)
    return scheduler
