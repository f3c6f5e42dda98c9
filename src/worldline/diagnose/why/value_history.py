"""The changes that each step reports, and every value that a name has had.

A step's changes are reported with the step itself if the next event of its frame follows at once, otherwise with that
next event, as in the compact notation: a frame that waits for a call does not know yet what its line does. The
arguments of a call are known at once. Meta's notation repeats all locals: there a change is a difference from the
previous event of the frame, and the step of that event made it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.codec.reading import Event
from worldline.core.events import Pending, known_at


class Write(NamedTuple):
    """The step `writer` gave a name of a frame a value (None: deleted it)."""

    frame: int
    name: str
    text: str | None
    writer: int


@dataclass(slots=True)
class NameHistory:
    """The values of one name in order: a key for who wrote each and when it was reported, and its text."""

    keys: list[int] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)


class History:
    """The changes of every step, and the values of every name at any step."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._size = len(events) + 1
        self._late = _late(events)
        self.writes: list[tuple[Write, ...]] = []
        self.names: dict[int, dict[str, NameHistory]] = {}
        newest = Pending[int]()
        for i, moment in enumerate(events):
            writes: list[Write] = []
            before = newest.settle(moment.frame, moment.event)
            if before is not None and before in self._late:
                writes += _own(before, events[before])
            if moment.whole:
                writes += self._differing(i, moment, i if before is None else before)
            elif i not in self._late and (moment.values or moment.gone):
                writes += _own(i, moment)
            newest.hold(moment.frame, moment.event, i)
            self._add(i, writes)

    def known_at(self, step: int) -> int:
        """Return the step that reports the changes of a step."""
        return self._late.get(step, step)

    def values(self, frame: int, step: int, *, before: bool = False) -> Iterator[tuple[str, str, int, int]]:
        """Yield the names of a frame after (or `before`) a step: value, step that wrote it, step that reported it."""
        for name in self.names.get(frame, ()):
            value = self.value(frame, name, step, before=before)
            if value is not None and value[0] is not None:
                yield name, value[0], value[1], value[2]

    def value(self, frame: int, name: str, step: int, *, before: bool = False) -> tuple[str | None, int, int] | None:
        """Return a name's text (None: deleted), the step that wrote it, and when it was reported; None if never set."""
        past = self.names.get(frame, {}).get(name)
        last = self._key(step, step - before)
        at = bisect_right(past.keys, last) if past is not None else 0
        if past is None or not at:
            return None
        reported, writer = divmod(past.keys[at - 1], self._size)
        return past.texts[at - 1], writer, reported

    def past(self, frame: int, name: str, step: int, *, before: bool = False) -> Iterator[tuple[str | None, int]]:
        """Yield the texts of a name up to (or `before`) a step with the steps that wrote them, newest first."""
        past = self.names.get(frame, {}).get(name)
        if past is not None:
            for at in range(bisect_right(past.keys, self._key(step, step - before)) - 1, -1, -1):
                yield past.texts[at], past.keys[at] % self._size

    def _key(self, reported: int, writer: int) -> int:
        return reported * self._size + writer

    def _add(self, step: int, writes: list[Write]) -> None:
        self.writes.append(tuple(writes))
        for frame, name, text, writer in writes:
            names = self.names.setdefault(frame, {})
            past = names.get(name)
            if past is None:
                past = names[name] = NameHistory()
            past.keys.append(self._key(step, writer))
            past.texts.append(text)

    def _differing(self, step: int, moment: Event, writer: int) -> Iterator[Write]:
        """The differences between complete locals and the previous ones of the frame."""
        names = self.names.get(moment.frame, {})
        for name, past in names.items():
            if name not in moment.values and past.texts[-1] is not None:
                yield Write(moment.frame, name, None, writer)
        for name, text in moment.values.items():
            if name not in names or names[name].texts[-1] != text:
                yield Write(moment.frame, name, text, writer)


def _own(step: int, moment: Event) -> Iterator[Write]:
    for name in moment.gone:
        yield Write(moment.frame, name, None, step)
    for name, text in moment.values.items():
        yield Write(moment.frame, name, text, step)


def _late(events: Sequence[Event]) -> dict[int, int]:
    """The steps whose changes are reported late, each with the step that reports them."""
    return {
        i: after
        for i, (moment, after) in enumerate(zip(events, known_at(events), strict=True))
        if after is not None and after != i + 1 and moment.event != "call" and not moment.whole
    }
