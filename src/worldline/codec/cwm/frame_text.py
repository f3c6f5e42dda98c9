"""A text of Meta's format cut where forcing needs it: into frames, and each frame into action and state.

A frame's action is its event's token, its line and the separators; its state is what it carries: the locals of a call
or a line, which stand BEFORE the line, and the value of a return or an exception, which stands behind it. Special
tokens are ASCII, so a text is cut as bytes, whatever else is in it. Nothing is read that stands inside a part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.codec.cwm.reader import read_object, read_string
from worldline.codec.cwm.text import EVENT_TOKENS, TOKENS, WITH_LOCALS, WITH_VALUE, token
from worldline.core.malformed import Malformed

MARK = re.compile(rf"<\|({'|'.join(TOKENS)})\|>".encode())
FRAME_END, TEXT_END = token("frame_sep").encode(), token("end_of_text").encode()
ACTION, VALUE = token("action_sep").encode(), token("arg_sep").encode()
_CLOSING = re.compile(b"|".join(map(re.escape, (FRAME_END, TEXT_END))))
_LOCALS = frozenset(EVENT_TOKENS[event] for event in WITH_LOCALS)
LATE = frozenset(EVENT_TOKENS[event] for event in WITH_VALUE)  # their state stands behind the line


@dataclass(frozen=True)
class CutFrame:
    """One frame by its offsets: its event's token (`end_of_text`: the end itself), and where its state stands.

    `whole`: its last separator is there. A frame that says no state, or is none, has an empty one at its end.
    """

    event: str
    start: int
    state_start: int
    state_end: int
    end: int
    whole: bool

    def around(self, text: bytes) -> tuple[bytes, bytes]:
        """What stands before the state, and behind it: together the action."""
        return text[self.start : self.state_start], text[self.state_end : self.end]

    def action(self, text: bytes) -> bytes:
        """The bytes that say what happens: event, line and separators."""
        return b"".join(self.around(text))

    def state(self, text: bytes) -> bytes:
        """The locals, or the value."""
        return text[self.state_start : self.state_end]

    @property
    def is_end(self) -> bool:
        """Whether it is the end of the text and no frame."""
        return self.event == "end_of_text"


def is_state(event: str, data: bytes) -> bool:
    """Whether these bytes are what a frame of this event carries."""
    text = data.decode("utf-8", "replace")
    return not isinstance(read_object(text) if event in _LOCALS else read_string(text), Malformed)


def is_stop(frame: CutFrame, text: bytes) -> bool:
    """Whether a frame is the StopIteration that ends a loop: a tracer shows it, and no recording does."""
    return (
        frame.event == "exception_sep" and b"Stop" in frame.state(text) and b"Iteration(" in frame.state(text)
    )


def beside(text: bytes, truth: bytes) -> list[tuple[CutFrame, CutFrame | None]]:
    """The whole frames of a text, each with the true one of its number; ends of loops that are not true left out."""
    wanted, at = cut(truth), 0
    found: list[tuple[CutFrame, CutFrame | None]] = []
    for frame in cut(text):
        true = wanted[at] if at < len(wanted) else None
        is_same = true is not None and frame.around(text) == true.around(truth)
        if not frame.whole or (is_stop(frame, text) and not is_same):
            continue
        found.append((frame, true))
        at += 1
    return found


def first_departure(text: bytes, truth: bytes) -> int | None:
    """The number of the first whole frame whose action is not the true one; None where all are true."""
    for number, (frame, true) in enumerate(beside(text, truth)):
        if true is None or frame.around(text) != true.around(truth):
            return number
    return None


def cut(text: bytes) -> list[CutFrame]:
    """The frames of a text, without its prompt, up to its end; the last one may not be whole."""
    found, at = list[CutFrame](), 0
    for match in _CLOSING.finditer(text):
        found.append(_frame(text, at, match.end(), whole=True))
        at = match.end()
        if match[0] == TEXT_END:
            return found
    if at < len(text):
        found.append(_frame(text, at, len(text), whole=False))
    return found


def _frame(text: bytes, start: int, end: int, *, whole: bool) -> CutFrame:
    first = MARK.match(text, start, end)
    event = "" if first is None else first[1].decode()
    if first is None or event == "end_of_text":
        return CutFrame(event, start, end, end, end, whole)
    if event in _LOCALS:
        stop = text.find(ACTION, first.end(), end)
        return CutFrame(event, start, first.end(), stop if stop >= 0 else end, end, whole)
    at = text.find(VALUE, first.end(), end)
    if at < 0:
        return CutFrame(event, start, end, end, end, whole)
    return CutFrame(event, start, at + len(VALUE), end - len(FRAME_END) * whole, end, whole)
