"""How often each operation was executed on right steps: the denominator of failure rates.

Every operation of a statement counts when the statement runs, including those that a short circuit skips;
several of one kind count once. What a comprehension does for an element counts for each element, the
comprehension itself once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.analyze.flow.executed import (
    InnerScope,
    ValueKinds,
    begins,
    begins_lambda,
    executed,
    goes_on,
    inlined,
    is_lazy,
    shows_elements,
)
from worldline.analyze.rewrite.fold import ITERATED
from worldline.codec.reading import Event
from worldline.core.value import kind
from worldline.core.value_parts import split
from worldline.diagnose.at_risk import ValueAtRisk, is_value, values
from worldline.diagnose.diagnosis import Diagnosis


def executed_operations(diagnosis: Diagnosis) -> dict[str, int]:
    """Count the operations up to and including the first divergence; those it may be about count at least once.

    `argument` is the call from outside. An addition counts as a concatenation if its value is a string, a
    list or a tuple. In languages other than Python nothing is counted: operations have no names there.
    """
    executed_so_far, program, first = _Executed(), diagnosis.sample.ask.program, diagnosis.first
    if not program.lang.has_syntax_tree:
        return {}
    end = None if first is None else first.step + is_value(diagnosis)
    sources: dict[str | None, str] = {None: program.source}
    sources.update(program.files)
    by_step: dict[int, list[ValueAtRisk]] = {}
    for value in values(diagnosis.truth):
        by_step.setdefault(value.step, []).append(value)
    for step, event in enumerate(diagnosis.truth.events):
        if step == end:
            break
        if (
            event.event == "call"
            and event.parent < 0
            and program.call is not None
            and not executed_so_far.counts["argument"]
        ):
            executed_so_far.counts["argument"] += 1
        is_last = first is not None and step == first.step
        executed_so_far.add(event, sources.get(event.file, ""), by_step.get(step, ()), is_last=is_last)
    counts, cause = executed_so_far.end(), diagnosis.cause
    for blamed in cause.candidates or (cause.operation,):
        if blamed and not counts[blamed]:
            counts[blamed] = 1
    return dict(counts)


@dataclass
class _Waiting:
    """A statement that runs. Its value types are known with it, or with the next event of its frame."""

    source: str
    line: int | None
    values: list[ValueAtRisk] = field(default_factory=list)


@dataclass
class _Frame:
    """A frame: its inner scope, how many scopes its statement opened, and what was counted for the element."""

    scope: InnerScope | None = None
    opened: int = 0
    waiting: _Waiting | None = None
    element: set[str] = field(default_factory=set)


class _Executed:
    """Counts statements, each when it is over."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.frames: dict[int, _Frame] = {}

    def add(self, event: Event, source: str, values: Sequence[ValueAtRisk], *, is_last: bool) -> None:
        """Add an event with its new values. The last event of Meta's notation does not run its line."""
        if event.event == "call" and event.frame not in self.frames:
            self.frames[event.frame] = _Frame(self._scope(event, source))
        frame = self.frames.setdefault(event.frame, _Frame())
        waiting, line = frame.waiting, event.action[1]
        if waiting is not None and (event.whole or event.event in ("return", "yield")):
            waiting.values += values
        if waiting is not None and event.event in ("line", "return", "yield", "raise"):
            is_more = event.event == "line" and frame.scope is None and waiting.source == source
            if is_more and goes_on(source, waiting.line, line):
                waiting.values += [] if event.whole else values
                if inlined(source, line) and not (event.whole and is_last):
                    self.counts.update(executed(source, line, (), InnerScope()))
                return
            self._count(frame, is_end=event.event == "return" and self._is_over(event, frame, source))
        if event.event == "line" and not (event.whole and is_last):
            frame.waiting, frame.opened = _Waiting(source, line, [] if event.whole else list(values)), 0

    def _is_over(self, event: Event, frame: _Frame, source: str) -> bool:
        """Whether a return ends the frame: in Meta's notation a generator's element is a return as well."""
        is_generator = frame.scope is not None and is_lazy(source, event.action[1], frame.scope)
        return not is_generator or event.arg in (None, "None")

    def _scope(self, event: Event, source: str) -> InnerScope | None:
        """The comprehension or lambda of a frame."""
        above = self.frames.get(event.parent)
        if above is None:
            return None
        depth = 1 + (above.scope.depth if above.scope is not None else 0)
        if ITERATED in event.values:
            above.opened += 1
            return InnerScope(depth, above.opened - 1)
        is_lambda = begins_lambda(source, event.action[1])
        return InnerScope(parameters=frozenset(event.values)) if is_lambda else None

    def end(self) -> Counter[str]:
        """Return the counts, including unfinished statements."""
        for frame in self.frames.values():
            self._count(frame, is_end=False)
        return self.counts

    def _count(self, frame: _Frame, *, is_end: bool) -> None:
        waiting, scope = frame.waiting, frame.scope
        frame.waiting = None
        if waiting is None:
            return
        operations = executed(waiting.source, waiting.line, _kinds(waiting), scope)
        if scope is None or scope.parameters is not None:
            self.counts.update(operations)
            return
        if begins(waiting.source, waiting.line, scope):
            frame.element = set()
            operations = operations & {"iteration"} if is_end else operations
        self.counts.update(operations - frame.element)
        frame.element |= operations


def _kinds(waiting: _Waiting) -> ValueKinds:
    with_elements = shows_elements(waiting.source, waiting.line)
    return tuple((value.name, value.type, _elements(value.text) if with_elements else ()) for value in waiting.values)


def _elements(text: str) -> tuple[str, ...]:
    parts = split(text) if text[:1] in ("(", "[") else None
    return () if parts is None or isinstance(parts.items, (str, bytes)) else tuple(kind(item) for item in parts.items)
