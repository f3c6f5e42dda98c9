"""Which names of a frame share one object at a step, as far as a text and its program show it.

Where the text has marks of its own (`same`), they are all there is to it. Else names share by what a line does
(`b = a`, `a = b = []`), and by what is seen: a line that names one of two lists changes both of them alike. They part
when one is given another value, or changes alone. So it says of a model what it behaves as if: who forgets an alias
changes one name and not the other, and their mark is gone. Inside a value and from frame to frame nothing is sought.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from worldline.core.events import CHANGELESS, known_at
from worldline.core.program import Program
from worldline.core.value import kind
from worldline.diagnose.history import MUTABLE
from worldline.diagnose.reading import Event
from worldline.explore.history import History
from worldline.flow.operations import statements

Groups = tuple[tuple[str, ...], ...]


class LineNames(NamedTuple):
    """What a line does to names: those it gives a value, those it ties to one object, and those it names."""

    bound: frozenset[str]
    ties: tuple[frozenset[str], ...]
    named: frozenset[str]


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
        self._events, self._history = events, history
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
        is_idle = not (frame.groups or line.ties or self._is_marked or len(writes) > 1)
        if not self._is_marked and not is_idle:
            _follow(frame, writes, line)
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
        if frame.tell(step):
            self.changes.setdefault(step, set()).add(moment.frame)

    def _line(self, moment: Event) -> LineNames:
        if moment.event != "line" or moment.line is None:
            return NOTHING
        return line_names(self._sources.get(moment.file, ""), moment.line)


NOTHING = LineNames(frozenset(), (), frozenset())


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


def _follow(frame: _Frame, writes: Mapping[str, str | None], line: LineNames) -> None:
    """Names that are given a value part from the others; those that change alike without it belong together."""
    frame.part(set(line.bound))
    changed = {name: text for name, text in writes.items() if text is not None and name not in line.bound}
    for group in list(frame.groups):
        alone = {name for name in group if name not in changed}
        if alone and len(alone) < len(group):
            group -= alone
            frame.groups.append(alone)
    for text in {text for text in changed.values() if kind(text) in MUTABLE}:
        alike = [name for name, each in changed.items() if each == text and name in frame.values]
        before = {frame.values[name] for name in alike}
        if len(alike) > 1 and len(before) == 1 and len(line.named.intersection(alike)) < 2:
            frame.join(alike)


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


@lru_cache(maxsize=4096)
def line_names(source: str, line: int) -> LineNames:
    """What a line of a source does to names. `x += ...` gives no value: of what can change it changes the object."""
    bound, named, ties = set[str](), set[str](), list[frozenset[str]]()
    for node in statements(source, line):
        for part in _header(node):
            if isinstance(part, ast.Name):
                (named if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                bound.discard(name)
                named.add(name)
            case ast.Assign(targets=targets, value=value):
                tied = {one.id for one in (*targets, value) if isinstance(one, ast.Name)}
                ties += [frozenset(tied)] if len(tied) > 1 else []
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Name(id=other)) if name != other:
                ties.append(frozenset((name, other)))
    return LineNames(frozenset(bound), tuple(ties), frozenset(named))


def _header(node: ast.AST) -> Iterator[ast.AST]:
    """A statement without the statements inside it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _header(child)
