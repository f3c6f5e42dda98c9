"""Run by each interpreter: what sys.settrace reports of programs given as JSON on stdin, as JSON on stdout.

In: a list of [source, [expressions]]. Out, for each: rows [code name, first line, event before, line before, event,
line], each distinct row once; the event before a frame's first event is "".
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from types import FrameType
from typing import Any


def pairs(source: str, expressions: list[str]) -> list[list[Any]]:
    """The distinct pairs of consecutive events of one frame."""
    events: dict[tuple[Any, ...], None] = {}
    last: dict[int, tuple[FrameType, str, int]] = {}

    def hook(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != "<program>":
            return None
        known = last.get(id(frame))
        before, line = (known[1], known[2]) if known and known[0] is frame else ("", 0)
        code = frame.f_code
        first = 0 if code.co_name == "<module>" else code.co_firstlineno
        events[code.co_name, first, before, line, event, frame.f_lineno] = None
        last[id(frame)] = frame, event, frame.f_lineno
        return hook

    names: dict[str, Any] = {"__name__": "program"}
    with contextlib.redirect_stdout(io.StringIO()):
        sys.settrace(hook)
        try:
            exec(compile(source, "<program>", "exec"), names)
            for expression in expressions:
                exec(compile(expression, "<call>", "exec"), names)
        finally:
            sys.settrace(None)
    return [list(row) for row in events]


if __name__ == "__main__":
    json.dump([pairs(*program) for program in json.load(sys.stdin)], sys.stdout)
