"""Which frames run while steps are written, and which kind of line may come next: the guide's bookkeeping.

It follows `codec.compact.reader`, and looks ahead where a text could not be ended any more: a frame whose changes are
written early has its next event at once, a frame that raised `!` goes on. Frames that are over are forgotten, so that
memory grows with the frames that live. Nothing here reads bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

from worldline.analyze.flow.control import Flow
from worldline.codec.compact.frames import NEAR
from worldline.core.events import CHANGELESS


class LiveFrame:
    """One living frame: where it is, and what of its newest event is still open."""

    __slots__ = (
        "event",
        "file",
        "flows",
        "known",
        "line",
        "names",
        "outermost",
        "owes",
        "own",
        "pending",
        "raised",
        "serial",
    )  # fmt: skip

    def __init__(
        self, serial: int, file: int, line: int, flows: tuple[Flow, ...], names: frozenset[bytes] | None
    ) -> None:
        self.serial, self.file, self.line, self.flows, self.names = serial, file, line, flows, names
        self.outermost = False
        self.event = "call"
        # The number of its pending step, as `core.events.Pending` would have it. It stands here, for a frame is copied
        # with all that is known of it at each byte that is tried, and stays known when its changes are written.
        self.pending = -1
        self.own = False  # that step's changes are written
        self.raised = False
        self.owes = False  # it raised, and said that it goes on
        self.known: set[bytes] = set()  # names that have a value, in the text's eyes

    def twin(self) -> LiveFrame:
        """An independent copy."""
        other = copy.copy(self)
        other.known = set(self.known)
        return other


class FrameStack:
    """The stack of frames, those that are suspended, and what the lines since the last step have said."""

    def __init__(self) -> None:
        self.stack: list[LiveFrame] = []
        self.suspended: list[LiveFrame] = []  # the oldest first
        self.previous: LiveFrame | None = None  # the frame of the newest step
        self.thread = 0
        self.waiting: dict[
            int, tuple[list[LiveFrame], LiveFrame | None]
        ] = {}  # the two, of threads that do not run
        self.must: LiveFrame | None = None  # the frame that the next step is of
        self.steps = self.serials = 0
        self.moved = ""  # "/" or "@", since the last step
        self.late = self.hidden = False  # likewise: late changes, a hidden input
        self.decided = 0  # likewise: conditions
        self.reads = False  # a hidden input was a text that the next step reads
        self._resumable: tuple[tuple[int, LiveFrame | None], dict[bytes, LiveFrame]] | None = None

    def twin(self) -> tuple[FrameStack, dict[int, LiveFrame]]:
        """An independent copy, in time linear in the living frames, and its frames by the ids of these."""
        other = copy.copy(self)
        twins = {id(frame): frame.twin() for frame in (*self.stack, *self.suspended)}
        for stack, last in (*self.waiting.values(), ([], self.previous)):
            for frame in stack if last is None else (*stack, last):
                if id(frame) not in twins:
                    twins[id(frame)] = frame.twin()
        other._resumable = None
        other.stack = [twins[id(frame)] for frame in self.stack]
        other.suspended = [twins[id(frame)] for frame in self.suspended]
        other.previous = None if self.previous is None else twins[id(self.previous)]
        other.must = None if self.must is None else twins[id(self.must)]
        other.waiting = {
            thread: ([twins[id(frame)] for frame in stack], None if last is None else twins[id(last)])
            for thread, (stack, last) in self.waiting.items()
        }
        return other, twins

    def go(self, thread: int) -> None:
        """This thread goes on: the frames that run are its own, at first none."""
        if thread != self.thread:
            self.waiting[self.thread] = self.stack, self.previous
            self.stack, self.previous = self.waiting.pop(thread, ([], None))
            self.thread = thread

    @property
    def top(self) -> LiveFrame | None:
        """The frame that runs."""
        return self.stack[-1] if self.stack else None

    @property
    def heard(self) -> LiveFrame | None:
        """The frame that output and the like are of: the one that runs, or the last one of all."""
        return self.top or (self.previous if not self.stack else None)

    def may_step(self) -> bool:
        """Whether the frame that runs may have an event now."""
        top = self.top
        if top is None or (self.must is not None and self.must is not top):
            return False
        return not top.own or top.pending == self.steps - 1

    def may_speak(self) -> bool:
        """Whether output, input or exit may come now."""
        return self.heard is not None and self.must is None and not self.late and self.moved != "@"

    def may_hide(self) -> bool:
        """Whether a hidden input may come now: they stand before moves and late changes."""
        return not self.moved and not self.late

    def may_call(self) -> bool:
        """Whether a frame may begin now."""
        return self.must is None and not self.late and self.moved != "@"

    def may_change_late(self) -> bool:
        """Whether the changes of the newest step of the frame that runs may come now."""
        top = self.top
        if top is None or not self.may_step() or self.late or self.reads:
            return False
        return top.pending != self.steps - 1

    def may_decide(self) -> bool:
        """Whether it may be told now what the newest line of the frame that runs decided."""
        top = self.top
        if top is None or top.event != "line" or self.moved == "@" or self.reads:
            return False
        return self.may_step()

    def decide(self) -> None:
        """What was decided is told: nothing but the step that follows from it may come."""
        self.decided += 1
        self.late, self.must = True, self.top

    def may_leave(self, *, abrupt: bool = False) -> bool:
        """Whether `/` may come: the frame that runs is over without an event, by an exception or (`abrupt`) a jump."""
        top = self.top
        if top is None or not (top.raised or abrupt) or top.owes or self.late:
            return False
        if self.moved == "@":
            return False
        return self.must is None or self.must is top

    def may_end(self, *, abrupt: bool = False) -> bool:
        """Whether `.` may come: nothing is owed, and what still runs was left by an exception or (`abrupt`) an exit."""
        if self.moved or self.late or (self.must is not None and self.must is not self.top):
            return False
        if not all((frame.raised or abrupt) and not frame.owes for frame in self.stack):
            return False
        return not any(frame.owes for frame in self.suspended)

    def resumable(self) -> dict[bytes, LiveFrame]:
        """The frames that `~` may name, by how it names them."""
        if self.moved or self.late or self.reads or not self.suspended:
            return {}
        key = (self.steps, self.must)  # a line asks several times
        if self._resumable is None or self._resumable[0] != key:
            named = self._named(self.suspended).items()
            found = {word: frame for word, frame in named if self._may_resume(frame)}
            self._resumable = (key, found)
        return self._resumable[1]

    def _may_resume(self, frame: LiveFrame) -> bool:
        if self.must is not None and frame is not self.must:
            return False
        return not frame.own or frame.pending == self.steps - 1

    def reachable(self) -> dict[bytes, LiveFrame]:
        """The frames that `@` may name, by how it names them: an exception is thrown into them where they wait."""
        if self.moved == "@" or self.late or self.reads:
            return {}
        return {
            word: frame
            for word, frame in self._named(self.suspended).items()
            if self.must is None or frame is self.must
        }

    def _named(self, frames: Iterable[LiveFrame]) -> dict[bytes, LiveFrame]:
        count = len(self.suspended)
        return {
            (b"#%d" % frame.serial if rank >= NEAR else b"%d" % rank if rank else b""): frame
            for rank, frame in ((count - 1 - at, frame) for at, frame in enumerate(frames))
        }

    def leave(self) -> None:
        """The frame that runs has no further part."""
        self.stack.pop()
        self.moved, self.must, self.previous = "/", None, None

    def switch(self, frame: LiveFrame) -> None:
        """Another frame runs, to raise."""
        self.moved = "@"
        self.stack.append(frame)

    def step(self, frame: LiveFrame, event: str, line: int, *, changed: bool, exact: bool) -> None:
        """One event of a frame; `exact`: changes that stand in its line are followed by the frame's next event."""
        if event == "call":
            if self.top is not None:
                self.top.owes = False
            frame.outermost = self.top is None
            self.stack.append(frame)
            self.serials += 1
        elif event == "resume":
            self.stack.append(frame)
        frame.line, frame.owes = line, event == "raise"
        self.must, self.previous = None, frame if event != "leave" else None
        if event not in CHANGELESS:
            self._happen(frame, event, changed)
            # A frame on its way out by an exception may be left without another event.
            if changed and exact and not frame.raised and event not in ("return", "leave"):
                self.must = frame
        self.moved, self.late, self.hidden, self.reads, self.decided = "", False, False, False, 0
        self.steps += 1

    def _happen(self, frame: LiveFrame, event: str, changed: bool) -> None:
        if frame in self.suspended:
            self.suspended.remove(frame)
        frame.pending, frame.own = self.steps, changed
        frame.event = "line" if event == "resume" else event
        frame.raised = frame.raised or event == "raise"
        if event in ("return", "leave", "yield"):
            self.stack.remove(frame) if self.stack[-1] is not frame else self.stack.pop()
        if event == "yield":
            self.suspended.append(frame)
