"""The names of a frame that refer to the same object at a step, as far as a text and its program show it.

If the text has marks for it (`same`), they decide. Otherwise names share an object by what a line does (`b = a`,
`a = b = []`), or because a line that names one of two lists changes both alike. They separate when one gets another
value or changes alone. For a prediction this shows what the model behaves as if: a model that forgets an alias changes
only one name. Aliases inside values and between frames are not tracked.

In other languages names share an object by its number; pointers into one block count too. What a line does counts where
assignment shares objects (JavaScript, TypeScript, Java), not where it copies or moves; there only plain assignments are
recognised: `b = a;`, `let b = a`, `List<X> b = a;`.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from worldline.analyze.flow.operations import statements
from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.core.language import LANGUAGES, all_lines
from worldline.core.program import Program
from worldline.core.value import kind
from worldline.diagnose.history import MUTABLE
from worldline.diagnose.why.value_history import History
from worldline.ui.session.marks.syntax import spans

Groups = tuple[tuple[str, ...], ...]
_NUMBERED = re.compile(r"[^\W\d][\w.]*+#(\d++)\(")
_WORD = re.compile(r"[^\W\d][\w$]*+|\$[\w$]*+")
# An assigned name, and the name that is the whole value.
_ASSIGNED = re.compile(
    r"(?<![\w$.\]])([^\W\d][\w$]*+)(?:\s*+:[^=;]*+)?\s*+=(?![=>])\s*+(?:([^\W\d][\w$]*+)\s*+(?:;|,|$))?"
)


class LineNames(NamedTuple):
    """What a line does to names: those it binds, those it ties to one object, and the others it mentions."""

    bound: frozenset[str]
    ties: tuple[frozenset[str], ...]
    named: frozenset[str]


NO_NAMES = LineNames(frozenset(), (), frozenset())


@dataclass
class _Frame:
    """One frame: its current values and groups, and the history of the groups by step."""

    values: dict[str, str] = field(default_factory=dict)
    groups: list[set[str]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    history: list[Groups] = field(default_factory=list)

    def record(self, step: int) -> bool:
        """Add the current groups to the history, if they are new."""
        self.groups = [group for group in self.groups if len(group) > 1]
        order = {name: at for at, name in enumerate(self.values)}
        groups = tuple(tuple(sorted(group, key=lambda name: order.get(name, -1))) for group in self.groups)
        if groups == (self.history[-1] if self.history else ()):
            return False
        self.steps.append(step)
        self.history.append(groups)
        return True

    def join(self, names: Iterable[str]) -> None:
        """Let names refer to one object, together with those that share an object with them."""
        joined = set(names)
        for group in self.groups:
            if group & joined:
                joined |= group
        self.groups = [*(group for group in self.groups if not group & joined), joined]

    def separate(self, names: set[str]) -> None:
        """Remove names from their groups."""
        for group in self.groups:
            group -= names


class Sharing:
    """The groups of names of every frame, at any step."""

    def __init__(self, program: Program, events: Sequence[Event], history: History) -> None:
        self._sources: dict[str | None, str] = {None: program.source, **dict(program.files)}
        self._events, self._history, self._lang = events, history, program.lang
        self._frames: dict[int, _Frame] = {}
        self.changes: dict[int, set[int]] = {}
        """By step, the frames whose groups change with it."""
        self._is_marked = any(moment.same for moment in events)
        for step, writer in _shown(events, history):
            self._settle(step, writer)

    def at(self, frame: int, step: int) -> Groups:
        """Return the groups of a frame after a step."""
        known = self._frames.get(frame)
        at = bisect_right(known.steps, step) if known is not None else 0
        return known.history[at - 1] if known is not None and at else ()

    def _settle(self, step: int, writer: int) -> None:
        """Apply the changes of the step `writer`, which `step` shows."""
        moment = self._events[writer]
        frame = self._frames.setdefault(moment.frame, _Frame())
        writes = {
            write.name: write.text
            for write in self._history.writes(step)
            if write.frame == moment.frame and write.writer == writer
        }
        line = self._line(moment)
        is_idle = not (frame.groups or line.ties or self._is_marked or len(writes) > 1 or self._is_numbered(writes))
        if not self._is_marked and not is_idle:
            _track_changes(frame, writes, line, alike=self._lang.shares_objects)
        for name, text in writes.items():
            if text is None:
                frame.values.pop(name, None)
                frame.separate({name})
            else:
                frame.values[name] = text
        if is_idle:  # most steps of most runs
            return
        if self._is_marked:
            _apply_marks(frame, moment.same)
        else:
            _join_ties(frame, line)
            if self._lang.numbers_objects:
                _join_by_number(frame, writes)
        if frame.record(step):
            self.changes.setdefault(step, set()).add(moment.frame)

    def _line(self, moment: Event) -> LineNames:
        if moment.event != "line" or moment.line is None:
            return NO_NAMES
        if not self._lang.shares_objects:
            return NO_NAMES
        return line_names(self._sources.get(moment.file, ""), moment.line, self._lang.name)

    def _is_numbered(self, writes: Mapping[str, str | None]) -> bool:
        """Whether one of some values is a numbered object."""
        return self._lang.numbers_objects and any(text and _NUMBERED.match(text) for text in writes.values())


def _shown(events: Sequence[Event], history: History) -> list[tuple[int, int]]:
    """Every step that may change something, with the step that shows its changes before it, in this order."""
    makers = (i for i, moment in enumerate(events) if moment.event not in CHANGELESS)
    return sorted((history.shown_at(maker), maker) for maker in makers)


def _track_changes(frame: _Frame, writes: Mapping[str, str | None], line: LineNames, *, alike: bool) -> None:
    """Separate names that are bound; join names that change alike without being bound."""
    frame.separate(set(line.bound))
    changed = {name: text for name, text in writes.items() if text is not None and name not in line.bound}
    for group in list(frame.groups):
        alone = {name for name in group if name not in changed}
        if alone and len(alone) < len(group):
            group -= alone
            frame.groups.append(alone)
    for text in {text for text in changed.values() if alike and kind(text) in MUTABLE}:
        alike_names = [name for name, other in changed.items() if other == text and name in frame.values]
        before = {frame.values[name] for name in alike_names}
        if len(alike_names) > 1 and len(before) == 1 and len(line.named.intersection(alike_names)) < 2:
            frame.join(alike_names)


def _join_by_number(frame: _Frame, writes: Mapping[str, str | None]) -> None:
    """Join names whose objects have the same number; separate a name that has another object now."""
    for name, text in writes.items():
        number = _NUMBERED.match(text) if text else None
        if number is None:
            continue
        frame.separate({name})
        same = [
            other
            for other, value in frame.values.items()
            if (match := _NUMBERED.match(value)) and match[1] == number[1]
        ]
        if len(same) > 1:
            frame.join(same)


def _join_ties(frame: _Frame, line: LineNames) -> None:
    for tie in line.ties:
        texts = {frame.values.get(name) for name in tie}
        text = next(iter(texts))
        if len(texts) == 1 and text is not None and kind(text) in MUTABLE:
            frame.join(tie)


def _apply_marks(frame: _Frame, same: Mapping[str, str | None]) -> None:
    for name, other in same.items():
        frame.separate({name})
        if other is not None:
            frame.join((name, other))


@lru_cache(maxsize=4096)
def line_names(source: str, line: int, language: str = "python") -> LineNames:
    """Return what a line does to names. `x += ...` does not bind: it changes a mutable object in place."""
    if LANGUAGES[language].has_syntax_tree:
        return _in_python(source, line)
    return _by_words(source, line, language)


def _by_words(source: str, line: int, language: str) -> LineNames:
    """Read the words of a line, outside its strings and comments."""
    lines = all_lines(source, language)
    if not 0 < line <= len(lines):
        return NO_NAMES
    text = lines[line - 1]
    for span in reversed(spans(source, language)[line - 1]):
        if span.kind in ("string", "comment"):
            text = text[: span.start] + " " + text[span.end :]
    named, bound, ties = set(_WORD.findall(text)), set[str](), list[frozenset[str]]()
    for match in _ASSIGNED.finditer(text):
        bound.add(match[1])
        if match[2] and match[2] != match[1]:
            ties.append(frozenset((match[1], match[2])))
    return LineNames(frozenset(bound), tuple(ties), frozenset(named - bound))


def _in_python(source: str, line: int) -> LineNames:
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
                tied = {part.id for part in (*targets, value) if isinstance(part, ast.Name)}
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
