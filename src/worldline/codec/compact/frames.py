"""Which frame a compact line is about: those that run, one inside the other, by thread, and those that are suspended.

The writer and the parser walk the same `Cursor`, so a line names a frame only where it is not the obvious one.
Every move takes constant time. Nothing here knows the text's grammar beyond how a frame is referred to.
"""

from __future__ import annotations

import re
from collections import Counter

NOBODY = -1  # the frame under the outermost ones
NEAR = 64  # a suspended frame is called by how recently it was suspended, up to here
REFERENCE = re.compile(r"#(0|[1-9][0-9]{0,9})|([1-9][0-9]?)|")


class Cursor:
    """The stack of running frames, the newest last, and the suspended frames, linked in order of suspension."""

    def __init__(self) -> None:
        self.stack: list[int] = [NOBODY]
        self.running: Counter[int] = Counter()
        self.last = NOBODY  # the frame of the newest step
        self.thread = 0
        self._threads: dict[
            int, tuple[list[int], Counter[int], int]
        ] = {}  # the above, of those that do not run
        self._older: dict[int, int] = {NOBODY: NOBODY}
        self._newer: dict[int, int] = {NOBODY: NOBODY}

    def go(self, thread: int) -> None:
        """This thread goes on: the frames that run are its own, at first none. Suspended ones belong to nobody."""
        if thread != self.thread:
            self._threads[self.thread] = self.stack, self.running, self.last
            fresh: tuple[list[int], Counter[int], int] = ([NOBODY], Counter(), NOBODY)
            self.stack, self.running, self.last = self._threads.pop(thread, fresh)
            self.thread = thread

    @property
    def top(self) -> int:
        """The frame that runs now."""
        return self.stack[-1]

    def push(self, frame: int) -> None:
        """A frame begins or goes on inside the one that runs."""
        self.stack.append(frame)
        self.running[frame] += 1

    def pop(self) -> int:
        """The frame that runs is over, or suspended."""
        frame = self.stack.pop()
        self.running[frame] -= 1
        return frame

    def suspend(self) -> None:
        """The frame that runs is suspended."""
        frame = self.pop()
        older = self._older[NOBODY]
        self._older[NOBODY], self._older[frame] = frame, older
        self._newer[older], self._newer[frame] = frame, NOBODY

    def is_suspended(self, frame: int) -> bool:
        """Whether a frame waits to be resumed."""
        return frame != NOBODY and frame in self._older

    def refer(self, frame: int) -> str:
        """The text that stands for a frame: its place among the suspended ones (0 is not written), or its number."""
        if self.is_suspended(frame):
            other = self._older[NOBODY]
            for rank in range(NEAR):
                if other == frame:
                    return str(rank or "")
                if other == NOBODY:
                    break
                other = self._older[other]
        return f"#{frame}"

    def find(self, reference: re.Match[str]) -> int | None:
        """The frame that a REFERENCE stands for, if there is one and it could not be called by a shorter name."""
        if reference[1] is not None:
            frame = int(reference[1])
            return frame if self.refer(frame) == reference[0] else None
        frame = self._older[NOBODY]
        for _ in range(min(int(reference[2] or 0), NEAR)):
            frame = self._older[frame]
            if frame == NOBODY:
                return None
        return frame if frame != NOBODY and self.refer(frame) == reference[0] else None

    def wake(self, frame: int) -> None:
        """A frame has a step: it is not suspended any more."""
        if not self.is_suspended(frame):
            return
        older, newer = self._older.pop(frame), self._newer.pop(frame)
        self._older[newer], self._newer[older] = older, newer
