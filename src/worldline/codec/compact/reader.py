"""The state machine that reads compact lines one by one; `codec.compact.parse` feeds it.

The first mark of a line decides how it is read. What a line may say depends only on the running frame, the
suspended frames and what has been shown, all tracked here. What depends on later lines is not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from worldline.codec.compact.changes import Changes, KnownNames
from worldline.codec.compact.frames import NOBODY, REFERENCE, Cursor
from worldline.codec.compact.prompt import Prompt
from worldline.codec.compact.words import Fault, read_hidden, read_name, read_value
from worldline.codec.compact.writer import HELD, MARKS, NOT_HELD, Query, StepDecision, shows_value
from worldline.core.events import CHANGELESS, Pending
from worldline.core.spelling import STR, unquote
from worldline.core.trace import NO_TEXT, Frame, Hidden, Step

_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}")
_QUOTED = re.compile(STR)
_EVENTS = {mark: event for event, mark in MARKS.items()}


# Shared by all steps without changes, which are most. It is never added to.
_NOTHING = Changes()


@dataclass(slots=True)
class _OpenStep:
    """A step that is being read: its changes may come late."""

    event: str
    frame: int
    line: int
    changes: Changes = field(default_factory=lambda: _NOTHING)
    arg: str | None = None
    thread: int = 0


class CompactReader:
    """The state machine over lines: the running frame, the steps that wait for changes, what has been shown."""

    def __init__(self, prompt: Prompt, budget: int, *, loose: bool = False) -> None:
        self.prompt, self.ended = prompt, False
        self._options = prompt.options
        self._files = [prompt.program.name, *(path for path, _ in prompt.program.files)]
        self._cursor, self._names = Cursor(), KnownNames(prompt.options, budget, loose=loose)
        self._rows: list[_OpenStep] = []
        self.frames: list[Frame] = []
        # The newest line of each frame.
        self._lines: list[int] = []
        self._pending = Pending[int]()
        self._returned: set[int] = set()
        # Frames that an exception left.
        self._left: set[int] = set()
        self.hidden: list[Hidden] = []
        self.decisions: list[StepDecision] = []
        # A move or late changes since the last step: no hidden input may follow.
        self._moved = False
        self.queries: list[Query] = []
        # The step and name of a query whose answer is the next line.
        self._queried: tuple[int, str] | None = None
        self._acts: dict[str, Callable[[str], None]] = {
            " ": self._late,
            "(": self._call,
            "/": self._leave,
            "@": self._switch,
            "%": self._hide,
            "?": self._query,
            "^": self._decide,
            ".": self._end,
        }

    def without_restated(self, line: bytes) -> bytes:
        """Return the line that was just read without the names that it shows again unchanged."""
        spans, self._names.restated = [*self._names.restated.values()], {}
        if not spans:
            return line
        text = line.decode()
        for start, end in reversed(spans):
            text = text[:start] + text[end:]
        return text.encode()

    def line(self, text: str) -> None:
        """Read one complete line. After a Fault the state is that of the lines before, except for this line."""
        if self._queried is not None:
            self.queries.append(Query(*self._queried, read_answer(text)))
            self._queried = None
            return
        act = self._acts.get(text[:1], self._event)
        act(text)

    def _late(self, text: str) -> None:
        frame = self._cursor.top
        pending = self._pending.get(frame)
        if pending is None or pending == len(self._rows) - 1 or self._rows[pending].changes:
            raise Fault(0, "a step")
        changes, end = self._read_changes(pending, text, 0)
        self._expect_end(text, end)
        self._moved = True
        self._rows[pending].changes = changes

    def _call(self, text: str) -> None:
        line, at = self._read_line(text, 1)
        parent, serial = self._cursor.top, len(self.frames)
        if parent in self._returned:
            raise Fault(0, "a step of a frame that continues")
        caller = self.frames[parent] if parent != NOBODY else None
        file, at = self._read_file(text, at, caller.file if caller else self._files[0])
        self.frames.append(Frame(serial, "", file, parent, caller.depth + 1 if caller else 0))
        self._lines.append(line)
        self._cursor.push(serial)
        self._finish(_OpenStep("call", serial, line), text, at)

    def _read_file(self, text: str, at: int, caller_file: str) -> tuple[str, int]:
        if text[at : at + 1] != "@":
            return caller_file, at
        if match := _QUOTED.match(text, at + 1):
            file = unquote(match[0])
            is_known = file in self._files
        else:
            match = _NUMBER.match(text, at + 1)
            if match is None or int(match[0]) >= len(self._files):
                raise Fault(at + 1, "a file of the program")
            file, is_known = self._files[int(match[0])], False
        if file == caller_file or is_known:
            raise Fault(at, "a file only if it is another one")
        return file, match.end()

    def _leave(self, text: str) -> None:
        frame = self._cursor.top
        pending = self._pending.get(frame)
        raised = pending == len(self._rows) - 1 and self._rows[-1].event == "raise"
        if frame == NOBODY or (raised and frame not in self._left):
            raise Fault(0, "a step")
        self._expect_end(text, 1)
        self._moved = True
        self._left.add(self._cursor.pop())
        self._names.forget(frame)

    def _switch(self, text: str) -> None:
        self._moved = True
        if text == "@.":
            self._cursor.push(NOBODY)
            return
        frame, at = self._read_reference(text, 1)
        self._expect_end(text, at)
        if frame == self._cursor.top or frame in self._left:
            raise Fault(1, "another frame")
        self._cursor.push(frame)

    def _read_reference(self, text: str, at: int) -> tuple[int, int]:
        match = REFERENCE.match(text, at)
        frame = self._cursor.find(match) if match else None
        if match is None or frame is None or frame >= len(self.frames):
            raise Fault(at, "a frame")
        return frame, match.end()

    def _hide(self, text: str) -> None:
        if self._moved:
            raise Fault(0, "hidden inputs first, before moves and late changes")
        hidden = read_hidden(text, len(self._rows))
        if not self._options.tells(hidden.kind):
            raise Fault(0, "a step: this mode has no hidden inputs")
        self.hidden.append(hidden)
        if hidden.thread is not None:
            self._cursor.go(hidden.thread)

    def _decide(self, text: str) -> None:
        pending = self._pending.get(self._cursor.top) if self._options.conditions else None
        if pending is None or self._rows[pending].event != "line":
            raise Fault(0, "a step")
        if f"{text}\n" not in (HELD, NOT_HELD):
            raise Fault(1, "! or the end of the line")
        self._moved = True
        self.decisions.append((pending, f"{text}\n" == HELD))

    def _query(self, text: str) -> None:
        if text == "?":
            drawn = self.hidden and self.hidden[-1].step == len(self._rows)
            if drawn or not self._rows or self._rows[-1].event in ("call", "line", "resume"):
                raise Fault(0, "a step")
            self._queried = (len(self._rows) - 1, "")
            return
        name, end = read_name(text, 1)
        self._expect_end(text, end)
        pending, newest = self._pending.get(self._cursor.top), len(self._rows) - 1
        if pending is None or (pending == newest and self.hidden and self.hidden[-1].step > newest):
            raise Fault(0, "a step")
        self._queried = (pending, name)

    def _end(self, text: str) -> None:
        self._expect_end(text, 1)
        self.ended = True

    def _event(self, text: str) -> None:
        """A step that may start with its line: all except a call."""
        match = _NUMBER.match(text)
        at = match.end() if match else 0
        mark = text[at : at + 1]
        if match is not None and mark in ("", " "):
            line, frame = int(match[0]), self._running()
            if line >= NO_TEXT:
                raise Fault(0, "a line number")
            self._finish(_OpenStep("line", frame, line), text, at)
        elif mark == "~":
            self._resume(text, at)
        elif mark in _EVENTS:
            self._valued(text, at, _EVENTS[mark])
        else:
            raise Fault(at, "a step")

    def _resume(self, text: str, at: int) -> None:
        frame, end = self._read_reference(text, at + 1)
        if not self._cursor.is_suspended(frame) or frame in self._left:
            raise Fault(at + 1, "a suspended frame")
        line = self._read_own_line(text, at, frame)
        self._cursor.push(frame)
        pending = self._pending.steps[frame]
        changes, stop = self._names.read(frame, text, end)
        if text[stop : stop + 2] != " |":
            self._finish(_OpenStep("resume", frame, line, changes), text, stop)
            return
        if not changes or self._rows[pending].changes or not self._options.reveals(pending):
            raise Fault(stop, "the end of the line")
        self._rows[pending].changes = changes
        self._finish(_OpenStep("resume", frame, line), text, stop + 2)

    def _valued(self, text: str, at: int, event: str) -> None:
        leaves = text.startswith(")!", at)
        event = "raise" if leaves else event
        frame = self._running(event)
        line = self._read_own_line(text, at, frame)
        at += 2 if leaves else 1
        row = _OpenStep(event, frame, line)
        ends = self.frames[frame].parent == NOBODY and (leaves or event == "return")
        if shows_value(self._options, len(self._rows), event, ends):
            row.arg, at = read_value(text, at)
        self._finish(row, text, at)
        if event == "yield":
            self._cursor.suspend()
        elif event == "return" or leaves:
            self._cursor.pop()
            (self._left if leaves else self._returned).add(frame)
            self._names.forget(frame)

    def _running(self, event: str = "line") -> int:
        """The frame of a step: the running one or, for output and the like at the end, the last one."""
        frame = self._cursor.top
        if event in CHANGELESS:
            frame = self._cursor.last if frame == NOBODY else frame
        elif frame in self._returned:
            raise Fault(0, "a step of a frame that continues")
        if frame == NOBODY or frame in self._left:
            raise Fault(0, "a call")
        return frame

    def _finish(self, row: _OpenStep, text: str, at: int) -> None:
        """Read the changes at the end of a line, and add its step."""
        i = len(self._rows)
        if row.event in CHANGELESS:
            pass
        elif not row.changes:
            row.changes, at = self._read_changes(i, text, at, row.frame)
        elif not self._options.reveals(i):
            raise Fault(at, "the end of the line")
        self._expect_end(text, at)
        row.thread = self._cursor.thread
        self._pending.hold(row.frame, row.event, i)
        if row.event not in CHANGELESS:
            self._cursor.wake(row.frame)
        self._lines[row.frame], self._moved, self._cursor.last = row.line, False, row.frame
        self._rows.append(row)

    def _read_changes(self, i: int, text: str, at: int, frame: int | None = None) -> tuple[Changes, int]:
        if at == len(text) or not self._options.reveals(i):
            return _NOTHING, at
        return self._names.read(self._rows[i].frame if frame is None else frame, text, at)

    def _read_line(self, text: str, at: int) -> tuple[int, int]:
        match = _NUMBER.match(text, at)
        if match is None or int(match[0]) >= NO_TEXT:
            raise Fault(at, "a line number")
        return int(match[0]), match.end()

    def _read_own_line(self, text: str, at: int, frame: int) -> int:
        """The line before a mark, or the newest line of the frame, which may not be written there."""
        if not at:
            return self._lines[frame]
        line, _ = self._read_line(text, 0)
        if line == self._lines[frame]:
            raise Fault(0, "a line only if it is another one")
        return line

    def _expect_end(self, text: str, at: int) -> None:
        if at != len(text):
            raise Fault(at, "the end of the line")

    def steps(self) -> list[Step]:
        """Return the steps so far."""
        return [self._step(i, row, row.changes) for i, row in enumerate(self._rows)]

    def _step(self, i: int, row: _OpenStep, changes: Changes) -> Step:
        depth, delta, same = self.frames[row.frame].depth, changes.delta or {}, changes.same or {}
        return Step(i, row.event, row.frame, depth, row.line, delta, tuple(changes.gone), same, row.arg, row.thread)


def read_answer(text: str) -> str | None:
    """Read the answer to a query: a value, or None for `-`."""
    if text == "-":
        return None
    if text[:1] != "=":
        raise Fault(0, "an answer: = and a value, or -")
    value, end = read_value(text, 1)
    if end != len(text):
        raise Fault(end, "the end of the line")
    return value
