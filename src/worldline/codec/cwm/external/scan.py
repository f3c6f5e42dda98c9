"""Reads one frame at a time of Meta's format from text that may have lost its special tokens, without interpreting
it.

Without tokens a frame is `LOCALS` `LINE`, or `LINE` `VALUE`. LOCALS and VALUE are JSON; LINE ends with its newline
or, if that is lost too, where a line of the source ends. With tokens the text is read by them, more leniently than
by reader.py. Nothing recurses; the cost of a frame is its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from worldline.codec.cwm.reader import EVENTS, OPEN_STRING, STRING, skip_space
from worldline.codec.cwm.text import SPECIAL, bare_line, unshield
from worldline.core.malformed import Malformed

MAX_LINE_CHARACTERS = 1 << 14
_UNFINISHED = re.compile(OPEN_STRING + r"(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")
# A special token that breaks off.
_PARTIAL = re.compile(r"<(?:\|[a-z_]*+\|?+)?+\Z")
_BREAK = re.compile(r"[\n\r]*+")


@dataclass(frozen=True)
class ScannedFrame:
    """One frame as written, from `offset` to `end`. `event` is None if no token gives it.

    `locals` is None for a frame that carries a value (`arg`) instead.
    """

    offset: int
    end: int
    event: str | None
    locals: dict[str, str] | None
    line: str
    arg: str | None


@dataclass(frozen=True)
class Stop:
    """Where no further frame is: the end, a frame that is `cut`, or something else at the offset `at`."""

    offset: int
    at: int
    expected: str
    cut: bool = False


@dataclass(frozen=True)
class SourceLines:
    """The lines of the source as a set, and their lengths, longest first, to find a line that lost its newline."""

    texts: frozenset[str]
    lengths: tuple[int, ...]

    def prefix(self, text: str, at: int) -> int:
        """Return the end of the longest source line that starts here, or -1."""
        ends = (at + n for n in self.lengths if text[at : at + n] in self.texts)
        return next(ends, -1)


Scan = Callable[[int], ScannedFrame | Stop]


def lines_of(texts: Iterable[str]) -> SourceLines:
    """Return the lines of a listing without the empty ones, which prove nothing."""
    known = frozenset(text for text in texts if text.strip())
    return SourceLines(known, tuple(sorted({len(text) for text in known}, reverse=True)))


def bare(line: str) -> str:
    """Return the text of a line without its end and without the marker."""
    return bare_line(unshield(line.rstrip("\r\n")))


def plain_frame(text: str, at: int, lines: SourceLines) -> ScannedFrame | Stop:
    """Read the frame without special tokens that starts here."""
    at = _after_breaks(text, at)
    if at == len(text):
        return Stop(at, at, "a frame", cut=True)
    if text[at] == "{":
        read = json_object(text, at)
        if not isinstance(read, Stop):
            names, end = read
            return _with_locals(text, at, end, names, lines)
        if read.cut or lines.prefix(text, at) < 0:
            return Stop(at, read.at, read.expected, read.cut)
    return _with_value(text, at, lines)


def _with_locals(text: str, at: int, start: int, names: dict[str, str], lines: SourceLines) -> ScannedFrame | Stop:
    end, line = _line(text, start, lines)
    if end < 0:
        return Stop(at, start, "a line of the source", cut=start + MAX_LINE_CHARACTERS > len(text))
    return ScannedFrame(at, end, None, names, line, None)


def _with_value(text: str, at: int, lines: SourceLines) -> ScannedFrame | Stop:
    end, line = _line(text, at, lines)
    if end < 0:
        is_cut = _begins_line(text[at : at + MAX_LINE_CHARACTERS], lines) or _PARTIAL.match(text, at) is not None
        return Stop(at, at, "a frame", cut=is_cut)
    start = skip_space(text, end)
    match = STRING.match(text, start)
    if match:
        return ScannedFrame(at, match.end(), None, None, line, json.loads(match[0]))
    if line not in lines.texts:
        return Stop(at, at, "a frame")
    return Stop(at, start, "a JSON string", cut=_is_unfinished(text, start))


def _line(text: str, at: int, lines: SourceLines) -> tuple[int, str]:
    """The end and the text of the line here; an end of -1 if the text breaks off inside it."""
    far = min(at + MAX_LINE_CHARACTERS, len(text))
    stop = text.find("\n", at, far)
    line = bare(text[at : far if stop < 0 else stop])
    if line in lines.texts and (stop >= 0 or far == len(text)):
        return (far if stop < 0 else stop + 1), line
    end = lines.prefix(text, at)
    # A line that lost its newline.
    if end >= 0 and (text[end : end + 1] in ("{", '"') or lines.prefix(text, end) > end):
        return end, unshield(text[at:end])
    return (-1 if stop < 0 else stop + 1), line


def _begins_line(rest: str, lines: SourceLines) -> bool:
    return any(line.startswith(rest) for line in lines.texts)


def tagged_frame(text: str, at: int) -> ScannedFrame | Stop:
    """Read the frame with special tokens that starts here; frame separators before it are skipped."""
    token, start = _token(text, at), at
    skipped = ("frame_sep", "begin_of_text")
    while token is not None and token[1] in skipped and not text[at : token[0]].strip():
        at = token[2]
        token = _token(text, at)
    if token is None:
        start = skip_space(text, at)
        is_cut = start == len(text) or _PARTIAL.match(text, start) is not None
        return Stop(start, start, "a frame", cut=is_cut)
    if text[at : token[0]].strip() or token[1] not in EVENTS:
        return Stop(skip_space(text, at), token[0], "an event")
    start, event, at = token[0], EVENTS[token[1]], token[2]
    names: dict[str, str] | None = None
    if event in ("call", "line"):
        read = json_object(text, skip_space(text, at))
        if isinstance(read, Stop):
            return Stop(start, read.at, read.expected, read.cut)
        names, at = read
    return _tagged_rest(text, start, skip_space(text, at), event, names)


def _tagged_rest(text: str, start: int, at: int, event: str, names: dict[str, str] | None) -> ScannedFrame | Stop:
    if not text.startswith("<|action_sep|>", at):
        return Stop(start, at, "<|action_sep|>", cut=_is_part(text, at, "<|action_sep|>"))
    at += len("<|action_sep|>")
    token = _token(text, at)
    line = bare(text[at : token[0] if token else len(text)])
    if names is not None:
        end = token[0] if token else len(text)
        if token is None and not text.endswith("\n"):
            return Stop(start, end, "<|frame_sep|>", True)
        return ScannedFrame(start, end, event, names, line, None)
    if token is None or token[1] != "arg_sep":
        return Stop(start, token[0] if token else len(text), "<|arg_sep|>", cut=token is None)
    at = skip_space(text, token[2])
    match = STRING.match(text, at)
    if match is None:
        return Stop(start, at, "a JSON string", cut=_is_unfinished(text, at))
    return ScannedFrame(start, match.end(), event, None, line, json.loads(match[0]))


def _token(text: str, at: int) -> tuple[int, str, int] | None:
    match = SPECIAL.search(text, at)
    return None if match is None else (match.start(), match[1], match.end())


def _is_part(text: str, at: int, whole: str) -> bool:
    """Whether the text ends here, or inside this word."""
    return whole.startswith(text[at : at + len(whole)]) and at + len(whole) > len(text)


def json_object(text: str, at: int) -> tuple[dict[str, str], int] | Stop:
    """Read the JSON object of strings that starts here. Returns its end too."""
    names: dict[str, str] = {}
    start, at = at, skip_space(text, at + 1)
    if text[start : start + 1] != "{":
        return Stop(start, start, "a JSON object", cut=start == len(text))
    if text[at : at + 1] == "}":
        return names, at + 1
    while True:
        pair = _pair(text, at)
        if isinstance(pair, Malformed):
            return Stop(start, pair.offset, pair.expected, cut=_is_unfinished(text, pair.offset))
        name, value, at = pair
        if name in names:
            return Stop(start, at, "another name")
        names[name] = value
        if text[at : at + 1] == "}":
            return names, at + 1
        if text[at : at + 1] != ",":
            return Stop(start, at, ", or }", cut=at == len(text))
        at = skip_space(text, at + 1)


def _pair(text: str, at: int) -> tuple[str, str, int] | Malformed:
    name = STRING.match(text, at)
    if name is None:
        return Malformed(at, "a JSON string")
    at = skip_space(text, name.end())
    if text[at : at + 1] != ":":
        return Malformed(at, ":")
    at = skip_space(text, at + 1)
    value = STRING.match(text, at)
    if value is None:
        return Malformed(at, "a JSON string")
    return json.loads(name[0]), json.loads(value[0]), skip_space(text, value.end())


def _is_unfinished(text: str, at: int) -> bool:
    """Whether the text ends here, or inside the JSON string that starts here."""
    return at >= len(text) or _UNFINISHED.match(text, at) is not None


def _after_breaks(text: str, at: int) -> int:
    match = _BREAK.match(text, at)
    return match.end() if match else at
