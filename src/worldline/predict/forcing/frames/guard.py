"""Holds texts of Meta's format to the control flow (`codec.cwm.guard`).

If only one event or line is possible, it is dictated. If several are possible and the model writes none of them, or
does not start a frame, the text is `broken`.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldline.codec.cwm.frame_text import ACTION, FRAME_END, LATE, VALUE, cut, is_state
from worldline.codec.cwm.guard import FrameGuard, line_of
from worldline.codec.cwm.notation import NOTATION
from worldline.codec.cwm.reader import EVENTS
from worldline.codec.cwm.text import shield, token, unshield
from worldline.predict.forcing.batching import RequestGenerator
from worldline.predict.forcing.frames.draft import FrameDraft, FrameRollout, start_draft
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of


@dataclass
class _GuardedText:
    """A text and the guard that it is held to."""

    draft: FrameDraft
    guard: FrameGuard

    def frame(self) -> RequestGenerator[None]:
        """Write one frame."""
        draft, events = self.draft, self.guard.events()
        event = yield from draft.next_token()
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

    def _state(self, event: str) -> RequestGenerator[bytes]:
        if self.draft.status:
            return b""
        state = yield from self.draft.take_text()
        if not self.draft.status and not is_state(event, state):
            self.draft.status = "broken"
        return state

    def _line(self, event: str, closing: bytes) -> RequestGenerator[str]:
        """Write a line between two separators: the model's, or the only possible one."""
        draft = self.draft
        if draft.status:
            return ""
        draft.dictate(ACTION)
        ahead = yield from draft.peek_text()
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


def write_guarded(request: PredictionRequest) -> RequestGenerator[FrameRollout]:
    """Write a text that is held to the control flow."""
    draft, _ = start_draft(request, Prediction(text=b"", status="ended", codec=NOTATION.name))
    guarded = _GuardedText(draft, FrameGuard(request.program, table_of(request.program)))
    for frame in cut(request.given):
        if frame.event in EVENTS:
            guarded.guard.feed(frame.event, line_of(frame, request.given), frame.state(request.given))
    while not draft.status:
        yield from guarded.frame()
    return FrameRollout(draft)
