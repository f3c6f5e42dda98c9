"""What each step changes in the state that a text has told so far, and every value that a name has had.

A step's changes are told at the step itself when its frame's next event follows at once, and otherwise with that next
event, as in the compact notation: a frame that waits for a call does not know yet what its line does. A call's
arguments are there at once. Of Meta's notation, which repeats all locals, a change is what differs from before, and
who made it is the step before of the same frame. It reads events and judges nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.codec.reading import Event
from worldline.core.events import Pending, known_at


class Write(NamedTuple):
    """A name of a frame gets a value (None: it is gone), by what the step `writer` did."""

    frame: int
    name: str
    text: str | None
    writer: int


@dataclass(slots=True)
class NameHistory:
    """The values of one name in their order: who wrote each and when it was told, and its text (None: gone)."""

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
            told: list[Write] = []
            before = newest.settle(moment.frame, moment.event)
            if before is not None and before in self._late:
                told += _own(before, events[before])
            if moment.whole:
                told += self._differing(i, moment, i if before is None else before)
            elif i not in self._late and (moment.values or moment.gone):
                told += _own(i, moment)
            newest.hold(moment.frame, moment.event, i)
            self._add(i, told)

    def known_at(self, step: int) -> int:
        """The step with which the changes of a step are told."""
        return self._late.get(step, step)

    def values(self, frame: int, step: int, *, before: bool = False) -> Iterator[tuple[str, str, int, int]]:
        """Each name of a frame when a step is done, or about to be: its value, who wrote it, when it was told."""
        for name in self.names.get(frame, ()):
            found = self.value(frame, name, step, before=before)
            if found is not None and found[0] is not None:
                yield name, found[0], found[1], found[2]

    def value(
        self, frame: int, name: str, step: int, *, before: bool = False
    ) -> tuple[str | None, int, int] | None:
        """A name's text (None: it is gone), who wrote it and when it was told; None where nobody has."""
        past = self.names.get(frame, {}).get(name)
        last = self._key(step, step - before)
        at = bisect_right(past.keys, last) if past is not None else 0
        if past is None or not at:
            return None
        told, writer = divmod(past.keys[at - 1], self._size)
        return past.texts[at - 1], writer, told

    def _key(self, told: int, writer: int) -> int:
        return told * self._size + writer

    def _add(self, step: int, told: list[Write]) -> None:
        self.writes.append(tuple(told))
        for frame, name, text, writer in told:
            names = self.names.setdefault(frame, {})
            past = names.get(name)
            if past is None:
                past = names[name] = NameHistory()
            past.keys.append(self._key(step, writer))
            past.texts.append(text)

    def _differing(self, step: int, moment: Event, writer: int) -> Iterator[Write]:
        """What whole locals say that those before of the same frame did not."""
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
    """The steps whose changes come late, each with the step that they are told with."""
    return {
        i: after
        for i, (moment, after) in enumerate(zip(events, known_at(events), strict=True))
        if after is not None and after != i + 1 and moment.event != "call" and not moment.whole
    }
