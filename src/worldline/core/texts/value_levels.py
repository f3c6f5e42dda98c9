"""Where a canonical value is cut: its levels and items, found by patterns and not parsed.

Reading starts at a place outside strings. Text that is not canonical may be split anyhow, but always in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

SEPARATOR = ", "
# A string; one that is not closed takes the rest of the text.
_STRING = r"""'(?:[^'\\]++|\\[\s\S])*+(?:'|\\?\Z)|"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?\Z)"""
# A bracket without brackets inside: the items of a table are read in one step.
_GROUP = rf"""[\[({{](?:[^'"\[\](){{}}]++|{_STRING})*+[\])}}]"""
_NESTED = re.compile(f"{_STRING}|{_GROUP}")
# What stands in one level up to the bracket that opens or closes one; one item of it; items with their separators.
_LEVEL = re.compile(rf"""(?:[^'"\[\](){{}}]++|{_STRING}|{_GROUP})*+""")
_ITEM_TEXT = rf"""(?:[^'",\[\](){{}}]++|,(?! )|{_STRING}|{_GROUP})*+"""
_ITEM = re.compile(_ITEM_TEXT)
_ITEMS = re.compile(f"(?:{_ITEM_TEXT}, )*+")
_KEY = re.compile(rf"""(?:[^'":,\[\](){{}}]++|:(?! )|{_STRING}|{_GROUP})++: """)
_FIELD = re.compile(r"[^\W\d]\w*+=")
_HEAD = re.compile(r"(?:#\d++)?+(?P<name>[^\W\d][\w.]*+(?P<number>#\d++)?+)?+")
_NOT_FLAT = "'\"[](){}"  # where a text has none of these, every separator counts
_WRAPPED = ("deque", "frozenset")  # the brackets inside theirs count
_CLOSINGS = {"[": "]", "(": ")", "{": "}"}
_ESCAPE = re.compile(r"\\(?:x..|u....|U........|[\s\S])")
_LITERAL = re.compile("b?+['\"]")


@dataclass
class Level:
    """One level around a place in a text.

    Attributes:
        opened: Where its items start.
        kind: `list`, `tuple`, `brace` (a dict or a set), `object`, or `wrap` for the outer bracket of a `deque([`.
        index: The number of the item at the place.
        start: Where that item starts.
    """

    opened: int
    kind: str
    index: int
    start: int
    _passed: list[tuple[int, int]] = field(default_factory=list)

    def pass_over(self, start: int, end: int) -> None:
        """Move the place on over a part of this level."""
        self._passed.append((start, end))

    def settle(self, text: str) -> None:
        """Find the item at the place. Most levels are left before that is needed."""
        for start, end in self._passed:
            count = _separators(text, start, end)
            if count:
                self.index, self.start = self.index + count, _last_start(text, start, end)
        self._passed.clear()


def levels(text: str, place: int, known: Sequence[Level] = ()) -> list[Level]:
    """Return the levels around a place, the outermost first. Inside a string, they are those around the string.

    Args:
        text: The value.
        place: An index.
        known: The levels around a place of another text, which is the same up to the earlier one of the two places.
            Reading starts there.
    """
    outer = outer_level(text)
    if outer is None or place < outer.start:
        return []
    open_levels = [
        Level(level.opened, level.kind, level.index, level.start)
        for level in takewhile(lambda level: level.start <= place, known)
    ] or [Level(outer.start, outer.kind, 0, outer.start)]
    at = open_levels[-1].start
    if is_flat(text, at, place):
        open_levels[-1].pass_over(at, place)
        at = place
    while at < place and open_levels:
        match = _LEVEL.match(text, at, place)
        end = match.end() if match else at
        open_levels[-1].pass_over(at, end)
        if end >= place:
            break
        if text[end] in "[({":
            open_levels.append(Level(end + 1, "", 0, end + 1))
        else:
            open_levels.pop()
        at = end + 1
    around: Level | None = None
    for level in open_levels:
        if not level.kind and around is not None:
            level.kind = _kind(text, around, level.opened - 1)
        level.settle(text)
        around = level
    return open_levels


def _kind(text: str, around: Level, at: int) -> str:
    """The kind of the level that opens at `at`, by what stands before the bracket."""
    if text[at] != "(":
        return "list" if text[at] == "[" else "brace"
    start = key_end(text, around.start, around.kind)
    match = _HEAD.match(text, start, at)
    name = match["name"] if match else None
    if name is None:
        return "tuple"
    return "wrap" if name in _WRAPPED else "object"


def is_flat(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has no strings and no brackets."""
    return all(text.find(sign, start, end) < 0 for sign in _NOT_FLAT)


def key_end(text: str, start: int, kind: str) -> int:
    """Return the end of the key or the name of an item with its sign; `start` if it has none."""
    pattern = {"brace": _KEY, "object": _FIELD}.get(kind)
    match = pattern.match(text, start) if pattern is not None else None
    return match.end() if match is not None else start


def item_end(text: str, start: int, limit: int | None = None) -> int:
    """Return the end of the item that starts at a place; at least `limit`, if that is smaller."""
    stop = len(text) if limit is None else min(limit, len(text))
    depth, at = 0, start
    while at < stop:
        match = (_LEVEL if depth else _ITEM).match(text, at, stop)
        at = match.end() if match else at
        if at >= stop or (not depth and text[at] not in "[({"):
            break
        depth += 1 if text[at] in "[({" else -1
        at += 1
    return at


def items(text: str, start: int, until: int, max_items: int) -> tuple[list[str], bool] | None:
    """Return the items from a place on up to the one at `until`, and whether the level ends with it.

    None if the level ends before `until`, or there are more than `max_items` that are no plain atoms.
    """
    if text[start : start + 1] in ("]", ")", "}"):
        return ([], True) if until <= start else None
    end = _next_end(text, max(start, until))
    if is_flat(text, start, end):
        return text[start:end].split(SEPARATOR), text[end : end + 1] != ","
    parts: list[str] = []
    at = start
    while len(parts) < max_items:
        end = item_end(text, at)
        parts.append(text[at:end])
        is_last = not text.startswith(SEPARATOR, end)
        if end >= until or is_last:
            return (parts, is_last) if end >= until else None
        at = end + len(SEPARATOR)
    return None


def _next_end(text: str, at: int) -> int:
    """The end of the plain item at a place."""
    match = _ITEM.match(text, at)
    return match.end() if match else at


def _last_start(text: str, start: int, end: int) -> int:
    """Where the last item starts in a part of a level that has a separator."""
    if is_flat(text, start, end):
        return text.rindex(SEPARATOR, start, end) + len(SEPARATOR)
    match = _ITEMS.match(text, start, end)
    return match.end() if match else start


def _separators(text: str, start: int, end: int) -> int:
    if end - start <= len(SEPARATOR):
        return int(text.startswith(SEPARATOR, start) and end - start == len(SEPARATOR))
    if is_flat(text, start, end):
        return text.count(SEPARATOR, start, end)
    return _NESTED.sub("", text[start:end]).count(SEPARATOR)


@dataclass(frozen=True)
class Outer:
    """The outermost level of a value: its kind, where its items start, and where they end."""

    kind: str
    start: int
    end: int


def outer_level(text: str) -> Outer | None:
    """Return the outermost level of a value; None for a value without items, such as a string."""
    match = _HEAD.match(text)
    at = match.end() if match else 0
    name = match["name"] if match else None
    if _CLOSINGS.get(text[at : at + 1]) != text[-1:]:
        return None
    if name == "deque" and text.startswith("[", at + 1):
        return Outer("list", at + 2, text.rfind("]"))
    if name == "frozenset" and text.startswith("{", at + 1):
        return Outer("brace", at + 2, text.rfind("}"))
    if name is not None:
        return Outer("object", at + 1, len(text) - 1)
    return Outer({"[": "list", "(": "tuple", "{": "brace"}[text[at]], at + 1, len(text) - 1)


def is_literal(text: str) -> bool:
    """Whether a value is a str or bytes."""
    return _LITERAL.match(text) is not None


def character_count(body: str) -> int:
    """Count the characters of a part of a literal: an escape is one."""
    return len(_ESCAPE.sub("x", body)) if "\\" in body else len(body)


def escape_around(body: str, at: int) -> tuple[int, int] | None:
    """Return the start and the end of the escape that a place is inside of; None if it is between characters."""
    start = body.rfind("\\", max(at - 9, 0), at)
    if start < 0:
        return None
    before = start
    while before and body[before - 1] == "\\":
        before -= 1
    match = _ESCAPE.match(body, start) if (start - before) % 2 == 0 else None
    return (start, match.end()) if match is not None and match.end() > at else None


def length(text: str) -> int | None:
    """Count the items of a container or the characters of a string; None for any other value."""
    if is_literal(text):
        return character_count(text[text.index(text[-1]) + 1 : -1])
    outer = outer_level(text)
    if outer is None or outer.kind == "object":
        return None
    if outer.start >= outer.end:
        return 0
    if is_flat(text, outer.start, outer.end):
        return text.count(SEPARATOR, outer.start, outer.end) + 1
    count, at = 1, outer.start
    depth = 0
    while at < outer.end:
        match = _LEVEL.match(text, at, outer.end)
        end = match.end() if match else at
        count += 0 if depth else _separators(text, at, end)
        depth += 0 if end >= outer.end else 1 if text[end] in "[({" else -1
        at = end + 1
    return count
