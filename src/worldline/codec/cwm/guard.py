"""The control-flow guard for a model that writes Meta's format: what a program allows, frame by frame.

A frame may stand on the lines that control flow reaches from its activation (`codec.cwm.lines`, which reads
predictions by the same rules): an over-approximation that no recorded execution leaves. The model chooses the next
event, except for the first event and the end, which comes only when nothing is running.
"""

from __future__ import annotations

import re

from worldline.analyze.flow.beginning import call_lines
from worldline.analyze.flow.entry import entries
from worldline.analyze.flow.table import FlowTable
from worldline.codec.cwm.activation import FramePlace, reach
from worldline.codec.cwm.frame_text import ACTION, FRAME_END, LATE, VALUE, CutFrame, cut
from worldline.codec.cwm.lines import Activations
from worldline.codec.cwm.parse import flows_in
from worldline.codec.cwm.reader import EVENTS, read_object, read_string
from worldline.codec.cwm.text import listing, unshield
from worldline.core.program import Program

_WAITS = re.compile(r"\b(?:for|from|await|async)\b")


class FrameGuard:
    """Where a text of Meta's format stands in its program, and what may stand next."""

    def __init__(self, program: Program, table: FlowTable | None = None) -> None:
        self._lines = listing(program.source, program.language)
        self._traces_stops = program.lang.runs_in_interpreter
        self._flows = flows_in(self._lines, program.language, table)
        entry = 0 if program.call is None else None
        self._scopes = Activations(self._lines, self._flows, entry, program.language)
        self._entries = None if program.call is None else _entries(program, table)

    def events(self) -> frozenset[str]:
        """Return the special tokens that may stand next."""
        if not self._scopes.every:
            return frozenset({"call_sep"})
        if not self._scopes.stack:
            return frozenset({"call_sep", "end_of_text"})
        return frozenset(EVENTS)

    def lines(self, event: str) -> frozenset[str] | None:
        """Return the lines that a frame of this event may stand on, as text, or None if any may."""
        if not self._flows:
            return None
        if event == "call_sep":
            return self._calls()
        if not self._scopes.stack:
            return frozenset()
        # A frame that an exception has left may have ended without a return.
        depth = 2 if self._scopes.stack[-1].last.event == "raise" else 1
        lines = set[str]()
        for scope in self._scopes.stack[-depth:]:
            reached = self._reached(scope.last, EVENTS[event])
            if reached is None:
                return None
            lines |= reached
        return frozenset(lines)

    def _reached(self, last: FramePlace, event: str) -> frozenset[str] | None:
        if not last.positions:
            return None
        lines = set[int]()
        for position in last.positions:
            lines.update(*reach(last, event, position))
        # The StopIteration that ends a loop is handled inside the interpreter.
        if last.event == "raise" and self._traces_stops:
            waits = [(flow, line) for flow, line in last.positions if _WAITS.search(self._lines.text(line))]
            lines.update(*(flow.next.get(line, ()) for flow, line in waits))
        return frozenset(map(self._lines.text, lines))

    def _calls(self) -> frozenset[str] | None:
        if not self._scopes.every and self._entries is not None:
            return frozenset(map(self._lines.text, self._entries))
        waiting = {text for text, scopes in self._scopes.waiting.items() if scopes}
        return frozenset({self._lines.text(flow.line) for flow in self._flows} | waiting)

    def feed(self, event: str, line: str, state: bytes) -> None:
        """Add a frame that was written."""
        text = state.decode("utf-8", "replace")
        content = read_string(text) if event in LATE else read_object(text)
        names = content if isinstance(content, dict) else {}
        arg = content if isinstance(content, str) else None
        self._scopes.place(EVENTS[event], line.removesuffix("\n"), names, arg)

    def allows(self, event: str, line: str) -> bool:
        """Whether a frame of this event may stand on this line."""
        lines = self.lines(event)
        return event in self.events() and (lines is None or line.removesuffix("\n") in lines)


def _entries(program: Program, table: FlowTable | None) -> frozenset[int] | None:
    """The lines on which the first frame of a call can start."""
    if not program.lang.has_syntax_tree:
        return call_lines(program, table)
    return entries(program.source, program.call or "")


def line_of(frame: CutFrame, text: bytes) -> str:
    """Return the line of a frame with its end, as the source has it."""
    part = text[frame.start : frame.end].partition(ACTION)[2]
    part = part.partition(VALUE if frame.event in LATE else FRAME_END)[0]
    return unshield(part.decode("utf-8", "replace"))


def first_refused(text: bytes, program: Program, table: FlowTable | None = None) -> int | None:
    """Return the number of the first complete frame that the guard refuses, or None."""
    guard = FrameGuard(program, table)
    for number, frame in enumerate(cut(text)):
        if not frame.whole:
            break
        if frame.is_end:
            return None if "end_of_text" in guard.events() else number
        line = line_of(frame, text)
        if frame.event not in EVENTS or not guard.allows(frame.event, line):
            return number
        guard.feed(frame.event, line, frame.state(text))
    return None
