"""The frames that Meta's format shows for a trace: those that sys.settrace of CPython 3.11 reports.

A frame holds the names of its scope BEFORE its line. Yields look like returns and resumes like calls; a frame left
by an exception ends with a return of None; output and input are not shown. writer.py has the spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from worldline.analyze.flow.control import Flow
from worldline.analyze.flow.table import flows_of
from worldline.codec.cwm.comprehension import INLINED_SINCE, restore
from worldline.codec.cwm.frame import CwmFrame
from worldline.core.events import CHANGELESS, ENDED, EVENTS
from worldline.core.trace import Step, Trace


def frames(trace: Trace, limit: int | None = None) -> list[CwmFrame]:
    """Return the frames of a trace in order, all or the first `limit`; scopes are numbered as they appear."""
    # Other languages show all names, globals included.
    flows = flows_of(trace.program)
    unfolded = _Unfolding(trace, flows, _inlines(trace)).run()
    # An inlined comprehension is restored at its end, so everything is unfolded if there may be one.
    shown = list(unfolded if _inlines(trace) else islice(unfolded, limit))
    if _inlines(trace):
        shown = restore(shown, trace.program.source)[:limit]
    serials: dict[int, int] = {}
    return [replace(frame, scope=serials.setdefault(frame.scope, len(serials))) for frame in shown]


def complete(trace: Trace) -> bool:
    """Whether the trace ends where the program did."""
    return trace.outcome.kind in ENDED


def _inlines(trace: Trace) -> bool:
    """Whether the recording interpreter executed comprehensions inside the frame around them."""
    if not trace.program.lang.runs_in_interpreter:
        return False
    parts = trace.interpreter.version.split(".")[:2]
    return all(part.isdecimal() for part in parts) and tuple(map(int, parts)) >= INLINED_SINCE


@dataclass
class _Unfolding:
    """Folds the deltas of each frame, and tracks the stack so that every frame that was left is shown to end."""

    trace: Trace
    flows: tuple[Flow, ...]
    inlined: bool
    names: dict[int, dict[str, str]] = field(default_factory=dict)
    line: dict[int, int] = field(default_factory=dict)
    raised: set[int] = field(default_factory=set)
    stack: list[int] = field(default_factory=list)
    local: dict[int, list[Flow]] = field(default_factory=dict)

    def run(self) -> Iterator[CwmFrame]:
        other = {name for name, _ in self.trace.program.files}
        event, frame = self.trace.columns.event, self.trace.columns.frame
        without = {EVENTS.index(event_name) for event_name in CHANGELESS}
        steps = [
            i
            for i in range(len(self.trace))
            if event[i] not in without and not (other and self.trace.frames[frame[i]].file in other)
        ]
        last = {frame[at]: i for i, at in enumerate(steps)}
        for i, step in enumerate(map(self.trace.__getitem__, steps)):
            yield from self._settle(step, i, last)
            yield self._show(step)
        while self.stack and complete(self.trace):
            yield self._leave()

    def _settle(self, step: Step, i: int, last: dict[int, int]) -> Iterator[CwmFrame]:
        """End the frames that an exception left before this step; wake a generator that it was thrown into."""
        if step.event == "call":
            parent = self.trace.frames[step.frame].parent
            while self.stack and parent in self.stack and self.stack[-1] != parent:
                yield self._leave()
            while self.stack and parent not in self.stack and self._is_over(i, last):
                yield self._leave()
        elif step.event == "resume":
            while self.stack and self._is_over(i, last):
                yield self._leave()
        elif step.frame in self.stack:
            while self.stack[-1] != step.frame:
                yield self._leave()
        else:
            yield self._enter(step.frame, self.line.get(step.frame, step.line))

    def _is_over(self, i: int, last: dict[int, int]) -> bool:
        return self.stack[-1] in self.raised and last[self.stack[-1]] < i

    def _leave(self) -> CwmFrame:
        serial = self.stack.pop()
        return CwmFrame("return", serial, self.line[serial], {}, "None")

    def _enter(self, serial: int, line: int) -> CwmFrame:
        self.stack.append(serial)
        self.line[serial] = line
        return CwmFrame("call", serial, line, dict(self.names.setdefault(serial, {})), None)

    def _show(self, step: Step) -> CwmFrame:
        serial = step.frame
        (self.raised.add if step.event == "raise" else self.raised.discard)(serial)
        if step.event == "call":
            self._apply(step)
            return self._enter(serial, self._call_line(step))
        if step.event == "resume":
            frame = self._enter(serial, step.line)
        elif step.event == "line":
            frame = CwmFrame("line", serial, step.line, dict(self.names.setdefault(serial, {})), None)
        else:
            event = "raise" if step.event == "raise" else "return"
            frame = CwmFrame(event, serial, step.line, {}, step.arg or "None")
            if event == "return":
                self.stack.pop()
        self.line[serial] = step.line
        self._apply(step)
        return frame

    def _call_line(self, step: Step) -> int:
        return 0 if self.trace.frames[step.frame].name == "<module>" else step.line

    def _apply(self, step: Step) -> None:
        names = self.names.setdefault(step.frame, {})
        for name in step.gone:
            names.pop(name, None)
        for name, value in step.delta.items():
            if self._is_local(step, name):
                names[name] = value

    def _is_local(self, step: Step, name: str) -> bool:
        """Whether a name is a local: globals are in the deltas of a function, but not among its locals."""
        owners = self.local.get(step.frame)
        # The first step of a frame is its call.
        if owners is None:
            title = self.trace.frames[step.frame].name
            owners = [flow for flow in self.flows if flow.name == title and flow.line == self._call_line(step)]
            self.local[step.frame] = owners
        return not owners or any(flow.names.shows(name, inlined=self.inlined) for flow in owners)
