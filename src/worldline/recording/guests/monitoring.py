"""Events of the readable core through sys.monitoring (3.12+), with the rules of native/events.h."""

from __future__ import annotations

import builtins
import gc
import opcode
import sys
from collections.abc import Callable
from sys import _getframe
from types import CodeType, FrameType
from typing import Any, Protocol

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_is_collecting, _hold_collector, _release_collector = gc.isenabled, gc.disable, gc.enable
RETURN, YIELD = 6, 7  # the wire tags of the two ways to leave a frame with a value
TOOL = 4
LOCAL = ("PY_START", "PY_RESUME", "LINE", "JUMP", "BRANCH", "PY_RETURN", "PY_YIELD")  # may be disabled place by place
API: Any = getattr(sys, "monitoring", None)  # 3.11 has none, and then nobody makes a Monitor


class MonitoredRecorder(Protocol):
    """What a `Monitor` needs of a recorder, which owns its frames and its facts about code objects."""

    suspended: dict[int, Any]
    broken: bool  # whether steps are lost
    observer: Callable[[FrameType], None] | None  # called before each instruction, on 3.11
    collecting: bool  # whether the garbage collector of the program was on before our own code
    jumps: Any  # the `JumpWriter`; None if conditional jumps are not recorded

    def top_of(self, real: FrameType) -> Any:
        """Return the innermost open frame if it is this one; None if its start was not seen."""

    def is_mine(self) -> bool:
        """Tell whether the recorded thread is calling, while recording is on."""

    def code_of(self, code: CodeType) -> Any:
        """Return the facts about a code object; False if it is not of the program."""

    def give_up(self) -> None:
        """Stop, because the recorder itself ran out of recursion: later events would be wrong."""

    def on_call(self, code: Any, real: FrameType) -> None:
        """Handle the start of a frame."""

    def on_resume(self, frame: Any, real: FrameType) -> None:
        """Handle the resumption of a suspended frame."""

    def on_line(self, frame: Any, real: FrameType, line: int) -> None:
        """Handle a line that is about to execute."""

    def on_raise(self, frame: Any, real: FrameType, exception: BaseException) -> None:
        """Handle an exception that was raised in the frame, or arrived in it."""

    def on_leave(self, frame: Any, real: FrameType, how: int | None, arg: Any) -> None:
        """Handle the end of a frame: `how` is RETURN, YIELD, or None for an exception."""


