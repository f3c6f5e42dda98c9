"""The control-flow guard for a model that writes Meta's format: what a program's text leaves open, frame by frame.

A frame may stand on the lines that control flow reaches from where its activation stands (`codec.cwm.lines`, which
reads predictions by the same rules): an over-approximation that no recorded run leaves. A model that only gives text
is held to it where one way on is left: that line is written for it. Where several are left and it takes none of them,
or begins no frame at all, the text is `broken`. Which event comes next is its own but for the first, and for the end,
which only comes when nothing runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.analyze.flow.beginning import call_lines
from worldline.analyze.flow.entry import entries
from worldline.analyze.flow.table import FlowTable
from worldline.codec.cwm.activation import FramePlace, reach
from worldline.codec.cwm.frame_text import ACTION, FRAME_END, VALUE, CutFrame, cut
from worldline.codec.cwm.lines import Activations
from worldline.codec.cwm.reader import EVENTS, read_object, read_string
from worldline.codec.cwm.text import listing, shield, token, unshield
from worldline.core.program import Program
from worldline.predict.forcing.frames.draft import FrameDraft, begun, is_state
from worldline.predict.forcing.frames.forces import LATE, FrameScript
from worldline.predict.forcing.talk import Talk
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of

_WAITS = re.compile(r"\b(?:for|from|await|async)\b")


class FrameGuard:
    """Where a text of Meta's format stands in its program, and what may stand next."""

    def __init__(self, program: Program) -> None:
        self._lines = listing(program.source, program.language)
        self._traces_stops = program.lang.runs_in_interpreter
        table = table_of(program)
        from worldline.codec.cwm.parse import flows_in  # not for who only asks whether it is refused

        self._flows = flows_in(self._lines, program.language, table)
        entry = 0 if program.call is None else None
        self._scopes = Activations(self._lines, self._flows, entry, program.language)
        self._entries = None if program.call is None else _entries(program, table)

    def events(self) -> frozenset[str]:
        """The special tokens that may stand next."""
        if not self._scopes.every:
            return frozenset({"call_sep"})
        if not self._scopes.stack:
            return frozenset({"call_sep", "end_of_text"})
        return frozenset(EVENTS)

    def lines(self, event: str) -> frozenset[str] | None:
        """The lines that a frame of this event may stand on, as text; None where any may."""
        if not self._flows:
            return None
        if event == "call_sep":
            return self._calls()
        if not self._scopes.stack:
            return frozenset()
        # A frame that an exception has left may have ended without a word.
        scopes = (
            self._scopes.stack[-2:]
            if self._scopes.stack[-1].last.event == "raise"
            else self._scopes.stack[-1:]
        )
        found = [self._reached(scope.last, EVENTS[event]) for scope in scopes]
        return None if None in found else frozenset().union(*(some for some in found if some is not None))

    def _reached(self, last: FramePlace, event: str) -> frozenset[str] | None:
        if not last.positions:  # it stands nowhere that is known
            return None
        lines = {
            line for position in last.positions for some in reach(last, event, position) for line in some
        }
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
        """A frame that was written."""
        text = state.decode("utf-8", "replace")
        found = read_string(text) if event in LATE else read_object(text)
        names = found if isinstance(found, dict) else {}
        arg = found if isinstance(found, str) else None
        self._scopes.place(EVENTS[event], line.removesuffix("\n"), names, arg)

    def allows(self, event: str, line: str) -> bool:
        """Whether a frame of this event may stand on this line."""
        lines = self.lines(event)
        return event in self.events() and (lines is None or line.removesuffix("\n") in lines)


def _entries(program: Program, table: FlowTable | None) -> frozenset[int] | None:
    """The lines on which the first frame of a call can begin."""
    if not program.lang.has_syntax_tree:
        return call_lines(program, table)
    return entries(program.source, program.call or "")


def line_of(frame: CutFrame, text: bytes) -> str:
    """The line of a frame, its end with it, as the source has it."""
    part = text[frame.start : frame.end].partition(ACTION)[2]
    part = part.partition(VALUE if frame.event in LATE else FRAME_END)[0]
    return unshield(part.decode("utf-8", "replace"))


def refused(program: Program, text: bytes) -> int | None:
    """The number of the first whole frame that the guard would not have let a model write; None where there is none."""
    guard = FrameGuard(program)
    for number, frame in enumerate(cut(text)):
        if not frame.whole:
            break
        if frame.is_end:
            return None if "end_of_text" in guard.events() else number
        line = line_of(frame, text)
        if frame.event not in EVENTS or not guard.allows(frame.event, line):
            return number
        guard.feed(frame.event, line, frame.state_of(text))
    return None


@dataclass
class _Held:
    """A text under the guard."""

    draft: FrameDraft
    guard: FrameGuard

    def frame(self) -> Talk[None]:
        """One frame, as the model writes it where it may."""
        draft, events = self.draft, self.guard.events()
        event = yield from draft.mark()
        if draft.status:
            return
        if event in events:
            draft.take(token(event).encode())
        elif len(events) == 1:
            event = min(events)
            draft.dictate(token(event).encode())
        else:
            draft.status = "broken"
        if draft.status or event == "end_of_text":
            return
        if event in LATE:
            line = yield from self._line(event, VALUE)
            state = yield from self._state(event)
            draft.dictate(b"" if draft.status else FRAME_END)
        else:
            state = yield from self._state(event)
            line = yield from self._line(event, FRAME_END)
        if not draft.status:
            self.guard.feed(event, line, state)

    def _state(self, event: str) -> Talk[bytes]:
        if self.draft.status:
            return b""
        found = yield from self.draft.own()
        if not self.draft.status and not is_state(event, found):
            self.draft.status = "broken"
        return found

    def _line(self, event: str, closing: bytes) -> Talk[str]:
        """The line between two separators: the model's, or the only one that there is."""
        draft = self.draft
        if draft.status:
            return ""
        draft.dictate(ACTION)
        ahead = yield from draft.peek()
        line = unshield(ahead.decode("utf-8", "replace"))
        lines = self.guard.lines(event)
        if draft.status:
            return ""
        if lines is None or line.removesuffix("\n") in lines:
            draft.take(ahead)
        elif len(lines) == 1:
            line = min(lines) + "\n"
            draft.dictate(shield(line).encode())
        else:
            draft.take(ahead)
            draft.status = draft.status or "broken"
        if not draft.status:
            draft.dictate(closing)
        return line


def guarded(ask: PredictionRequest) -> Talk[FrameScript]:
    """A text that is held to the control flow."""
    draft, _ = begun(ask, Prediction(text=b"", status="ended", codec="cwm"))
    held = _Held(draft, FrameGuard(ask.program))
    for frame in cut(ask.given):
        if frame.event in EVENTS:
            held.guard.feed(frame.event, line_of(frame, ask.given), frame.state_of(ask.given))
    while not draft.status:
        yield from held.frame()
    return FrameScript(draft)
