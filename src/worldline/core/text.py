"""Text for people: made safe to print, shortened, and cut around the place where two texts diverge.

Nothing a program wrote may move the cursor or turn a line. The escaped characters are those of canonical strings
(docs/reference/format.md, section 1): controls, invisible and bidirectional marks, surrogates.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LINE_ENDS = re.compile("\r\n|\r|\n")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    point = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def plural(number: int, what: str) -> str:
    """`1 step`, `2 steps`: a number of things that are called so."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """One line, every unsafe character written as its escape."""
    return _UNSAFE.sub(_escaped, text)


def printable_lines(text: str, tab: int = 4) -> list[str]:
    """The lines of a source or an output, as Python counts them, tabs expanded and the rest escaped."""
    return [printable(line.expandtabs(tab)) for line in _LINE_ENDS.split(text)]


def shortened(text: str, most: int = 60) -> str:
    """One line of at most so many characters, unsafe ones escaped: what a `repr` shows of a text."""
    shown = printable(text[: most + 1])
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def parting(one: str, other: str) -> int:
    """The index of the first character in which two texts differ: the end of the shorter where there is none."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # all before `low` is the same, and it differs somewhere before `high`, if at all
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def around(text: str, at: int, room: int, *, gap: str = "...") -> str:
    """A text in so many characters, gaps besides, such that the character at a place is to be seen."""
    if len(text) <= room:
        return text
    start = max(0, min(at - room // 2, len(text) - room))
    start = 0 if at < room - len(gap) else start
    rest = start + room < len(text)
    return (gap if start else "") + text[start : start + room] + (gap if rest else "")
