"""One run as "why" reads it: the values before a step, who wrote each, and what calls handed back."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from worldline.analyze.flow.conditions import Condition
from worldline.analyze.flow.control import first_line, syntax
from worldline.analyze.flow.functions import MODULE, Functions
from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS, RETURNING, known_at
from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.diagnose.branch import read_conditions
from worldline.diagnose.failure.origin import Keys
from worldline.diagnose.failure.value_keys import part_of
from worldline.diagnose.why.value_history import History

_DECLARED = re.compile(r"^\s*(?:global|nonlocal)\s+([^\n#;]+)", re.MULTILINE)
_WORD = re.compile(r"\w")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class ValueSpot:
    """Where a value is looked up: a name of a frame after (or `before`) a step, or what a step hands on."""

    frame: int
    step: int
    before: bool = False


class TracedRun:
    """The events of one run, by frame. `events` are those of either notation; `history` is theirs, if it is known."""

    def __init__(self, program: Program, events: Sequence[Event], history: History | None = None) -> None:
        self.program, self.events = program, events
        self.history = history or History(events)
        self.settled = known_at(events)
        self._functions = Functions(program)
        self._sources: dict[str | None, str] = {None: program.source, **dict(program.files)}
        self.steps: dict[int, list[int]] = {}
        self._handed: dict[int, list[int]] = {}
        self._names: dict[int, str] = {}
        for i, event in enumerate(events):
            if event.event not in CHANGELESS:
                self.steps.setdefault(event.frame, []).append(i)
            if event.event in RETURNING and event.parent >= 0:
                self._handed.setdefault(event.parent, []).append(i)

    @property
    def is_whole(self) -> bool:
        """Whether events hold all locals before their line, as in Meta's notation."""
        return bool(self.events) and self.events[0].whole

    @cached_property
    def conditions(self) -> Mapping[int, Sequence[Condition]]:
        """The conditions that each step decided."""
        by_step: dict[int, list[Condition]] = {}
        for condition in read_conditions(self.program, self.events):
            by_step.setdefault(condition.step, []).append(condition)
        return by_step

    def source(self, file: str | None) -> str:
        """Return the text of a file; empty if it is unknown."""
        return self._sources.get(file, "")

    def line(self, step: int) -> int | None:
        """Return the line of a step, or the first that it may be."""
        return self.events[step].action[1]

    def line_text(self, step: int) -> str:
        """Return the source of the line of a step."""
        lines = source_lines(self.source(self.events[step].file), self.program.lang.name)
        line = self.line(step)
        return lines[line - 1].strip() if line is not None and 0 < line <= len(lines) else ""

    def function(self, frame: int) -> str:
        """Return the function of a frame."""
        if frame not in self._names:
            first = self.events[self.steps[frame][0]]
            line = first.action[1]
            is_first = frame == self.events[0].frame
            self._names[frame] = self._functions.name(first.file, line, first.values, is_first=is_first)
        return self._names[frame]

    def text(self, name: str, spot: ValueSpot, keys: Keys = ()) -> str | None:
        """Return the value of a name, or of its part under some keys; None if it has none."""
        value = self.history.value(spot.frame, name, spot.step, before=spot.before)
        return None if value is None else part_of(value[0], keys)

    def writer(self, name: str, spot: ValueSpot, keys: Keys = ()) -> int | None:
        """Return the step that gave a name, or its part under some keys, its value; None if it has none."""
        writer: int | None = None
        newest: str | None = None
        for text, step in self.history.past(spot.frame, name, spot.step, before=spot.before):
            part = part_of(text, keys)
            if writer is not None and part != newest:
                break
            writer, newest = step, part
            if not keys:
                break
        return writer

    def previous(self, step: int, frame: int) -> int | None:
        """Return the newest step of a frame before a step."""
        steps = self.steps.get(frame, [])
        at = bisect_left(steps, step)
        return steps[at - 1] if at else None

    def evaluated(self, step: int) -> int:
        """Return the step whose line computes what a step hands on: its own, or the line before a return."""
        event = self.events[step]
        before = self.previous(step, event.frame)
        if event.event in ("line", "call") or before is None or self.events[before].event == "call":
            return step
        # A compiled function returns on its closing brace.
        while not _WORD.search(self.line_text(before)):
            earlier = self.previous(before, event.frame)
            if earlier is None or self.events[earlier].event == "call":
                break
            before = earlier
        is_own = self.line(before) == self.line(step) or event.line is None
        return before if is_own or not _WORD.search(self.line_text(step)) else step

    def handed(self, step: int, end: int | None = None) -> list[int]:
        """Return the steps that handed a value back to the line of a step, up to `end` or the end of the line."""
        steps, after = self._handed.get(self.events[step].frame, []), end if end is not None else self.settled[step]
        last = len(self.events) if after is None else after
        return steps[bisect_right(steps, step) : bisect_left(steps, last)]

    def inside(self, step: int) -> Iterator[int]:
        """Yield the steps of calls that a step made, newest first."""
        after = self.settled[step]
        frame = self.events[step].frame
        for i in range((len(self.events) if after is None else after) - 1, step, -1):
            if self.events[i].frame != frame:
                yield i

    def owner(self, step: int, name: str, *, before: bool) -> ValueSpot | None:
        """Find the frame whose name a step reads: its own, an enclosing function's, or that of the module."""
        event = self.events[step]
        spot = ValueSpot(event.frame, step, before)
        if self.text(name, spot) is not None:
            return spot
        outer = _enclosing(self.source(event.file), self.line(step)) if self.program.lang.has_syntax_tree else ()
        frame, seen = event.parent, {event.frame}
        while frame >= 0 and frame not in seen:
            seen.add(frame)
            first = self.events[self.steps[frame][0]]
            is_outer = first.file == event.file and (self.function(frame) == MODULE or first.line in outer)
            spot = ValueSpot(frame, step, before)
            if is_outer and self.text(name, spot) is not None:
                return self._newest(name, spot)
            frame = first.parent
        return None

    def _newest(self, name: str, spot: ValueSpot) -> ValueSpot:
        """The newest spot of a name that functions set by `global` or `nonlocal`, while their caller waits."""
        value = self.history.value(spot.frame, name, spot.step, before=spot.before)
        writer = -1 if value is None else value[1]
        for frame in reversed(self._setters.get(name, ())):
            past = next(self.history.past(frame, name, spot.step, before=spot.before), None)
            if past is not None:
                return ValueSpot(frame, spot.step, spot.before) if past[1] > writer else spot
        return spot

    @cached_property
    def _setters(self) -> Mapping[str, Sequence[int]]:
        """By name that some function declares `global` or `nonlocal`, the frames that set it."""
        words = "\n".join(_DECLARED.findall("\n".join(self._sources.values())))
        declared = set(re.findall(r"\w+", words))
        setters: dict[str, list[int]] = {}
        for frame, names in self.history.names.items():
            start = self.events[self.steps[frame][0]] if frame in self.steps else None
            if start is None or start.event != "call" or self.function(frame) == MODULE:
                continue
            for name in declared.intersection(names) - start.values.keys():
                setters.setdefault(name, []).append(frame)
        return setters


@lru_cache(maxsize=256)
def _enclosing(source: str, line: int | None) -> tuple[int, ...]:
    """The first lines of the functions around a line."""
    tree = syntax(source)
    if tree is None or line is None:
        return ()
    nodes = (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))
    return tuple(first_line(node) for node in nodes if node.lineno <= line <= (node.end_lineno or node.lineno))
