"""A text of Meta's format split for teacher forcing: into frames, and each frame into action and state.

The action of a frame is the token of its event, its line and the separators. Its state is what it carries: the
locals of a call or a line, which stand BEFORE the line, or the value of a return or an exception, which stands
after it. Special tokens are ASCII, so a text is split as bytes. The content of a part is not read.
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
# The tokens of events whose state stands after the line.
LATE = frozenset(EVENT_TOKENS[event] for event in WITH_VALUE)


@dataclass(frozen=True)
class CutFrame:
    """One frame as offsets: the token of its event (`end_of_text`: the end itself), and where its state stands.

    `whole`: its last separator is there. A frame without a state has an empty one at its end.
    """

    event: str
    start: int
    state_start: int
    state_end: int
    end: int
    whole: bool

    def around(self, text: bytes) -> tuple[bytes, bytes]:
        """Return the text before the state and the text after it: together the action."""
        return text[self.start : self.state_start], text[self.state_end : self.end]

    def action(self, text: bytes) -> bytes:
        """Return the bytes that say what happens: event, line and separators."""
        return b"".join(self.around(text))

    def state(self, text: bytes) -> bytes:
        """Return the locals, or the value."""
        return text[self.state_start : self.state_end]

    @property
    def is_end(self) -> bool:
        """Whether it is the end of the text and not a frame."""
        return self.event == "end_of_text"


def is_state(event: str, data: bytes) -> bool:
    """Whether these bytes are the state of a frame of this event."""
    text = data.decode("utf-8", "replace")
    return not isinstance(read_object(text) if event in _LOCALS else read_string(text), Malformed)


def is_stop(frame: CutFrame, text: bytes) -> bool:
    """Whether a frame is the StopIteration that ends a loop: a tracer shows it, and no recording does."""
    state = frame.state(text)
    return frame.event == "exception_sep" and b"Stop" in state and b"Iteration(" in state


def paired_frames(text: bytes, truth: bytes) -> list[tuple[CutFrame, CutFrame | None]]:
    """Pair the complete frames of a text with the true ones, without ends of loops that are not true."""
    true_frames, at = cut(truth), 0
    pairs: list[tuple[CutFrame, CutFrame | None]] = []
    for frame in cut(text):
        true = true_frames[at] if at < len(true_frames) else None
        is_same = true is not None and frame.around(text) == true.around(truth)
        if not frame.whole or (is_stop(frame, text) and not is_same):
            continue
        pairs.append((frame, true))
        at += 1
    return pairs


def first_divergence(text: bytes, truth: bytes) -> int | None:
    """Return the number of the first complete frame whose action is not the true one, or None."""
    for number, (frame, true) in enumerate(paired_frames(text, truth)):
        if true is None or frame.around(text) != true.around(truth):
            return number
    return None


def cut(text: bytes) -> list[CutFrame]:
    """Split a text without its prompt into frames, up to its end; the last one may be incomplete."""
    frames, at = list[CutFrame](), 0
    for match in _CLOSING.finditer(text):
        frames.append(_frame(text, at, match.end(), whole=True))
        at = match.end()
        if match[0] == TEXT_END:
            return frames
    if at < len(text):
        frames.append(_frame(text, at, len(text), whole=False))
    return frames


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
