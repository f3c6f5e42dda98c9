"""Events of the readable core through sys.settrace (3.11), with the rules of native/events.h."""

from __future__ import annotations

import builtins
import opcode
from gc import disable, enable, isenabled
from sys import _getframe, gettrace, settrace
from types import FrameType
from typing import Any

from .monitoring import RETURN, YIELD, MonitoredRecorder

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away


class Tracer:
    """The trace function of one recorder, which forwards its events. The same interface as `Monitor`."""

    def __init__(self, recorder: MonitoredRecorder) -> None:
        self.recorder, self.busy = recorder, False

    def install(self, restart: bool) -> None:
        """Do nothing: each thread has its own trace function."""

    def enter(self) -> None:
        """Enable the events of the calling thread."""
        settrace(self.trace)

    def uninstall(self) -> None:
        """Disable the events, also those of the frames that run."""
        settrace(None)
        real: FrameType | None = _getframe()
        while real is not None:
            if getattr(real.f_trace, "__self__", None) is self:
                real.f_trace = None
            real = real.f_back

    def intact(self) -> bool:
        """Tell whether the trace function is unchanged."""
        return gettrace() == self.trace

    def trace(self, real: FrameType, event: str, arg: Any) -> Any:
        """Forward an event. Return the trace function of the frame."""
        recorder = self.recorder
        if not recorder.is_mine():
            return None
        if event == "opcode":
            if recorder.observer is not None:
                recorder.observer(real)
            if recorder.jumps is None:
                return self.trace
        recorder.collecting = isenabled()
        disable()  # finalisers of the program would run unseen, inside our own work
        try:
            is_own = self._start(real) if event == "call" else self._forward(real, event, arg)
            return self.trace if is_own and recorder.is_mine() else None  # a limit may have been reached
        except RecursionError:
            recorder.give_up()
            return None
        finally:
            if recorder.collecting:
                enable()

    def _start(self, real: FrameType) -> bool:
        recorder = self.recorder
        code = recorder.code_of(real.f_code)
        if not code:
            return False
        real.f_trace_opcodes = recorder.jumps is not None or recorder.observer is not None
        suspended = None if _is_starting(real) else recorder.suspended.pop(id(real), None)
        if suspended is None:
            recorder.on_call(code, real)
        else:
            recorder.on_resume(suspended, real)
        return True

    def _forward(self, real: FrameType, event: str, arg: Any) -> bool:
        recorder = self.recorder
        frame = recorder.top_of(real)
        if frame is None:
            return True
        jumps = recorder.jumps
        if jumps is not None and event in ("line", "opcode"):
            jumps.arrive(frame.serial, real.f_code, real.f_lasti, executes=event == "opcode")
        if event == "opcode":
            return True
        op = opcode.opname[real.f_code.co_code[real.f_lasti]]
        if not real.f_trace_lines:  # the program switched its lines off: those since are lost
            recorder.broken = True
        if event == "line":
            recorder.on_line(frame, real, real.f_lineno)
        elif event == "return":
            yields = frame.code.suspends and op == "YIELD_VALUE" and not frame.raised
            how = YIELD if yields else RETURN if op == "RETURN_VALUE" else None
            recorder.on_leave(frame, real, how, arg)
        elif event == "exception" and not (op in ("FOR_ITER", "SEND") and issubclass(arg[0], StopIteration)):
            if jumps is not None:
                jumps.leave(frame.serial)
            recorder.on_raise(frame, real, arg[1])
        return True


def _is_starting(real: FrameType) -> bool:
    """Tell whether a frame executes its first instruction."""
    code, at = real.f_code.co_code, real.f_lasti
    return opcode.opname[code[at]] == "RESUME" and code[at + 1] == 0
