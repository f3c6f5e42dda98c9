"""Where two texts part, and as much of one as there is room for, around that place."""

from __future__ import annotations


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
