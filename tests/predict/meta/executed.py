"""A model of Meta's format that executes the program for real, from whatever text it is given, with one planted fault.

The text before is taken as it stands: where it shows another value, the running program gets that value; where it shows
another line, the program jumps there. So a mistake, its own or a given one, has the consequences that it would have. It
shares no code with the package. CPython 3.11: a trace function may set locals and lines.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from types import FrameType
from typing import Any

from meta.tracer import TOKENS, quoted, spelled

MAX_EVENTS = 3_000
OPENING = 2  # the frames of `main` that a prompt gives
FRAME, ACTION, ARG, END = "<|frame_sep|>", "<|action_sep|>", "<|arg_sep|>", "<|end_of_text|>"
KINDS = ("value", "action", "lost", "cut", "ends", "prose")
PROSE = "So the function goes through its input once more and returns the result."


@dataclass(frozen=True)
class Fault:
    """What is wrong, from which event of the execution on, and in which name. `frame`: where it was planted."""

    kind: str
    event: int
    name: str = ""
    frame: int = -1


@dataclass(frozen=True)
class Seen:
    """An event of the execution: its number, its function, and its names as they are spelled."""

    number: int
    event: str
    function: str
    names: dict[str, str]


class Lost(Exception):
    """The given text does what the execution cannot follow."""


class Stopped(BaseException):
    """The model writes nothing more; no program catches it."""


@dataclass
class Execution:
    """One execution that follows the frames of `text` and then goes its own way."""

    source: str
    call: str
    text: str = ""
    fault: Fault | None = None
    frames: list[str] = field(default_factory=list)
    planted: Fault | None = None
    end: str = END
    seen: list[Seen] = field(default_factory=list)
    _events: int = -1
    _problem: Exception | None = None
    _shown: dict[int, tuple[FrameType, dict[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        *self._given, self._part = re.split(rf"(?<={re.escape(FRAME)})", self.text)
        self._lines = ["", *self.source.split("\n")]
        names: dict[str, Any] = {"__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(self.source, "<program>", "exec"), names)
            expression = compile(self.call, "<call>", "eval")
            sys.settrace(self._hook)
            with contextlib.suppress(Exception, Stopped, SystemExit):
                eval(expression, names)
            sys.settrace(None)
        if self._problem is not None:
            raise self._problem

    @property
    def rest(self) -> str:
        """What the model writes behind its text."""
        return ("".join(self.frames) + self.end)[len(self.text) :]

    def _hook(self, frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != "<program>":
            return None
        self._events += 1
        if self._events > MAX_EVENTS:
            self._stop("")
        number = len(self.frames)
        given = self._given[number] if number < len(self._given) else self._part if number == len(self._given) else ""
        is_stop = event == "exception" and "StopIteration" in spelled(arg)
        if is_stop and given and not given.startswith("<|exception_sep|>"):
            return self._hook  # a text that shows no ends of loops
        try:
            self._follow(frame, event, arg, given)
        except Lost:
            self._give_up()
        except Exception as problem:  # a mistake of this file
            self._problem = problem
            self._give_up()
        return self._hook

    def _give_up(self) -> None:
        """Completes what was given, and writes nothing behind it."""
        self.frames, part = list(self._given), self._part
        state = "" if not part or "}" in part else '"None"' if ARG in part else "{}"
        self._stop(part + state + (FRAME if ACTION in part else f"{ACTION}\n{FRAME}" if part else "") + END)

    def _follow(self, frame: FrameType, event: str, arg: object, given: str) -> None:
        names = frame.f_locals
        self._obey(frame, names, event, given)
        if not given.endswith(FRAME):
            self._slip(frame, names, event, given)
        state = {name: spelled(value) for name, value in names.items()}
        self.seen.append(Seen(self._events, event, frame.f_code.co_name, state))
        own = self._written(frame, names, event, arg)
        if given.endswith(FRAME):
            own = given
        elif given and not own.startswith(given):
            separator = ARG if ARG in given else ACTION
            own = given + (own.partition(separator)[2] if separator in given else own[own.index(ACTION) :])
        self.frames.append(own)

    def _obey(self, frame: FrameType, names: dict[str, Any], event: str, given: str) -> None:
        """Makes the execution what a given frame, or a part of one, says."""
        if not given:
            return
        if not given.startswith(f"<|{TOKENS[event]}|>"):
            raise Lost
        state, line = given.partition("_sep|>")[2].partition(ACTION)[::2]
        if event in ("call", "line") and state.endswith("}"):
            self._assign(frame, names, json.loads(state))
        if ACTION in given and "\n" in line:
            self._jump(frame, event, line.partition("\n")[0])

    def _assign(self, frame: FrameType, names: dict[str, Any], state: dict[str, str]) -> None:
        for name in [name for name in names if name not in state]:
            del names[name]
        for name, text in state.items():
            if text != ".." and (name not in names or spelled(names[name]) != text):
                with contextlib.suppress(Exception):
                    names[name] = eval(text, frame.f_globals)

    def _jump(self, frame: FrameType, event: str, line: str) -> None:
        if self._lines[frame.f_lineno] == line:
            return
        targets = [i for i, text in enumerate(self._lines) if text == line]
        if event != "line" or not any(_jumped(frame, target) for target in targets):
            raise Lost

    def _slip(self, frame: FrameType, names: dict[str, Any], event: str, given: str) -> None:
        """Makes the planted mistake, if it is time for it and the frame allows it."""
        fault = self.fault
        if fault is None or self._events != fault.event:
            return
        if fault.kind in ("value", "lost"):
            if "{" in given or (fault.kind == "value" and type(names[fault.name]) not in OTHERS):
                return
            if fault.kind == "lost":
                del names[fault.name]
            else:
                known = {spelled(names[fault.name]), *(text for one in self.seen for text in one.names.values())}
                names[fault.name] = bumped(names[fault.name], known)
        elif fault.kind == "action" and (ACTION in given or not self._astray(frame)):
            return
        self.planted = replace(fault, frame=len(self.frames))
        if fault.kind == "prose":
            self._stop(given + PROSE + END)
        if fault.kind == "ends":
            self._stop(given + END)
        if fault.kind == "cut":
            # A limit cuts between tokens: before what a frame says, or within it.
            own = self._written(frame, names, event, None)
            head = own[: own.index("|>") + 2 + 5 * ("{" in own)]
            self._stop(head if head.startswith(given) else given)

    def _astray(self, frame: FrameType) -> bool:
        """Whether the program could jump to another line of its function."""
        here = frame.f_lineno
        lines = sorted({line for _, _, line in frame.f_code.co_lines() if line and line != frame.f_code.co_firstlineno})
        lines = [line for line in lines if line != here and self._lines[line] != self._lines[here]]
        Random(here).shuffle(lines)
        return any(_jumped(frame, line) for line in lines)

    def _written(self, frame: FrameType, names: dict[str, Any], event: str, arg: object) -> str:
        code = frame.f_code
        line = self._lines[frame.f_lineno if code.co_name != "<module>" or event != "call" else 0]
        if event in ("return", "exception"):
            return f"<|{TOKENS[event]}|>{ACTION}{line}\n{ARG}{quoted(spelled(arg))}{FRAME}"
        now = {name: spelled(value) for name, value in names.items()}
        known = self._shown.get(id(frame), (frame, {}))[1] if event == "line" else {}
        self._shown[id(frame)] = frame, now
        state = {name: ".." if known.get(name) == text else text for name, text in now.items()}
        pairs = ", ".join(f"{quoted(name)}: {quoted(text)}" for name, text in state.items())
        return f"<|{TOKENS[event]}|>{{{pairs}}}{ACTION}{line}\n{FRAME}"

    def _stop(self, end: str) -> None:
        self.end = end
        raise Stopped


def _jumped(frame: FrameType, line: int) -> bool:
    try:
        frame.f_lineno = line
    except ValueError:  # into a loop, or out of the function
        return False
    return True


OTHERS: dict[type, Callable[[Any, int], Any]] = {
    int: lambda value, more: value + 6 + more,
    float: lambda value, more: value + 6.5 + more if abs(value) < 1e9 else -0.5 - more,
    str: lambda value, more: value + "q" * more,
    list: lambda value, more: [*value, "q" * more],
    tuple: lambda value, more: (*value, "q" * more),
}


def bumped(value: Any, known: set[str]) -> Any:
    """Another value of the same type, which no name has had."""
    found = (OTHERS[type(value)](value, more) for more in range(1, 1000))
    return next(one for one in found if spelled(one) not in known)


@lru_cache(maxsize=1024)
def fault_of(seed: int, source: str, call: str) -> Fault | None:
    """The fault that a seed plants in a program: none in one of seven, and where there is no place for it."""
    rng = Random(hashlib.sha256(f"{seed}\n{call}\n{source}".encode()).digest())
    kind = rng.choice((None, *KINDS))
    clean = Execution(source, call)
    places = list(_places(kind, clean)) if kind else []
    rng.shuffle(places)
    tried = (replace(fault, frame=-1) for fault in places if kind != "action" or _is_planted(source, call, fault))
    return next(tried, None)


def _is_planted(source: str, call: str, fault: Fault) -> bool:
    return Execution(source, call, fault=fault).planted is not None


def _places(kind: str, clean: Execution) -> Iterator[Fault]:
    """Where a fault of a kind can be, behind the frames that a prompt gives."""
    before: dict[str, dict[str, str]] = {}
    for one in clean.seen[OPENING:]:
        known = before.get(one.function, {}) if one.event != "call" else {}
        changed = [name for name, text in one.names.items() if known.get(name) != text and _is_plain(text)]
        kept = [name for name in one.names if name in known and not name.startswith(".")]
        before[one.function] = one.names
        if kind in ("cut", "ends", "prose"):
            yield Fault(kind, one.number)
        elif one.event == "line" and one.function not in ("main", "<module>"):
            for name in {"value": changed, "lost": kept}.get(kind, [""]):
                yield Fault(kind, one.number, name)


def _is_plain(text: str) -> bool:
    try:
        return type(eval(text, {"__builtins__": {}})) in OTHERS
    except Exception:
        return False
