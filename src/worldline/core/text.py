"""Text for people: safe to print, shortened, or cut around the place where two texts differ.

A program's text must not move the cursor or break a line. The escaped characters are those of canonical strings
(docs/reference/format.md, section 1): controls, invisible and bidirectional marks, surrogates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

UNSAFE = (
    r"\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNSAFE_CHARACTER = re.compile(f"[{UNSAFE}]")
_LINE_ENDS = re.compile("\r\n|\r|\n")
_SHORT = {"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def escape(match: re.Match[str]) -> str:
    """Write the character of a match as its escape."""
    char, point = match[0], ord(match[0])
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def plural(number: int, noun: str) -> str:
    """Write a count with its noun: `1 step`, `2 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def line_in_words(line: int | None, function: str) -> str:
    """Name a line and its function, if it is in one: `line 2 in f`, `line 7`. An inner function is named alone."""
    number, function = "?" if line is None else str(line), function.rpartition("<locals>.")[2]
    return f"line {number}" if function in ("", "?", "<module>") else f"line {number} in {function}"


def printable(text: str) -> str:
    """Write a text on one line, with unsafe characters escaped."""
    return _UNSAFE_CHARACTER.sub(escape, text)


def printable_lines(text: str, tab: int = 4) -> list[str]:
    """Split a source or an output into lines, with tabs expanded and unsafe characters escaped."""
    return [printable(line.expandtabs(tab)) for line in _LINE_ENDS.split(text)]


def shortened(text: str, limit: int = 60) -> str:
    """Write a text on one line of at most `limit` characters, with unsafe characters escaped."""
    shown = printable(text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def first_difference(left: Sequence[str] | bytes, right: Sequence[str] | bytes) -> int:
    """Return the length of the common prefix, by bisection: slices compare at the speed of C."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        # Everything before `low` is equal. The first difference lies at or before `high`.
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def around(text: str, at: int, width: int, *, gap: str = "...") -> str:
    """Cut a text to `width` characters around an index, with `gap` where something is left out."""
    if len(text) <= width:
        return text
    start = max(0, min(at - width // 2, len(text) - width))
    start = 0 if at < width - len(gap) else start
    rest = start + width < len(text)
    return (gap if start else "") + text[start : start + width] + (gap if rest else "")
