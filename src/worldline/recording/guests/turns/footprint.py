"""Footprints: which parts of which objects a turn reads and writes, and when two turns depend on each other.

An entry is a number for an object, a number for a part of it (an attribute, an item; 0 for the whole) and a mode:
`r` reads, `w` writes, `u` writes and may let a waiting thread continue. The object 0 stands for everything.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

Entry = tuple[int, int, str]
WHOLE = 0
MAX_TURNS_IN_A_ROW = 500  # of a thread while others are ready, unless a schedule says so
EVERYTHING: tuple[Entry, ...] = ((0, WHOLE, "w"),)


def is_dependent(first: tuple[Entry, ...], second: tuple[Entry, ...]) -> bool:
    """Tell whether the order of two turns with these footprints may matter."""
    for key, part, mode in first:
        for other, other_part, other_mode in second:
            if key and other and key != other:
                continue
            same = not key or not other or not part or not other_part or part == other_part
            if same and not (mode == other_mode == "r"):
                return True
    return False


def write_footprint(entries: Iterable[Entry]) -> str:
    """Write a footprint as text, such as `3.1r 4.0w`."""
    return " ".join([f"{key}.{part}{mode}" for key, part, mode in sorted(set(entries))])


def read_footprint(text: str) -> tuple[Entry, ...]:
    """Read a footprint that `write_footprint` wrote.

    Raises:
        ValueError: The text is malformed.
    """
    entries = list[Entry]()
    for word in text.split():
        key, _, part = word[:-1].partition(".")
        if word[-1] not in "rwu":
            raise ValueError(word)
        entries.append((int(key), int(part), word[-1]))
    return tuple(entries)
