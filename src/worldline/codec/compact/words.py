"""The words of compact lines, written and read: names, values, and hidden inputs with their kinds."""

from __future__ import annotations

import re

from worldline.core.malformed import Malformed
from worldline.core.spelling import IDENTIFIER, STR, quote, unquote
from worldline.core.trace import Hidden
from worldline.core.value import scan

_BARE = re.compile(rf"{IDENTIFIER}|\.[0-9]+")
_QUOTED = re.compile(STR)


class Fault(Exception):
    """Leaves the parser of one line with an offset and what was expected there; never leaves `parse`."""


def name_text(name: str) -> str:
    """Write a name as compact text: bare, or in canonical quotes if it is not an identifier."""
    return name if _BARE.fullmatch(name) else quote(name)


def read_name(text: str, at: int) -> tuple[str, int]:
    """Return the name that starts at `at`, and its end."""
    if match := _BARE.match(text, at):
        return match[0], match.end()
    match = _QUOTED.match(text, at)
    if match is None or _BARE.fullmatch(name := unquote(match[0])):
        raise Fault(at, "a name")
    return name, match.end()


def read_value(text: str, at: int) -> tuple[str, int]:
    """Return the canonical value that starts at `at`, and its end."""
    end = scan(text, at)
    if isinstance(end, Malformed):
        raise Fault(end.offset, end.expected)
    return text[at:end], end


def hidden_line(hidden: Hidden) -> str:
    """Write the line of a hidden input."""
    is_value = scan(hidden.value, 0) == len(hidden.value)
    return f"%{name_text(hidden.kind)}" + (f"={hidden.value}\n" if is_value else f":{quote(hidden.value)}\n")


def read_hidden(text: str, step: int) -> Hidden:
    """Read a line without its newline as the hidden input of a step."""
    kind, at = read_name(text, 1)
    if text[at : at + 1] not in ("=", ":"):
        raise Fault(at, "= and a value, or : and a text")
    value, end = read_value(text, at + 1)
    if text[at] == ":":
        if not _QUOTED.fullmatch(value) or scan(unquote(value), 0) == len(unquote(value)):
            raise Fault(at + 1, "a quoted text that is not a value")
        value = unquote(value)
    if end != len(text):
        raise Fault(end, "the end of the line")
    return Hidden(step, kind, value)
