"""One trace by frames: the steps of each frame, and the calls that each of its steps makes."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property

from worldline.core.events import ENDED, EVENTS, LEAVING
from worldline.core.trace import Frame, Step, Trace
from worldline.diagnose.revisions.difference import StepPlace
from worldline.diagnose.revisions.source_map import FunctionKey, SourceMap, statement_starts

Key = tuple[object, ...]


class TraceSide:
    """The trace of one revision."""

    def __init__(self, trace: Trace, sources: SourceMap, *, is_before: bool) -> None:
        self.trace, self.sources, self.is_before = trace, sources, is_before
        self.own: dict[int, list[int]] = defaultdict(list)  # steps by frame
        for i, frame in enumerate(trace.columns.frame):
            self.own[frame].append(i)
        self.calls: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.roots: list[int] = []
        self._statements: dict[str, dict[int, int]] = {}
        for serial, steps in self.own.items():
            parent = self.frame(serial).parent
            # The caller's newest step when the frame started; position -1 if the caller has none.
            at = bisect_left(self.own[parent], steps[0]) - 1 if parent >= 0 and parent in self.own else None
            (self.roots if at is None else self.calls[parent][at]).append(serial)

    def frame(self, serial: int) -> Frame:
        return self.trace.frames[serial]

    def step(self, serial: int, at: int) -> Step:
        """Return a step of a frame by its position in the frame."""
        return self.trace[self.own[serial][at]]

    def children(self, serial: int, positions: range) -> list[int]:
        """Return the frames that some steps of a frame call, in order."""
        calls = self.calls.get(serial)
        return [] if calls is None else [child for at in positions for child in calls.get(at, ())]

    def key(self, serial: int) -> FunctionKey:
        """Return what both revisions of a frame's function share."""
        frame = self.frame(serial)
        return self.sources.key(frame.file, frame.name, is_before=self.is_before)

    def anchor(self, serial: int, i: int) -> Key | None:
        """Return by what a step is paired with one of the other side; None for a line that only this side has.

        Events other than lines are paired by their kind: the line before them tells where they are.
        """
        event = EVENTS[self.trace.columns.event[i]]
        if event != "line":
            return (event,)
        file, line = self.frame(serial).file, self.trace.columns.line[i]
        if self.is_before:
            place = self.sources.after(file, line)
            return None if place is None else ("line", place[1])
        return ("line", line) if self.sources.has_image(file, line) else None

    def place(self, i: int) -> StepPlace:
        frame, line = self.frame(self.trace.columns.frame[i]), self.trace.columns.line[i]
        changed = self.sources.is_changed(frame.file, line, is_before=self.is_before)
        return StepPlace(step=i, file=frame.file, function=frame.name, line=line, is_changed=changed)

    def statement(self, i: int) -> int:
        """Return the first line of the statement that a step executes."""
        file, line = self.frame(self.trace.columns.frame[i]).file, self.trace.columns.line[i]
        if file not in self._statements:
            program = self.trace.program
            source = program.source if file == program.name else dict(program.files).get(file, "")
            self._statements[file] = statement_starts(source)
        return self._statements[file].get(line, line)

    def known_at(self, serial: int, at: int) -> int:
        """Return the step at which the change of a frame's step is known: the next step of the frame."""
        own = self.own[serial]
        return own[min(at + 1, len(own) - 1)]

    def next_own(self, i: int) -> int:
        """Return the next step of the frame of a step; the step itself if it is the last."""
        own = self.own[self.trace.columns.frame[i]]
        return own[min(bisect_left(own, i) + 1, len(own) - 1)]

    def has_ended(self, serial: int) -> bool:
        """Tell whether the end of a frame was recorded."""
        last = self.trace.columns.event[self.own[serial][-1]]
        return EVENTS[last] in LEAVING or not self.is_cut

    def is_open(self, serial: int, stop: int) -> bool:
        """Tell whether the recording was cut before the change of a frame's step before `stop` was known."""
        return stop == len(self.own[serial]) and not self.has_ended(serial)

    @property
    def is_cut(self) -> bool:
        """Whether the recording ended before the test."""
        return self.trace.outcome.kind not in ENDED

    @cached_property
    def reached(self) -> StepPlace | None:
        """The first step that executes a changed line."""
        changed = self.sources.changed_before if self.is_before else self.sources.changed_after
        columns = self.trace.columns
        files = {file for file, _ in changed}
        serials = {serial for serial in self.own if self.frame(serial).file in files}
        for i in range(len(columns)) if serials else ():
            if columns.frame[i] in serials:
                frame = self.frame(columns.frame[i])
                if (frame.file, columns.line[i]) in changed:
                    return self.place(i)
        return None
