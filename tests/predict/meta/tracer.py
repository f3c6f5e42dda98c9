"""Run by CPython 3.11: programs traced by sys.settrace and spelled as Meta's own tracer spells them; JSON in and out.

In: a list of [source, call]. Out, for each: the frames as text with special tokens, or null where the run took too many
steps. It shares no code with the package: `repr` gives the values, exception frames carry sys.exc_info's triple, and a
value that is spelled as in its activation's last call or line frame is "..".
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import sys
from types import FrameType
from typing import Any

MOST = 20_000
SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
TOKENS = {"call": "call_sep", "line": "line_sep", "return": "return_sep", "exception": "exception_sep"}


def spelled(value: object) -> str:
    """The repr; of an object that has none yet, what `object` would say of it."""
    try:
        return repr(value)
    except Exception:
        return object.__repr__(value)


def quoted(text: str) -> str:
    """A JSON string that holds no special token."""
    return json.dumps(text, ensure_ascii=False).replace("<|", "\\u003c|")


class MetaTracer:
    """Collects the frames of one run."""

    def __init__(self, source: str) -> None:
        self.lines = ["", *source.split("\n")]
        self.said: dict[int, tuple[FrameType, dict[str, str]]] = {}
        self.frames: list[str] = []

    def hook(self, frame: FrameType, event: str, arg: object) -> Any:
        """Called by the interpreter for each event."""
        if frame.f_code.co_filename != "<program>":
            return None
        line = self.lines[frame.f_lineno if frame.f_code.co_name != "<module>" or event != "call" else 0]
        action = f"<|action_sep|>{line}\n"
        if event in ("call", "line"):
            text = f"<|{TOKENS[event]}|>{self.locals(frame, event)}{action}"
        else:
            text = f"<|{TOKENS[event]}|>{action}<|arg_sep|>{quoted(spelled(arg))}"
        self.frames.append(text + "<|frame_sep|>")
        if event == "return" and not frame.f_code.co_flags & SUSPENDS:  # or it keeps alive what its frame holds
            del self.said[id(frame)]
        if len(self.frames) > MOST:
            raise SystemExit("too many steps")
        return self.hook

    def locals(self, frame: FrameType, event: str) -> str:
        """The names of an activation, those that are as they were said to be."""
        now = {name: spelled(value) for name, value in frame.f_locals.items()}
        known = self.said.get(id(frame), (frame, {}))[1] if event == "line" else {}
        self.said[id(frame)] = frame, now
        told = {name: ".." if known.get(name) == value else value for name, value in now.items()}
        return "{" + ", ".join(f"{quoted(name)}: {quoted(value)}" for name, value in told.items()) + "}"


def traced(source: str, call: str) -> str | None:
    """The text of one run, from the call to its end."""
    names: dict[str, Any] = {"__name__": "__main__"}
    tracer = MetaTracer(source)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "<program>", "exec"), names)
        expression = compile(call.strip(), "<call>", "eval")
        sys.settrace(tracer.hook)
        try:
            eval(expression, names)
        except SystemExit:
            return None
        except BaseException:
            pass
        finally:
            sys.settrace(None)
    return "".join(tracer.frames) + "<|end_of_text|>"


if __name__ == "__main__":
    json.dump([traced(*program) for program in json.load(sys.stdin)], sys.stdout)
