"""The last frame of a text in Meta's format that was cut: what was written of it, as far as it goes.

With special tokens or without. What is whole is told apart from what breaks off; nothing is compared here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from worldline.codec.cwm.reader import EVENTS
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import (
    EVENT_TOKENS,
    UNCHANGED,
    WITH_LOCALS,
    WITH_VALUE,
    token,
    unshield,
    without_marker,
)

_BODY = r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)'
_STRING = re.compile(_BODY + '(")?')
_HALF = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SPACE = re.compile(r"[ \t\n\r]*+")
_EVENT = re.compile(r"<\|(\w+)\|>")
_ACTION, _ARG = token("action_sep"), token("arg_sep")


@dataclass(frozen=True)
class BegunFrame:
    """A frame that breaks off. `events` are those that it may be.

    `locals` are the names whose values are whole, `closed` that there are no more; `name` is the one being written,
    `value` what was written of its value, None where that has not begun. `line` and `arg` likewise; a line is `whole`
    where its end was written.
    """

    events: tuple[str, ...]
    locals: dict[str, str]
    closed: bool = False
    name: str | None = None
    value: str | None = None
    line: str | None = None
    whole: bool = False
    arg: str | None = None


def begun(text: str) -> BegunFrame | None:
    """What was written of a frame; None where this is the beginning of none."""
    match = _EVENT.match(text)
    if match is not None:
        event = EVENTS.get(match[1])
        return None if event is None else _with_tokens(text, match.end(), BegunFrame((event,), {}))
    if text.startswith("<"):
        events = tuple(event for event, name in EVENT_TOKENS.items() if token(name).startswith(text))
        return BegunFrame(events, {}) if events else None
    if text.startswith("{"):
        return _locals(text, 0, BegunFrame(WITH_LOCALS, {}))
    line, end, rest = text.partition("\n")
    frame = BegunFrame(WITH_VALUE, {}, line=_bare(line), whole=bool(end))
    return _arg(rest, 0, frame) if rest else frame


def _with_tokens(text: str, at: int, frame: BegunFrame) -> BegunFrame | None:
    if frame.events[0] in WITH_LOCALS:
        return _locals(text, at, frame)
    return _line(text, at, frame)


def _locals(text: str, at: int, frame: BegunFrame) -> BegunFrame | None:
    """Names and values, up to the closing brace or to where the text ends."""
    at = _past(text, at)
    if at == len(text):
        return frame
    if text[at] != "{":
        return None
    at = _past(text, at + 1)
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
        at, said = _past(text, name.end()), _loaded(name[1])
        frame = replace(frame, locals=names, name=said)
        if at < len(text) and text[at] != ":":
            return None
        at = _past(text, at + 1)
        if at >= len(text):
            return frame
        value = _STRING.match(text, at)
        if value is None:
            return None
        if value[2] is None:
            half = _broken(text, value)
            return None if half is None else replace(frame, value=half)
        names[said], at = _respelled(_loaded(value[1])), _past(text, value.end())
        frame = replace(frame, name=None)
        if text[at : at + 1] == "}":
            return _line(text, at + 1, replace(frame, closed=True))
        if at < len(text) and text[at] != ",":
            return None
        at = _past(text, at + 1)
    return replace(frame, locals=names)


def _line(text: str, at: int, frame: BegunFrame) -> BegunFrame | None:
    """The line, behind its token where there are tokens, and what an end of its frame carries."""
    if not text.startswith("<"):
        line, end, _ = text[at:].partition("\n")
        return replace(frame, line=_bare(line) if line else None, whole=bool(end))
    if not text.startswith(_ACTION, at):
        return frame if _ACTION.startswith(text[at:]) else None
    line, end, rest = text[at + len(_ACTION) :].partition("\n")
    frame = replace(frame, line=_bare(line), whole=bool(end))
    if not rest or frame.events[0] in WITH_LOCALS:
        return frame
    if not rest.startswith(_ARG):
        return frame if _ARG.startswith(rest) else None
    return _arg(rest, len(_ARG), frame)


def _arg(text: str, at: int, frame: BegunFrame) -> BegunFrame | None:
    at = _past(text, at)
    if at == len(text):
        return frame
    match = _STRING.match(text, at)
    if match is None:
        return None
    said = _loaded(match[1]) if match[2] is not None else _broken(text, match)
    return None if said is None else replace(frame, arg=said)


def _broken(text: str, match: re.Match[str]) -> str | None:
    """What a string says that breaks off, perhaps inside an escape; None where something else ends it."""
    rest = text[match.end() :]
    return None if rest and _HALF.match(rest) is None else _loaded(match[1])


def _loaded(body: str) -> str:
    return str(json.loads(f'"{body}"'))


def _respelled(value: str) -> str:
    return value if value == UNCHANGED else respelled(value)


def _bare(line: str) -> str:
    line = unshield(line)
    bare = without_marker(line)
    return line if bare is None else bare


def _past(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
