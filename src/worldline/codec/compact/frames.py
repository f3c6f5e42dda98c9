"""Which frame a compact line is about: running frames, nested and by thread, and suspended frames.

The writer and the parser move the same `Cursor`, so a line names a frame only if it is not the obvious one. Every
move takes constant time. Of the grammar, only references to frames are known here.
"""

from __future__ import annotations

import re
from collections import Counter

# The caller of the outermost frames.
NOBODY = -1
# Up to this rank, a suspended frame is referred to by how recently it was suspended.
NEAR = 64
REFERENCE = re.compile(r"#(0|[1-9][0-9]{0,9})|([1-9][0-9]?)|")


class Cursor:
    """The stack of running frames, newest last, and the suspended frames, linked in order of suspension."""

    def __init__(self) -> None:
        self.stack: list[int] = [NOBODY]
        self.running: Counter[int] = Counter()
        # The frame of the newest step.
        self.last = NOBODY
        self.thread = 0
        # Stack, running and last of the threads that do not run.
        self._threads: dict[int, tuple[list[int], Counter[int], int]] = {}
        self._older: dict[int, int] = {NOBODY: NOBODY}
        self._newer: dict[int, int] = {NOBODY: NOBODY}

    def go(self, thread: int) -> None:
        """Switch to a thread. The stack becomes that of the thread, at first empty; suspended frames are shared."""
        if thread != self.thread:
            self._threads[self.thread] = self.stack, self.running, self.last
            fresh: tuple[list[int], Counter[int], int] = ([NOBODY], Counter(), NOBODY)
            self.stack, self.running, self.last = self._threads.pop(thread, fresh)
            self.thread = thread

    @property
    def top(self) -> int:
        return self.stack[-1]

    def push(self, frame: int) -> None:
        """Start or continue a frame inside the running one."""
        self.stack.append(frame)
        self.running[frame] += 1

    def pop(self) -> int:
        """Remove and return the running frame, which has ended or is suspended."""
        frame = self.stack.pop()
        self.running[frame] -= 1
        return frame

    def suspend(self) -> None:
        frame = self.pop()
        older = self._older[NOBODY]
        self._older[NOBODY], self._older[frame] = frame, older
        self._newer[older], self._newer[frame] = frame, NOBODY

    def is_suspended(self, frame: int) -> bool:
        return frame != NOBODY and frame in self._older

    def refer(self, frame: int) -> str:
        """Return the reference to a frame: its rank among the suspended ones (0 is not written), or its number."""
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
        """Return the frame of a REFERENCE, or None if there is none or it has a shorter reference."""
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
        """Remove a frame that has a step from the suspended ones."""
        if not self.is_suspended(frame):
            return
        older, newer = self._older.pop(frame), self._newer.pop(frame)
        self._older[newer], self._newer[older] = older, newer
