"""The last frame of a text in Meta's format that was cut off: what was written of it, with or without special
tokens.

Complete parts are kept apart from unfinished ones; nothing is compared here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from worldline.codec.cwm.reader import EVENTS, skip_space
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import EVENT_TOKENS, UNCHANGED, WITH_LOCALS, WITH_VALUE, bare_line, token, unshield

_BODY = r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)'
_STRING = re.compile(_BODY + '(")?')
_HALF = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_EVENT = re.compile(r"<\|(\w+)\|>")
_ACTION, _ARG = token("action_sep"), token("arg_sep")


@dataclass(frozen=True)
class PartialFrame:
    """A frame that was cut off. `events` are those that it may be.

    `locals` are the names with complete values; `closed`: there are no more. `name` is the unfinished name, `value`
    what was written of its value, None if that has not started. `line` and `arg` likewise; a line is `whole` if its
    end was written.
    """

    events: tuple[str, ...]
    locals: dict[str, str]
    closed: bool = False
    name: str | None = None
    value: str | None = None
    line: str | None = None
    whole: bool = False
    arg: str | None = None


def read_partial_frame(text: str) -> PartialFrame | None:
    """Read what was written of a frame, or return None if the text does not start one."""
    match = _EVENT.match(text)
    if match is not None:
        event = EVENTS.get(match[1])
        return None if event is None else _with_tokens(text, match.end(), PartialFrame((event,), {}))
    if text.startswith("<"):
        events = tuple(event for event, name in EVENT_TOKENS.items() if token(name).startswith(text))
        return PartialFrame(events, {}) if events else None
    if text.startswith("{"):
        return _locals(text, 0, PartialFrame(WITH_LOCALS, {}))
    line, end, rest = text.partition("\n")
    frame = PartialFrame(WITH_VALUE, {}, line=bare_line(unshield(line)), whole=bool(end))
    return _arg(rest, 0, frame) if rest else frame


def _with_tokens(text: str, at: int, frame: PartialFrame) -> PartialFrame | None:
    if frame.events[0] in WITH_LOCALS:
        return _locals(text, at, frame)
    return _line(text, at, frame)


def _locals(text: str, at: int, frame: PartialFrame) -> PartialFrame | None:
    """Names and values, up to the closing brace or the end of the text."""
    at = skip_space(text, at)
    if at == len(text):
        return frame
    if text[at] != "{":
        return None
    at = skip_space(text, at + 1)
    if text[at : at + 1] == "}":
        return _line(text, at + 1, replace(frame, closed=True))
    names = dict[str, str]()
    while at < len(text):
        name = _STRING.match(text, at)
        if name is None:
            return None
        if name[2] is None:
            half = _broken(text, name)
            return None if half is None else replace(frame, locals=names, name=half)
        at, key = skip_space(text, name.end()), _loaded(name[1])
        frame = replace(frame, locals=names, name=key)
        if at < len(text) and text[at] != ":":
            return None
        at = skip_space(text, at + 1)
        if at >= len(text):
            return frame
        value = _STRING.match(text, at)
        if value is None:
            return None
        if value[2] is None:
            half = _broken(text, value)
            return None if half is None else replace(frame, value=half)
        names[key], at = _respelled(_loaded(value[1])), skip_space(text, value.end())
        frame = replace(frame, name=None)
        if text[at : at + 1] == "}":
            return _line(text, at + 1, replace(frame, closed=True))
        if at < len(text) and text[at] != ",":
            return None
        at = skip_space(text, at + 1)
    return replace(frame, locals=names)


def _line(text: str, at: int, frame: PartialFrame) -> PartialFrame | None:
    """The line, after its token if there are tokens, and the value of its frame."""
    if not text.startswith("<"):
        line, end, _ = text[at:].partition("\n")
        return replace(frame, line=bare_line(unshield(line)) if line else None, whole=bool(end))
    if not text.startswith(_ACTION, at):
        return frame if _ACTION.startswith(text[at:]) else None
    line, end, rest = text[at + len(_ACTION) :].partition("\n")
    frame = replace(frame, line=bare_line(unshield(line)), whole=bool(end))
    if not rest or frame.events[0] in WITH_LOCALS:
        return frame
    if not rest.startswith(_ARG):
        return frame if _ARG.startswith(rest) else None
    return _arg(rest, len(_ARG), frame)


def _arg(text: str, at: int, frame: PartialFrame) -> PartialFrame | None:
    at = skip_space(text, at)
    if at == len(text):
        return frame
    match = _STRING.match(text, at)
    if match is None:
        return None
    value = _loaded(match[1]) if match[2] is not None else _broken(text, match)
    return None if value is None else replace(frame, arg=value)


def _broken(text: str, match: re.Match[str]) -> str | None:
    """The content of an unfinished string, which may end inside an escape, or None if something else ends it."""
    rest = text[match.end() :]
    return None if rest and _HALF.match(rest) is None else _loaded(match[1])


def _loaded(body: str) -> str:
    return str(json.loads(f'"{body}"'))


def _respelled(value: str) -> str:
    return value if value == UNCHANGED else respelled(value)
