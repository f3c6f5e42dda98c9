"""Have the accesses of a run observed: by opcode events on 3.11, by a second monitoring tool from 3.12 on."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container
from sys import _getframe
from types import CodeType, FrameType
from typing import Any

from ..monitoring import API
from .calls import Calls
from .instructions import Instruction, read_instructions
from .operands import Numbers, Operands
from .turns import Observer, Turns

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

TOOL = 3


def observe_accesses(
    scheduler: Any, recorder: Any, plan: dict[str, Any], slot: Callable[..., Any], files: Container[str]
) -> None:
    """Let threads switch before accesses, and follow a schedule.

    Args:
        scheduler: Who switches threads.
        recorder: Where the log of the turns goes.
        plan: The schedule.
        slot: Returns the value at a place of a frame.
        files: The program's own files.
    """
    numbers = Numbers()
    turns, operands = Turns(plan, numbers, recorder), Operands(slot, files, numbers)
    operands.calls, operands.doubts = Calls(operands), turns.doubts
    tables: dict[int, tuple[CodeType, dict[int, Instruction]]] = {}

    def table(code: CodeType) -> dict[int, Instruction]:
        entry = tables.get(id(code))
        if entry is None:
            entry = tables[id(code)] = code, read_instructions(code)
        return entry[1]

    observer = Observer(table, operands.read, scheduler)
    if API is None:
        recorder.observe(lambda frame: observer.before(frame, frame.f_lasti))
    else:
        _monitor(observer, files)
    if plan["text"]:
        recorder.draw("schedule", f"'{plan['text']}'")
    scheduler.turns, scheduler.current_call = turns, observer.current


def _monitor(observer: Observer, files: Container[str]) -> None:
    def start(code: CodeType, offset: int) -> Any:
        if code.co_filename in files:
            API.set_local_events(TOOL, code, API.events.INSTRUCTION)
        return API.DISABLE

    def instruction(code: CodeType, offset: int) -> Any:
        frame: FrameType = _getframe(1)
        return None if observer.before(frame, offset) else API.DISABLE

    API.use_tool_id(TOOL, "worldline turns")
    API.register_callback(TOOL, API.events.PY_START, start)
    API.register_callback(TOOL, API.events.PY_RESUME, start)
    API.register_callback(TOOL, API.events.INSTRUCTION, instruction)
    API.set_events(TOOL, API.events.PY_START | API.events.PY_RESUME)
