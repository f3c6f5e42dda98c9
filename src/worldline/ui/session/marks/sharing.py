"""Which names of a frame share one object at a step, as far as a text and its program show it.

Where the text has marks of its own (`same`), they are all there is to it. Else names share by what a line does
(`b = a`, `a = b = []`), and by what is seen: a line that names one of two lists changes both of them alike. They part
when one is given another value, or changes alone. So it says of a model what it behaves as if: who forgets an alias
changes one name and not the other, and their mark is gone. Inside a value and from frame to frame nothing is sought.

Of other languages: names whose values are one object by its number share, pointers into one block among them. What a
line does counts where assignment shares (JavaScript, TypeScript, Java), and not where it copies or moves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS, known_at
from worldline.core.program import Program
from worldline.core.value import kind
from worldline.diagnose.history import MUTABLE
from worldline.ui.session.history import History
from worldline.ui.session.marks.line_names import NOTHING, LineNames, line_names

Groups = tuple[tuple[str, ...], ...]
_NUMBERED = re.compile(r"[^\W\d][\w.]*+#(\d++)\(")


@dataclass
class _Frame:
    """One frame under way: its values, its groups, and at which steps they became what."""

    values: dict[str, str] = field(default_factory=dict)
    groups: list[set[str]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    told: list[Groups] = field(default_factory=list)

    def tell(self, step: int) -> bool:
        """Keep what is so at a step, if it is new."""
        self.groups = [group for group in self.groups if len(group) > 1]
        order = {name: at for at, name in enumerate(self.values)}
        now = tuple(tuple(sorted(group, key=lambda name: order.get(name, -1))) for group in self.groups)
        if now == (self.told[-1] if self.told else ()):
            return False
        self.steps.append(step)
        self.told.append(now)
        return True

    def join(self, names: Iterable[str]) -> None:
        """These names are one object, and so is whatever shares with one of them."""
        together = set(names)
        for group in self.groups:
            if group & together:
                together |= group
        self.groups = [*(group for group in self.groups if not group & together), together]

    def part(self, names: set[str]) -> None:
        """These names leave whatever they share."""
        for group in self.groups:
            group -= names


class Sharing:
    """The groups of names of every frame, at any step."""

    def __init__(self, program: Program, events: Sequence[Event], history: History) -> None:
        self._sources: dict[str | None, str] = {None: program.source, **dict(program.files)}
        self._events, self._history, self._lang = events, history, program.lang
        self._frames: dict[int, _Frame] = {}
        self.changes: dict[int, set[int]] = {}
        """The frames whose groups are others from a step on, by step."""
        self._is_marked = any(moment.same for moment in events)
        for step, writers in _done(events, history).items():
            for writer in writers:
                self._settle(step, writer)

    def at(self, frame: int, step: int) -> Groups:
        """The groups of a frame when a step is done."""
        found = self._frames.get(frame)
        at = bisect_right(found.steps, step) if found is not None else 0
        return found.told[at - 1] if found is not None and at else ()

    def _settle(self, step: int, writer: int) -> None:
        """What one step has done is known."""
        moment = self._events[writer]
        frame = self._frames.setdefault(moment.frame, _Frame())
        told = self._history.writes[step]
        writes = {one.name: one.text for one in told if one.frame == moment.frame and one.writer == writer}
        line = self._line(moment)
        is_idle = not (
            frame.groups or line.ties or self._is_marked or len(writes) > 1 or self._is_numbered(writes)
        )
        if not self._is_marked and not is_idle:
            _follow(frame, writes, line, alike=self._lang.shares_objects)
        for name, text in writes.items():
            if text is None:
                frame.values.pop(name, None)
                frame.part({name})
            else:
                frame.values[name] = text
        if is_idle:  # most steps of most runs
            return
        if self._is_marked:
            _obey(frame, moment.same)
        else:
            _tie(frame, line)
            if self._lang.numbers_objects:
                _number(frame, writes)
        if frame.tell(step):
            self.changes.setdefault(step, set()).add(moment.frame)

    def _line(self, moment: Event) -> LineNames:
        if moment.event != "line" or moment.line is None:
            return NOTHING
        if not self._lang.shares_objects:
            return NOTHING
        return line_names(self._sources.get(moment.file, ""), moment.line, self._lang.name)

    def _is_numbered(self, writes: Mapping[str, str | None]) -> bool:
        """Whether one of some values is an object whose number says who it is."""
        return self._lang.numbers_objects and any(text and _NUMBERED.match(text) for text in writes.values())


def _done(events: Sequence[Event], history: History) -> dict[int, list[int]]:
    """For each step the steps whose changes are told with it."""
    later = known_at(events) if events and events[0].whole else ()
    found: dict[int, list[int]] = {}
    for i, moment in enumerate(events):
        if moment.event in CHANGELESS:
            continue
        told = later[i] if later and moment.event != "call" else history.known_at(i)
        if told is not None:
            found.setdefault(told, []).append(i)
    return dict(sorted(found.items()))


def _follow(frame: _Frame, writes: Mapping[str, str | None], line: LineNames, *, alike: bool) -> None:
    """Names that are given a value part from the others; those that change alike without it belong together."""
    frame.part(set(line.bound))
    changed = {name: text for name, text in writes.items() if text is not None and name not in line.bound}
    for group in list(frame.groups):
        alone = {name for name in group if name not in changed}
        if alone and len(alone) < len(group):
            group -= alone
            frame.groups.append(alone)
    for text in {text for text in changed.values() if alike and kind(text) in MUTABLE}:
        alike_names = [name for name, each in changed.items() if each == text and name in frame.values]
        before = {frame.values[name] for name in alike_names}
        if len(alike_names) > 1 and len(before) == 1 and len(line.named.intersection(alike_names)) < 2:
            frame.join(alike_names)


def _number(frame: _Frame, writes: Mapping[str, str | None]) -> None:
    """Names that are one object by its number belong together; one that is another object by now has left."""
    for name, text in writes.items():
        number = _NUMBERED.match(text) if text else None
        if number is None:
            continue
        frame.part({name})
        same = [
            each
            for each, other in frame.values.items()
            if (found := _NUMBERED.match(other)) and found[1] == number[1]
        ]
        if len(same) > 1:
            frame.join(same)


def _tie(frame: _Frame, line: LineNames) -> None:
    for tie in line.ties:
        texts = {frame.values.get(name) for name in tie}
        text = next(iter(texts))
        if len(texts) == 1 and text is not None and kind(text) in MUTABLE:
            frame.join(tie)


def _obey(frame: _Frame, same: Mapping[str, str | None]) -> None:
    for name, other in same.items():
        frame.part({name})
        if other is not None:
            frame.join((name, other))
