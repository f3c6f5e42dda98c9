"""How deep the calls of a compact text nest, from its marks alone: no value is read.

It does not parse: for a text that is not compact it returns some number or None, never an error.
"""

from __future__ import annotations

import re

from worldline.codec.compact.frames import NOBODY, REFERENCE, Cursor
from worldline.codec.notation import deepest

_PLAIN = re.compile(r"^(?:[0-9]*[)*]|([(])|/)", re.MULTILINE)
_ODD = re.compile(r"^(?:[0-9]*~|[@?])", re.MULTILINE)
_EVENT = re.compile(r"[0-9]*([)!*~:<$]?)")


def depth(text: str) -> int | None:
    """Return the maximum nesting depth of the frames, or None for a text without a call."""
    # Without resumes, switches and queries the frames are a plain stack.
    if _ODD.search(text) is None:
        return deepest(match[1] is not None for match in _PLAIN.finditer(text)) or None
    return _walked(text) or None


def _walked(text: str) -> int:
    """The depth with suspended frames and switches between frames, as the parser sees them."""
    cursor, depths, is_answer = Cursor(), list[int](), False
    for line in text.split("\n"):
        head = line[:1]
        if is_answer or head in ("", " ", "%", "^", "."):
            is_answer = False
        elif head == "?":
            is_answer = True
        elif head == "(":
            depths.append(1 + (depths[cursor.top] if cursor.top != NOBODY else 0))
            cursor.push(len(depths) - 1)
        elif not _moved(cursor, line, len(depths)):
            break
    return max(depths, default=0)


def _moved(cursor: Cursor, line: str, known: int) -> bool:
    """Follow one line that is not a call. Returns False if it is impossible."""
    if line == "@.":
        cursor.push(NOBODY)
        return True
    event = _EVENT.match(line)
    mark = "@" if line[0] == "@" else event[1] if event else ""
    if mark in ("@", "~"):
        return _entered(cursor, REFERENCE.match(line, line.index(mark) + 1), known, is_step=mark == "~")
    if mark in (":", "<", "$"):
        return True
    if cursor.top == NOBODY:
        return False
    if line[0] != "/":
        cursor.wake(cursor.top)
    if mark == "*":
        cursor.suspend()
    elif mark == ")" or line[0] == "/":
        cursor.pop()
    return True


def _entered(cursor: Cursor, reference: re.Match[str] | None, known: int, *, is_step: bool) -> bool:
    frame = cursor.find(reference) if reference else None
    if frame is None or not 0 <= frame < known:
        return False
    cursor.push(frame)
    if is_step:
        cursor.wake(frame)
    return True
