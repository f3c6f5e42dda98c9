"""Texts of a trace, some of them kept as changes of others, so that a value that grows costs what was added.

A spliced text is a base's first and last characters with another middle. Whole texts are made on demand and
not kept, except for a few that are being followed. Nothing here knows what the texts mean.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload

# What a splice costs besides its middle. A chain of splices costs at most as much as the length of its last text,
# so that any text is at most that many characters of changes away from a literal one.
SPLICE_COST = 48
# Texts that are followed: the next text of each chain is one change away.
MAX_FOLLOWED = 8
_MAX_LENGTH = (1 << 32) - 1
_NARROW, _WIDE = "latin-1", "utf-32-le"


class _FollowedText:
    """One text that changes in place: each change costs its middle, not the whole text."""

    __slots__ = ("_codec", "_data", "_width")

    def __init__(self, text: str) -> None:
        self._codec, self._width = _NARROW, 1
        try:
            self._data = bytearray(text, _NARROW)
        except UnicodeEncodeError:
            self._widen(text)

    def _widen(self, text: str) -> None:
        self._codec, self._width = _WIDE, 4
        self._data = bytearray(text.encode(_WIDE, "surrogatepass"))

    def splice(self, prefix: int, suffix: int, middle: str) -> None:
        """Keep the first and the last characters and put others between them."""
        try:
            data = middle.encode(self._codec, "strict" if self._width == 1 else "surrogatepass")
        except UnicodeEncodeError:
            self._widen(self.text())
            data = middle.encode(_WIDE, "surrogatepass")
        self._data[prefix * self._width : len(self._data) - suffix * self._width] = data

    def text(self) -> str:
        """Return the whole text."""
        return self._data.decode(self._codec, "surrogatepass" if self._width == 4 else "strict")

    def part(self, start: int, end: int) -> str:
        """Return a range of the text."""
        data = self._data[max(start, 0) * self._width : end * self._width]
        return data.decode(self._codec, "surrogatepass" if self._width == 4 else "strict")


class SplicedTexts(Sequence[str]):
    """A sequence of texts of which some are splices of earlier ones.

    Attributes:
        pieces: By number, a text as it is, or the middle of a spliced one.
        spliced: The numbers of the spliced texts, in ascending order.
        base: For each of them, the number of the text it changes, which is smaller.
        prefix: For each of them, how many first characters of its base it keeps.
        suffix: For each of them, how many last characters of its base it keeps.
    """

    def __init__(
        self, pieces: list[str], spliced: array[int], base: array[int], prefix: array[int], suffix: array[int]
    ) -> None:
        self.pieces, self.spliced, self.base, self.prefix, self.suffix = pieces, spliced, base, prefix, suffix
        self._followed: dict[int, _FollowedText] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        number = range(len(self.pieces))[at]
        return self.pieces[number] if self.splice_of(number) < 0 else self._follow(number).text()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SplicedTexts):
            return self._parts() == other._parts()
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[SplicedTexts], tuple[object, ...]]:
        return SplicedTexts, self._parts()

    def __repr__(self) -> str:
        return f"<{len(self):,} texts, {len(self.spliced):,} of them spliced>"

    def _parts(self) -> tuple[list[str], array[int], array[int], array[int], array[int]]:
        return self.pieces, self.spliced, self.base, self.prefix, self.suffix

    def splice_of(self, number: int) -> int:
        """Return the place of a text among the spliced ones, or -1 if it is literal."""
        at = bisect_left(self.spliced, number)
        return at if at < len(self.spliced) and self.spliced[at] == number else -1

    def _follow(self, number: int) -> _FollowedText:
        """Return the text, from the nearest one of its chain that is followed, or from the literal one.

        Whoever follows a text has taken it out of the dict, so that no other thread changes it.
        """
        chain: list[int] = []
        at, taken = number, self._followed.pop(number, None)
        while taken is None and (place := self.splice_of(at)) >= 0:
            chain.append(place)
            at = self.base[place]
            taken = self._followed.pop(at, None)
        text = _FollowedText(self.pieces[at]) if taken is None else taken
        for place in reversed(chain):
            text.splice(self.prefix[place], self.suffix[place], self.pieces[self.spliced[place]])
        self._followed[number] = text
        for old in list(self._followed)[:-MAX_FOLLOWED]:
            self._followed.pop(old, None)
        return text

    def fresh(self, number: int, margin: int) -> str:
        """Return what a text has that its base does not: all of it, or its middle with so many characters around."""
        place = self.splice_of(number)
        if place < 0:
            return self.pieces[number]
        start, middle = self.prefix[place], self.pieces[number]
        return self._follow(number).part(start - margin, start + len(middle) + margin)


class SpliceTable:
    """Collects texts and splices by number, and refuses splices that no recorder writes."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.spliced, self.base, self.prefix, self.suffix = (array("I") for _ in range(4))
        # Of texts that may be bases: the length, and the cost of the chain from the literal text.
        self._facts: dict[int, tuple[int, int]] = {}

    def splice(self, base: int, prefix: int, suffix: int, middle: str) -> int | None:
        """Add a splice of an earlier text. Return its number; None if it is impossible or its chain too long."""
        if not 0 <= base < len(self.pieces):
            return None
        length, cost = self._facts.get(base) or (len(self.pieces[base]), 0)
        if prefix + suffix > length:
            return None
        length, cost = prefix + suffix + len(middle), cost + len(middle) + SPLICE_COST
        if cost > length or length > _MAX_LENGTH:
            return None
        number = len(self.pieces)
        self._facts[number] = length, cost
        self.pieces.append(middle)
        for column, value in zip(
            (self.spliced, self.base, self.prefix, self.suffix), (number, base, prefix, suffix), strict=True
        ):
            column.append(value)
        return number

    def texts(self) -> Sequence[str]:
        """Return the texts: the list itself if none is spliced."""
        if not self.spliced:
            return self.pieces
        return SplicedTexts(self.pieces, self.spliced, self.base, self.prefix, self.suffix)


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many first characters two texts share, and how many last ones of what remains."""
    limit = min(len(old), len(new))
    prefix = _longest(limit, lambda n: old.startswith(new[:n]))
    return prefix, _longest(limit - prefix, lambda n: old.endswith(new[len(new) - n :]))


def _longest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest n up to the limit for which something holds that holds for all smaller ones."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def selected(texts: Sequence[str], numbers: Iterable[int], change: Callable[[str], str] | None = None) -> Sequence[str]:
    """Return texts by number, in this order. What was a splice of a text before it stays one.

    Args:
        texts: The texts of a trace.
        numbers: Distinct numbers.
        change: Returns another text for each, such as one with other object numbers.
    """
    if not isinstance(texts, SplicedTexts):
        return [texts[number] if change is None else change(texts[number]) for number in numbers]
    table = SpliceTable()
    places: dict[int, int] = {}
    changed: dict[int, str] = {}
    for number in numbers:
        at, copy = texts.splice_of(number), None
        base = places.get(texts.base[at]) if at >= 0 else None
        whole = None if change is None else change(texts[number])
        if base is not None and whole is None:
            copy = table.splice(base, texts.prefix[at], texts.suffix[at], texts.pieces[number])
        elif base is not None and whole is not None and (old := changed.get(texts.base[at])) is not None:
            prefix, suffix = common_ends(old, whole)
            copy = table.splice(base, prefix, suffix, whole[prefix : len(whole) - suffix])
        if copy is None:
            table.pieces.append(texts[number] if whole is None else whole)
        places[number] = len(table.pieces) - 1
        if whole is not None:
            changed[number] = whole
            changed.pop(next(iter(changed)) if len(changed) > MAX_FOLLOWED else -1, None)
    return table.texts()


def fresh_parts(texts: Sequence[str], margin: int, numbers: Iterable[int] | None = None) -> Iterator[str]:
    """Yield of each text what none before it has: all of it, or what was spliced in, with a margin on either side.

    Args:
        texts: The texts of a trace.
        margin: How many characters around what was spliced in.
        numbers: Only texts of these numbers; by default all.
    """
    numbers = range(len(texts)) if numbers is None else numbers
    if not isinstance(texts, SplicedTexts):
        yield from (texts[number] for number in numbers)
        return
    seen: set[int] = set()
    for number in numbers:
        at = texts.splice_of(number)
        yield texts.fresh(number, margin) if at >= 0 and texts.base[at] in seen else texts[number]
        seen.add(number)
