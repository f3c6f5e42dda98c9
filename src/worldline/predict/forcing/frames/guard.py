"""Texts of Meta's format that are held to the control flow (`codec.cwm.guard`).

A model that only gives text is held to it where one way on is left: that line is written for it. Where several are left
and it takes none of them, or begins no frame at all, the text is `broken`.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldline.codec.cwm.frame_text import ACTION, FRAME_END, LATE, VALUE, cut, is_state
from worldline.codec.cwm.guard import FrameGuard, line_of
from worldline.codec.cwm.notation import NOTATION
from worldline.codec.cwm.reader import EVENTS
from worldline.codec.cwm.text import shield, token, unshield
from worldline.predict.forcing.batching import Talk
from worldline.predict.forcing.frames.draft import FrameDraft, begun
from worldline.predict.forcing.frames.forces import FrameScript
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of


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
    draft, _ = begun(ask, Prediction(text=b"", status="ended", codec=NOTATION.name))
    held = _Held(draft, FrameGuard(ask.program, table_of(ask.program)))
    for frame in cut(ask.given):
        if frame.event in EVENTS:
            held.guard.feed(frame.event, line_of(frame, ask.given), frame.state(ask.given))
    while not draft.status:
        yield from held.frame()
    return FrameScript(draft)
