"""Which frames run while steps are written, and which kind of line may come next.

It follows `codec.compact.reader`, and looks ahead so that a text can always be ended: a frame whose changes are
written early has the next event, and a frame that raised `!` continues. Frames that have ended are forgotten, so
that memory grows with the live frames only. Nothing here reads bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

from worldline.analyze.flow.control import Flow
from worldline.codec.compact.frames import NEAR
from worldline.core.events import CHANGELESS


class LiveFrame:
    """One live frame: where it is, and what is still open about its newest event."""

    __slots__ = (
        "changes_written",
        "event",
        "file",
        "flows",
        "known",
        "line",
        "must_continue",
        "names",
        "new_names",
        "outermost",
        "owed",
        "pending",
        "raised",
        "serial",
        "since",
        "start",
        "surprises",
    )

    def __init__(
        self, serial: int, file: int, line: int, flows: tuple[Flow, ...], names: frozenset[bytes] | None
    ) -> None:
        self.serial, self.file, self.line, self.flows, self.names = serial, file, line, flows, names
        # The line on which it started.
        self.start = line
        # The names that its newest line assigns and the text has not shown.
        self.owed: tuple[bytes, ...] = ()
        # With sparse reveals: the names assigned since the last one, those of the newest line with the lines that may
        # follow (none: all), and whether others may have changed too.
        self.since: frozenset[bytes] = frozenset()
        self.new_names: tuple[tuple[bytes, ...], frozenset[int]] = ((), frozenset())
        self.surprises = False
        self.outermost = False
        self.event = "call"
        # The number of its pending step, like `core.events.Pending`. It is stored here because a frame is copied with
        # its state at each byte that is tried, and it stays after the changes are written.
        self.pending = -1
        self.changes_written = False
        self.raised = False
        # Whether it raised with the mark of a frame that continues.
        self.must_continue = False
        # Names that have a value according to the text.
        self.known: set[bytes] = set()

    def fork(self) -> LiveFrame:
        other = copy.copy(self)
        other.known = set(self.known)
        return other


class FrameStack:
    """The stack of frames, the suspended frames, and what the lines since the last step have said."""

    def __init__(self) -> None:
        self.stack: list[LiveFrame] = []
        # The oldest first.
        self.suspended: list[LiveFrame] = []
        # The frame of the newest step.
        self.previous: LiveFrame | None = None
        self.thread = 0
        # Stack and previous of the threads that do not run.
        self.waiting: dict[int, tuple[list[LiveFrame], LiveFrame | None]] = {}
        # The frame that must have the next step.
        self.due: LiveFrame | None = None
        self.steps = self.serials = 0
        # Since the last step: a move ("/" or "@"), late changes, a hidden input, the number of decisions and whether
        # the newest held, and whether a hidden input is a text that the next step reads.
        self.moved = ""
        self.late = self.hidden = False
        self.decided, self.held = 0, False
        self.reads_input = False
        self._resumable: tuple[tuple[int, LiveFrame | None], dict[bytes, LiveFrame]] | None = None

    def fork(self) -> tuple[FrameStack, dict[int, LiveFrame]]:
        """Return an independent copy, in time linear in the live frames, and its frames by the ids of these."""
        other = copy.copy(self)
        copies = {id(frame): frame.fork() for frame in (*self.stack, *self.suspended)}
        for stack, last in (*self.waiting.values(), ([], self.previous)):
            for frame in stack if last is None else (*stack, last):
                if id(frame) not in copies:
                    copies[id(frame)] = frame.fork()
        other._resumable = None
        other.stack = [copies[id(frame)] for frame in self.stack]
        other.suspended = [copies[id(frame)] for frame in self.suspended]
        other.previous = None if self.previous is None else copies[id(self.previous)]
        other.due = None if self.due is None else copies[id(self.due)]
        other.waiting = {
            thread: ([copies[id(frame)] for frame in stack], None if last is None else copies[id(last)])
            for thread, (stack, last) in self.waiting.items()
        }
        return other, copies

    def go(self, thread: int) -> None:
        """Switch to a thread. The stack becomes that of the thread, at first empty."""
        if thread != self.thread:
            self.waiting[self.thread] = self.stack, self.previous
            self.stack, self.previous = self.waiting.pop(thread, ([], None))
            self.thread = thread

    @property
    def top(self) -> LiveFrame | None:
        return self.stack[-1] if self.stack else None

    @property
    def io_frame(self) -> LiveFrame | None:
        """The frame of output and the like: the running one, or at the end the last one."""
        return self.top or (self.previous if not self.stack else None)

    def may_step(self) -> bool:
        """Whether the running frame may have an event now."""
        top = self.top
        if top is None or (self.due is not None and self.due is not top):
            return False
        return not top.changes_written or top.pending == self.steps - 1

    def may_do_io(self) -> bool:
        return self.io_frame is not None and self.due is None and not self.late and self.moved != "@"

    def may_draw_hidden(self) -> bool:
        """Whether a hidden input may come now: they stand before moves and late changes."""
        return not self.moved and not self.late

    def may_call(self) -> bool:
        return self.due is None and not self.late and self.moved != "@"

    def may_change_late(self) -> bool:
        """Whether the changes of the newest step of the running frame may come now."""
        top = self.top
        if top is None or not self.may_step() or self.late or self.reads_input:
            return False
        return top.pending != self.steps - 1

    def may_decide(self) -> bool:
        """Whether the decision of the newest line of the running frame may come now."""
        top = self.top
        if top is None or top.event != "line" or self.moved == "@" or self.reads_input:
            return False
        return self.may_step()

    def decide(self, *, held: bool) -> None:
        """Note a decision: only the step that follows from it may come."""
        self.decided, self.held = self.decided + 1, held
        self.late, self.due = True, self.top

    def may_leave(self, *, abrupt: bool = False) -> bool:
        """Whether `/` may come: the running frame ends without an event, by an exception or (`abrupt`) a jump."""
        top = self.top
        if top is None or not (top.raised or abrupt) or top.must_continue or self.late:
            return False
        if self.moved == "@":
            return False
        return self.due is None or self.due is top

    def may_end(self, *, abrupt: bool = False) -> bool:
        """Whether `.` may come: nothing is due, and running frames were left by an exception or (`abrupt`) an exit."""
        if self.moved or self.late or (self.due is not None and self.due is not self.top):
            return False
        if not all((frame.raised or abrupt) and not frame.must_continue for frame in self.stack):
            return False
        return not any(frame.must_continue for frame in self.suspended)

    def resumable(self) -> dict[bytes, LiveFrame]:
        """The frames that `~` may name, by their references."""
        if self.moved or self.late or self.reads_input or not self.suspended:
            return {}
        # Cached, because one line asks several times.
        key = (self.steps, self.due)
        if self._resumable is None or self._resumable[0] != key:
            named = self._named(self.suspended).items()
            resumable = {word: frame for word, frame in named if self._may_resume(frame)}
            self._resumable = (key, resumable)
        return self._resumable[1]

    def _may_resume(self, frame: LiveFrame) -> bool:
        if self.due is not None and frame is not self.due:
            return False
        return not frame.changes_written or frame.pending == self.steps - 1

    def reachable(self) -> dict[bytes, LiveFrame]:
        """The frames that `@` may name, by their references: an exception is thrown into them while they wait."""
        if self.moved == "@" or self.late or self.reads_input:
            return {}
        return {
            word: frame for word, frame in self._named(self.suspended).items() if self.due is None or frame is self.due
        }

    def _named(self, frames: Iterable[LiveFrame]) -> dict[bytes, LiveFrame]:
        count = len(self.suspended)
        return {
            (b"#%d" % frame.serial if rank >= NEAR else b"%d" % rank if rank else b""): frame
            for rank, frame in ((count - 1 - at, frame) for at, frame in enumerate(frames))
        }

    def leave(self) -> None:
        """Remove the running frame."""
        self.stack.pop()
        self.moved, self.due, self.previous = "/", None, None

    def switch(self, frame: LiveFrame) -> None:
        """Continue another frame, in order to raise."""
        self.moved = "@"
        self.stack.append(frame)

    def step(self, frame: LiveFrame, event: str, line: int, *, changed: bool, exact: bool) -> None:
        """Add one event of a frame. `exact`: after changes in its line, the next event is of the same frame."""
        if event == "call":
            if self.top is not None:
                self.top.must_continue = False
            frame.outermost = self.top is None
            self.stack.append(frame)
            self.serials += 1
        elif event == "resume":
            self.stack.append(frame)
        frame.line, frame.must_continue = line, event == "raise"
        self.due, self.previous = None, frame if event != "leave" else None
        if event not in CHANGELESS:
            self._happen(frame, event, changed)
            # A frame that an exception leaves may end without another event.
            if changed and exact and not frame.raised and event not in ("return", "leave"):
                self.due = frame
        self.moved, self.late, self.hidden, self.reads_input, self.decided = "", False, False, False, 0
        self.steps += 1

    def _happen(self, frame: LiveFrame, event: str, changed: bool) -> None:
        if frame in self.suspended:
            self.suspended.remove(frame)
        frame.pending, frame.changes_written = self.steps, changed
        frame.event = "line" if event == "resume" else event
        frame.raised = frame.raised or event == "raise"
        if event in ("return", "leave", "yield"):
            self.stack.remove(frame) if self.stack[-1] is not frame else self.stack.pop()
        if event == "yield":
            self.suspended.append(frame)
