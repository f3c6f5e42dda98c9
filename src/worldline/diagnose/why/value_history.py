"""The changes that people see with each step, and every value that a name has had.

The changes of a step are seen where `core.events.shown_at` says: with the step itself or, if its line calls, with the
last event of its calls. Meta's notation repeats all locals: there a change is a difference from the previous event of
the frame, and the step of that event made it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS, shown_at, unsettled
from worldline.diagnose.reading import threads_of


class Write(NamedTuple):
    """The step `writer` gave a name of a frame a value (None: deleted it)."""

    frame: int
    name: str
    text: str | None
    writer: int


@dataclass(slots=True)
class NameHistory:
    """The values of one name in order: a key for who wrote each and where it is shown, and its text."""

    keys: list[int] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)


class History:
    """The changes that each step shows, and the values of every name at any step."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._size = len(events) + 1
        self._shown = _shown(events)
        self._makers: dict[int, int] = {}  # of events that hold all locals
        self._writes: dict[int, list[Write]] = {}
        self.names: dict[int, dict[str, NameHistory]] = {}
        newest: dict[int, int] = {}
        for i, moment in enumerate(events):
            if moment.whole:
                self._makers[i] = maker = newest.get(moment.frame, i)
                self._add(list(self._differing(moment, maker)))
            elif moment.values or moment.gone:
                self._add(list(_own(i, moment)))
            if moment.event not in CHANGELESS:
                newest[moment.frame] = i

    def shown_at(self, step: int) -> int:
        """Return the step with which people see the changes that a step makes."""
        return self._shown[step]

    def makers_shown(self, step: int) -> tuple[int, ...]:
        """Return the steps whose changes people see with a step: itself, and lines that waited for it, newest first."""
        return self._makers_shown.get(step, ())

    def maker(self, step: int) -> int:
        """Return the step that made the changes that the event of a step states."""
        return self._makers.get(step, step)

    def writes(self, step: int) -> tuple[Write, ...]:
        """Return the changes that a step shows: its own, then those of frames that waited for it, innermost first."""
        return tuple(sorted(self._writes.get(step, ()), key=lambda write: -write.writer))

    @cached_property
    def _makers_shown(self) -> dict[int, tuple[int, ...]]:
        makers: dict[int, tuple[int, ...]] = {}
        for step, shown in enumerate(self._shown):
            makers[shown] = (step, *makers.get(shown, ()))
        return makers

    def values(self, frame: int, step: int, *, before: bool = False) -> Iterator[tuple[str, str, int, int]]:
        """Yield the names of a frame after (or `before`) a step: value, step that wrote it, step that shows it."""
        for name in self.names.get(frame, ()):
            value = self.value(frame, name, step, before=before)
            if value is not None and value[0] is not None:
                yield name, value[0], value[1], value[2]

    def value(self, frame: int, name: str, step: int, *, before: bool = False) -> tuple[str | None, int, int] | None:
        """Return a name's text (None: deleted), and the steps that wrote and that show it; None if never set."""
        past = self.names.get(frame, {}).get(name)
        at = self._count(past, step - before) if past is not None else 0
        if past is None or not at:
            return None
        shown, writer = divmod(past.keys[at - 1], self._size)
        return past.texts[at - 1], writer, shown

    def before(self, write: Write) -> str | None:
        """Return the text that a name had before a change; None if it had none."""
        past = self.names[write.frame][write.name]
        at = bisect_left(past.keys, self._shown[write.writer] * self._size + write.writer)
        return past.texts[at - 1] if at else None

    def text_before(self, frame: int, name: str, text: str, step: int, *, before: bool = False) -> str | None:
        """Return the text that a name had before it got the one it has after (or `before`) a step; None if unknown."""
        known = self.value(frame, name, step, before=before)
        if known is None or known[0] != text:
            return None
        return self.before(Write(frame, name, text, known[1]))

    def past(self, frame: int, name: str, step: int, *, before: bool = False) -> Iterator[tuple[str | None, int]]:
        """Yield the texts of a name up to (or `before`) a step with the steps that wrote them, newest first."""
        past = self.names.get(frame, {}).get(name)
        if past is not None:
            for at in range(self._count(past, step - before) - 1, -1, -1):
                yield past.texts[at], past.keys[at] % self._size

    def _count(self, past: NameHistory, step: int) -> int:
        """Count the values of a name that are shown up to a step."""
        return bisect_right(past.keys, (step + 1) * self._size - 1)

    def _add(self, writes: list[Write]) -> None:
        for write in writes:
            shown = self._shown[write.writer]
            self._writes.setdefault(shown, []).append(write)
            past = self.names.setdefault(write.frame, {}).setdefault(write.name, NameHistory())
            past.keys.append(shown * self._size + write.writer)
            past.texts.append(write.text)

    def _differing(self, moment: Event, maker: int) -> Iterator[Write]:
        """The differences between complete locals and the previous ones of the frame."""
        names = self.names.get(moment.frame, {})
        for name, past in names.items():
            if name not in moment.values and past.texts[-1] is not None:
                yield Write(moment.frame, name, None, maker)
        for name, text in moment.values.items():
            if name not in names or names[name].texts[-1] != text:
                yield Write(moment.frame, name, text, maker)


def _shown(events: Sequence[Event]) -> list[int]:
    """The step with which people see the changes of each step.

    A text that is still being written may state a change after the calls of its line, before the frame continues.
    """
    threads = threads_of(events)
    shown = shown_at(events, threads)
    latest = {0 if threads is None else threads[i]: i for i in range(len(events))}
    for i in unsettled(events).values():
        moment = events[i]
        if moment.event != "call" and not moment.whole and (moment.values or moment.gone):
            shown[i] = latest[0 if threads is None else threads[i]]
    return shown


def _own(step: int, moment: Event) -> Iterator[Write]:
    for name in moment.gone:
        yield Write(moment.frame, name, None, step)
    for name, text in moment.values.items():
        yield Write(moment.frame, name, text, step)
