"""Tell whether a request failed: by the next event of the frame that made it.

An audit event comes before the act. If the next event of its frame is an exception, the act failed; anything else means
that it was done. What a library announces by itself (`subprocess`) has failed if an exception leaves its frame.
"""

from __future__ import annotations

import builtins
import sys
from _thread import _local
from collections.abc import Callable
from types import FrameType
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_ANNOUNCED = ("subprocess.Popen", "pty.spawn")  # by Python code, before a longer act


class Outcomes:
    """Watches frames, one or more of a thread at a time."""

    def __init__(self) -> None:
        self._threads: Any = _local()

    def watch(self, frame: FrameType, event: str, tell: Callable[[str], None]) -> None:
        """Call `tell` with the name of the exception, or an empty text, when the act of an audit event has ended.

        Nothing is told where the script traces itself, or where the frame is watched already.
        """
        watched = self._watched()
        if (not watched and sys.gettrace() is not None) or frame in watched:
            return
        is_long, raised = event in _ANNOUNCED, ""

        def local(_: FrameType, event: str, arg: Any) -> Any:
            nonlocal raised
            if event == "exception":
                raised = arg[0].__name__
            if is_long and event != "return":
                raised = "" if event == "line" else raised
                return local
            frame.f_trace_opcodes = False
            watched.remove(frame)
            if not watched:
                sys.settrace(None)
            tell(raised)
            return None

        watched.append(frame)
        frame.f_trace, frame.f_trace_opcodes = local, not is_long
        sys.settrace(_ignore)

    def _watched(self) -> list[FrameType]:
        try:
            frames: list[FrameType] = self._threads.frames
        except AttributeError:
            frames = self._threads.frames = []
        return frames


def _ignore(*_: Any) -> None:
    """Trace no frame that begins while another is watched."""
