"""How often each operation was executed on true steps, as far as a prediction came: what failures are a share of.

Every operation of a statement is counted when the statement runs, those that a short cut leaves out as well; several of
one kind count once. What a comprehension does for an element counts for each of them, the comprehension itself once.
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
    """Counts up to the first divergence and with it; the operation that it is about is there at least once.

    `argument` is the call from outside. An addition is a concatenation where its value is seen
    to be a text, a list or a tuple. Of another language than Python nothing is counted: its operations have no names.
    """
    ran, program, first = _Ran(), diagnosis.sample.ask.program, diagnosis.first
    if not program.lang.has_syntax_tree:
        return {}
    end = None if first is None else first.step + is_value(diagnosis)
    sources: dict[str | None, str] = {None: program.source}
    sources.update(program.files)
    told: dict[int, list[ValueAtRisk]] = {}
    for value in values(diagnosis.truth):
        told.setdefault(value.step, []).append(value)
    for step, event in enumerate(diagnosis.truth.events):
        if step == end:
            break
        if (
            event.event == "call"
            and event.parent < 0
            and program.call is not None
            and not ran.counts["argument"]
        ):
            ran.counts["argument"] += 1
        is_last = first is not None and step == first.step
        ran.tell(event, sources.get(event.file, ""), told.get(step, ()), is_last=is_last)
    counts, blamed = ran.end(), diagnosis.cause.operation
    if blamed and not counts[blamed]:
        counts[blamed] = 1
    return dict(counts)


@dataclass
class _Waiting:
    """A statement that runs: its kinds are told with it, or by its frame's next event."""

    source: str
    line: int | None
    told: list[ValueAtRisk] = field(default_factory=list)


@dataclass
class _Frame:
    """A frame: the scope that it is of, how many it opened in its statement, what the element has counted."""

    scope: InnerScope | None = None
    opened: int = 0
    waiting: _Waiting | None = None
    element: set[str] = field(default_factory=set)


class _Ran:
    """Statements that ran, each counted when it is over."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.frames: dict[int, _Frame] = {}

    def tell(self, event: Event, source: str, told: Sequence[ValueAtRisk], *, is_last: bool) -> None:
        """One event with the values that it tells; the last one of Meta's runs no line any more."""
        if event.event == "call" and event.frame not in self.frames:
            self.frames[event.frame] = _Frame(self._scope(event, source))
        frame = self.frames.setdefault(event.frame, _Frame())
        waiting, line = frame.waiting, event.action[1]
        if waiting is not None and (event.whole or event.event in ("return", "yield")):
            waiting.told += told
        if waiting is not None and event.event in ("line", "return", "yield", "raise"):
            is_more = event.event == "line" and frame.scope is None and waiting.source == source
            if is_more and goes_on(source, waiting.line, line):
                waiting.told += [] if event.whole else told
                if inlined(source, line) and not (event.whole and is_last):
                    self.counts.update(executed(source, line, (), InnerScope()))
                return
            self._count(frame, is_end=event.event == "return" and self._is_over(event, frame, source))
        if event.event == "line" and not (event.whole and is_last):
            frame.waiting, frame.opened = _Waiting(source, line, [] if event.whole else list(told)), 0

    def _is_over(self, event: Event, frame: _Frame, source: str) -> bool:
        """Whether a frame ends with a return: in Meta's notation a generator's element is one as well."""
        is_generator = frame.scope is not None and is_lazy(source, event.action[1], frame.scope)
        return not is_generator or event.arg in (None, "None")

    def _scope(self, event: Event, source: str) -> InnerScope | None:
        """The comprehension or lambda that a frame is of."""
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
        """All that ran."""
        for frame in self.frames.values():
            self._count(frame, is_end=False)
        return self.counts

    def _count(self, frame: _Frame, *, is_end: bool) -> None:
        waiting, scope = frame.waiting, frame.scope
        frame.waiting = None
        if waiting is None:
            return
        found = executed(waiting.source, waiting.line, _kinds(waiting), scope)
        if scope is None or scope.parameters is not None:
            self.counts.update(found)
            return
        if begins(waiting.source, waiting.line, scope):
            frame.element = set()
            found = found & {"iteration"} if is_end else found
        self.counts.update(found - frame.element)
        frame.element |= found


def _kinds(waiting: _Waiting) -> ValueKinds:
    with_elements = shows_elements(waiting.source, waiting.line)
    return tuple((one.name, one.type, _elements(one.text) if with_elements else ()) for one in waiting.told)


def _elements(text: str) -> tuple[str, ...]:
    parts = split(text) if text[:1] in ("(", "[") else None
    return (
        ()
        if parts is None or isinstance(parts.items, (str, bytes))
        else tuple(kind(one) for one in parts.items)
    )
