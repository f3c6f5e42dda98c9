"""Meta's format as raw frames: special tokens separated from text, and JSON strings read.

Total: any text or list of token ids gives the frames up to the first fault, and its place. Linear in the input,
without recursion. parse.py resolves which line a text means and what ".." stands for.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from worldline.codec.cwm.text import EVENT_TOKENS, SPECIAL, TOKENS, UNSPACED, WITH_LOCALS, WITH_VALUE, token, unshield
from worldline.core.malformed import Malformed

EVENTS = {name: event for event, name in EVENT_TOKENS.items()}
NAMES = {number: name for name, number in TOKENS.items()}

# A JSON string without its closing quote.
OPEN_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
STRING = re.compile(OPEN_STRING + '"')
_SPACE = re.compile(r"[ \t\n\r]*+")
_T = TypeVar("_T", str, dict[str, str])


@dataclass(frozen=True)
class RawFrame:
    """One frame as written; `offset` is where it starts."""

    event: str
    locals: dict[str, str]
    line: str
    arg: str | None
    offset: int


@dataclass(frozen=True)
class Segment:
    """A special token (`name`), or a piece of text (`name` empty) with the offset of each of its parts."""

    name: str
    text: str
    offset: int
    starts: tuple[int, ...] = ()
    offsets: tuple[int, ...] = ()

    def at(self, index: int) -> int:
        """Return the offset in the input of a character of the text."""
        if not self.starts:
            return self.offset + index
        return self.offsets[bisect_right(self.starts, index) - 1]


def pieces_of_text(text: str) -> Iterator[Segment]:
    """Yield special tokens as they are spelled, and the text between them."""
    at = 0
    for match in SPECIAL.finditer(text):
        if match.start() > at:
            yield Segment("", text[at : match.start()], at)
        yield Segment(match[1], "", match.start())
        at = match.end()
    if at < len(text):
        yield Segment("", text[at:], at)


def pieces_of_ids(ids: Sequence[int], decode: Callable[[int], bytes | None]) -> Iterator[Segment | Malformed]:
    """Yield the same for token ids, with positions in the list as offsets. Stops at an invalid id."""
    data = bytearray()
    starts: list[int] = []
    offsets: list[int] = []
    for at, number in enumerate(ids):
        name = NAMES.get(number) if isinstance(number, int) else None
        if name is None:
            part = _bytes(number, decode)
            if part is None:
                yield from _stretch(data, starts, offsets)
                yield Malformed(at, "a token of the vocabulary")
                return
            starts.append(len(data))
            offsets.append(at)
            data += part
            continue
        yield from _stretch(data, starts, offsets)
        data, starts, offsets = bytearray(), [], []
        yield Segment(name, "", at)
    yield from _stretch(data, starts, offsets)


def _bytes(number: object, decode: Callable[[int], bytes | None]) -> bytes | None:
    if not isinstance(number, int):
        return None
    try:
        part = decode(number)
    except (LookupError, ValueError, TypeError, OverflowError):
        return None
    return part if isinstance(part, bytes) else None


def _stretch(data: bytearray, starts: list[int], offsets: list[int]) -> Iterator[Segment | Malformed]:
    """The bytes of tokens as text, with starts converted from bytes to characters."""
    if not data:
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield Malformed(offsets[bisect_right(starts, error.start) - 1], "UTF-8")
        return
    if not text.isascii():
        lengths, counted = [0], 0
        for byte in data:
            counted += byte & 0xC0 != 0x80
            lengths.append(counted)
        starts = [lengths[start] for start in starts]
    yield Segment("", text, offsets[0], tuple(starts), tuple(offsets))


@dataclass
class CwmReader:
    """Reads frames from pieces. `malformed`: why it stopped early. `ended`: the end was read."""

    pieces: Iterator[Segment | Malformed]
    length: int
    shielded: bool
    ended: bool = False
    malformed: Malformed | None = None
    ahead: list[Segment] = field(default_factory=list)

    def frames(self) -> Iterator[RawFrame]:
        """Yield every complete frame, up to the end, the end of the input, or the first fault."""
        self._skip_prompt()
        while self.malformed is None:
            piece = self._take()
            if piece is None:
                return
            if piece.name == "end_of_text":
                self.ended = True
                return
            frame = self._frame(piece)
            if frame is None:
                return
            yield frame

    def _skip_prompt(self) -> None:
        piece = self._take()
        if piece is not None and piece.name == "begin_of_text":
            piece = self._take()
        if piece is None or piece.name != "trace_context_start":
            self.ahead += [piece] if piece is not None else []
            return
        self._text()
        self._expect("frame_sep")

    def _frame(self, piece: Segment) -> RawFrame | None:
        event = EVENTS.get(piece.name)
        if event is None:
            is_space = not piece.name and piece.text == " "
            self._fail(piece, UNSPACED if is_space else "an event or <|end_of_text|>")
            return None
        names = self._locals() if event in WITH_LOCALS else {}
        if names is None or not self._expect("action_sep"):
            return None
        line = self._text()
        arg = None
        if event in WITH_VALUE:
            arg = self._value() if self._expect("arg_sep") else None
            if arg is None:
                return None
        if not self._expect("frame_sep"):
            return None
        text = unshield(line.text) if self.shielded else line.text
        return RawFrame(event, names, text, arg, piece.offset)

    def _locals(self) -> dict[str, str] | None:
        piece = self._text()
        names = read_object(piece.text)
        if isinstance(names, Malformed):
            self.malformed = self.malformed or Malformed(piece.at(names.offset), names.expected)
            return None
        return names

    def _value(self) -> str | None:
        piece = self._text()
        value = read_string(piece.text)
        if isinstance(value, Malformed):
            self.malformed = self.malformed or Malformed(piece.at(value.offset), value.expected)
            return None
        return value

    def _take(self) -> Segment | None:
        """The next piece, or None at the end of the input or at something unreadable."""
        if self.ahead:
            return self.ahead.pop()
        piece = next(self.pieces, None)
        if isinstance(piece, Malformed):
            self.malformed = piece
            return None
        return piece

    def _text(self) -> Segment:
        """A piece of text, empty if a special token stands here."""
        piece = self._take()
        if piece is not None and not piece.name:
            return piece
        if piece is not None:
            self.ahead.append(piece)
        return Segment("", "", self.length if piece is None else piece.offset)

    def _expect(self, name: str) -> bool:
        """Whether the special token comes next; sets `malformed` if not."""
        piece = self._take() if self.malformed is None else None
        if piece is not None and piece.name == name:
            return True
        self._fail(piece, token(name))
        return False

    def _fail(self, piece: Segment | None, expected: str) -> None:
        if self.malformed is None:
            self.malformed = Malformed(self.length if piece is None else piece.offset, expected)


def read_object(text: str) -> dict[str, str] | Malformed:
    """Read a JSON object of strings, with nothing but space around it."""
    names: dict[str, str] = {}
    at = _past(text, skip_space(text, 0), "{")
    if at < 0:
        return Malformed(skip_space(text, 0), "a JSON object")
    if text[at : at + 1] == "}":
        return _alone(text, at + 1, names)
    while True:
        end = _string_end(text, at)
        if end < 0:
            return Malformed(at, "a JSON string")
        name = json.loads(text[at:end])
        if name in names:
            return Malformed(at, "another name")
        at, end = _past(text, skip_space(text, end), ":"), skip_space(text, end)
        if at < 0:
            return Malformed(end, ":")
        end = _string_end(text, at)
        if end < 0:
            return Malformed(at, "a JSON string")
        names[name] = json.loads(text[at:end])
        end = skip_space(text, end)
        if text[end : end + 1] == "}":
            return _alone(text, end + 1, names)
        at = _past(text, end, ",")
        if at < 0:
            return Malformed(end, ", or }")


def read_string(text: str) -> str | Malformed:
    """Read a JSON string, with nothing but space around it."""
    at = skip_space(text, 0)
    end = _string_end(text, at)
    if end < 0:
        return Malformed(at, "a JSON string")
    value: str = json.loads(text[at:end])
    return _alone(text, end, value)


def _alone(text: str, at: int, value: _T) -> _T | Malformed:
    at = skip_space(text, at)
    return value if at == len(text) else Malformed(at, "a special token")


def skip_space(text: str, at: int) -> int:
    """Return the place after the space at `at`."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _past(text: str, at: int, sign: str) -> int:
    """The place after a sign and space, or -1 if the sign is not there."""
    return skip_space(text, at + 1) if text[at : at + 1] == sign else -1


def _string_end(text: str, at: int) -> int:
    match = STRING.match(text, at)
    return match.end() if match else -1
