"""The words that compact lines are made of, in both directions: names, values, and a hidden input with its kind."""

from __future__ import annotations

import re

from worldline.core.malformed import Malformed
from worldline.core.spelling import IDENTIFIER, STR, quote, unquote
from worldline.core.trace import Hidden
from worldline.core.value import scan

_BARE = re.compile(rf"{IDENTIFIER}|\.[0-9]+")
_QUOTED = re.compile(STR)


class Fault(Exception):
    """Leaves the parser of one line, with the offset in it and what was expected; never leaves `parse`."""


def name_text(name: str) -> str:
    """A name as a compact text writes it: bare, or in canonical quotes when it is no identifier."""
    return name if _BARE.fullmatch(name) else quote(name)


def read_name(text: str, at: int) -> tuple[str, int]:
    """The name that begins at `at`, and its end."""
    if match := _BARE.match(text, at):
        return match[0], match.end()
    match = _QUOTED.match(text, at)
    if match is None or _BARE.fullmatch(name := unquote(match[0])):
        raise Fault(at, "a name")
    return name, match.end()


def read_value(text: str, at: int) -> tuple[str, int]:
    """The canonical value that begins at `at`, and its end."""
    end = scan(text, at)
    if isinstance(end, Malformed):
        raise Fault(end.offset, end.expected)
    return text[at:end], end


def hidden_line(hidden: Hidden) -> str:
    """The line that tells of a hidden input."""
    is_value = scan(hidden.value, 0) == len(hidden.value)
    return f"%{name_text(hidden.kind)}" + (f"={hidden.value}\n" if is_value else f":{quote(hidden.value)}\n")


def read_hidden(text: str, step: int) -> Hidden:
    """The hidden input that a line without its newline tells of, consumed by this step."""
    kind, at = read_name(text, 1)
    if text[at : at + 1] not in ("=", ":"):
        raise Fault(at, "= and a value, or : and a text")
    value, end = read_value(text, at + 1)
    if text[at] == ":":
        if not _QUOTED.fullmatch(value) or scan(unquote(value), 0) == len(unquote(value)):
            raise Fault(at + 1, "a text that is no value, in quotes")
        value = unquote(value)
    if end != len(text):
        raise Fault(end, "the end of the line")
    return Hidden(step, kind, value)