class Monitor:
    """Enables and disables the events of one recorder, and forwards them."""

    def __init__(self, recorder: MonitoredRecorder) -> None:
        self.recorder, self.busy, self.events = recorder, False, 0
        self._callbacks: dict[int, Callable[..., Any]] = {}
        self._lines: dict[CodeType, list[int | None]] = {}

    def install(self, restart: bool) -> None:
        """Enable the events. `restart`: also where an earlier recorder disabled them, which had other files."""
        acts: dict[str, Callable[..., Any]] = {
            "PY_START": self.start,
            "PY_RESUME": self.resume,
            "PY_THROW": self.resume,
            "LINE": self.line,
            "JUMP": self.jump,
            "PY_RETURN": self.leave,
            "PY_YIELD": self.suspend,
            "PY_UNWIND": self.unwind,
            "RAISE": self.raised,
            **({"BRANCH": self.decide} if self.recorder.jumps is not None else {}),
        }
        API.use_tool_id(TOOL, "worldline")
        if restart:
            API.restart_events()
        for name, act in acts.items():
            event = getattr(API.events, name)
            self._callbacks[event] = self._guarded(act, name in LOCAL)
            API.register_callback(TOOL, event, self._callbacks[event])
            self.events |= event
        API.set_events(TOOL, self.events)

    def enter(self) -> None:
        """Do nothing: events come from every thread."""

    def uninstall(self) -> None:
        """Disable the events."""
        if API.get_tool(TOOL) is not None:
            API.set_events(TOOL, 0)
            for event in self._callbacks:
                API.register_callback(TOOL, event, None)
            API.free_tool_id(TOOL)
        self._lines.clear()

    def intact(self) -> bool:
        """Tell whether events and callbacks are unchanged. Reading a callback means replacing it."""
        if API.get_tool(TOOL) != "worldline" or API.get_events(TOOL) != self.events:
            return False
        installed = self._callbacks.items()
        checks = [API.register_callback(TOOL, event, callback) is callback for event, callback in installed]
        return all(checks)

    def _guarded(self, act: Callable[..., Any], local: bool) -> Callable[..., Any]:
        """Wrap a callback: only for code of the program, on its own thread, and never recursively."""
        foreign = API.DISABLE if local else None

        def callback(code: CodeType, *args: Any) -> Any:
            if self.busy or not self.recorder.is_mine():
                return None
            known = self.recorder.code_of(code)
            if not known:
                return foreign
            self.busy = True
            self.recorder.collecting = _is_collecting()
            _hold_collector()  # finalisers of the program would run unrecorded, inside our code
            try:
                return act(known, _getframe(1), code, *args)
            except RecursionError:
                self.recorder.give_up()
                return None
            finally:
                if self.recorder.collecting:
                    _release_collector()
                self.busy = False

        return callback

    def start(self, known: Any, real: FrameType, code: CodeType, offset: int) -> None:
        """Forward the start of a frame."""
        self.recorder.on_call(known, real)

    def resume(self, known: Any, real: FrameType, code: CodeType, offset: int, exception: Any = None) -> None:
        """Forward the resumption of a frame, or an exception thrown into it."""
        frame = self.recorder.suspended.pop(id(real), None)
        if frame is None:
            self.recorder.on_call(known, real)
        else:
            self.recorder.on_resume(frame, real)

    def line(self, known: Any, real: FrameType, code: CodeType, number: int) -> None:
        """Forward the start of a line, unless a backward jump has already started it."""
        frame = self.recorder.top_of(real)
        if frame is None:
            return
        if not (frame.looped and frame.line == number):
            self.recorder.on_line(frame, real, number)
        frame.looped = False

    def jump(self, known: Any, real: FrameType, code: CodeType, origin: int, target: int) -> Any:
        """Forward a backward jump inside one line, which starts the line again. Other jumps have line events."""
        lines = self._line_table(code)
        line = lines[target // 2]
        if line is None or target > origin or line != lines[origin // 2]:
            return API.DISABLE
        frame = self.recorder.top_of(real)
        if frame is not None:
            self.recorder.on_line(frame, real, line)
            frame.looped = True
        return None

    def decide(self, known: Any, real: FrameType, code: CodeType, origin: int, target: int) -> None:
        """Forward a conditional jump."""
        frame = self.recorder.top_of(real)
        if frame is not None:
            self.recorder.jumps.write(frame.serial, code, origin, target)

    def leave(self, known: Any, real: FrameType, code: CodeType, offset: int, value: Any) -> None:
        """Forward the return of a frame."""
        self._left(real, RETURN, value)

    def suspend(self, known: Any, real: FrameType, code: CodeType, offset: int, value: Any) -> None:
        """Forward the yield of a frame."""
        self._left(real, YIELD, value)

    def unwind(self, known: Any, real: FrameType, code: CodeType, offset: int, exception: BaseException) -> None:
        """Forward that an exception leaves a frame."""
        self._left(real, None, None)

    def _left(self, real: FrameType, how: int | None, value: Any) -> None:
        frame = self.recorder.top_of(real)
        if frame is not None:
            self.recorder.on_leave(frame, real, how, value)

    def raised(self, known: Any, real: FrameType, code: CodeType, offset: int, exception: BaseException) -> None:
        """Forward an exception in a frame, unless it only tells a loop to stop."""
        if opcode.opname[code.co_code[offset]] in ("FOR_ITER", "SEND") and isinstance(exception, StopIteration):
            return
        frame = self.recorder.top_of(real)
        if frame is not None:
            self.recorder.on_raise(frame, real, exception)

    def _line_table(self, code: CodeType) -> list[int | None]:
        """Return the line of each code unit."""
        table = self._lines.get(code)
        if table is None:
            table = [line for start, end, line in code.co_lines() for _ in range((end - start) // 2)]
            self._lines[code] = table
        return table
