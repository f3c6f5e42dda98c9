"""What a text of any notation says, as events: the common form for comparison, display and scoring.

An event of the compact notation holds the changes of its step; one of Meta's holds all locals before its line.
`Notation.read` reads a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from worldline.core.events import ENDED, FINAL
from worldline.core.malformed import Malformed
from worldline.core.trace import Trace

if TYPE_CHECKING:
    from worldline.codec.cwm.partial_frame import PartialFrame

NOTHING: Mapping[str, str] = MappingProxyType({})


class Event(NamedTuple):
    """One event of a text. A tuple, because a long execution has very many.

    `line` is None if the text leaves it open; `lines` are the candidates. `values` are the names that the step
    changed with their values or, if `whole`, all locals before the line. `parent` is the frame around it, -1 for
    none. `open`: the text stops before the changes of this step are due. `file` is None for the main one.
    """

    event: str
    frame: int
    line: int | None
    lines: tuple[int, ...] = ()
    values: Mapping[str, str] = NOTHING
    gone: tuple[str, ...] = ()
    arg: str | None = None
    whole: bool = False
    parent: int = -1
    same: Mapping[str, str | None] = NOTHING
    hidden: tuple[tuple[str, str], ...] = ()
    file: str | None = None
    open: bool = False

    @property
    def action(self) -> tuple[str, int | None]:
        """The event and its line, by which loosely read texts are aligned."""
        return self.event, self.line if self.line is not None else next(iter(self.lines), None)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The events of a text up to its end or its first fault. `ended`: it has a valid end.

    `places` gives the step number of each event if some steps are left out. `partial` is a frame of Meta's notation
    that was cut off; `reconcile` judges it.
    """

    events: tuple[Event, ...]
    ended: bool
    malformed: Malformed | None = None
    places: tuple[int, ...] | None = None
    partial: PartialFrame | None = None

    @property
    def steps(self) -> int:
        """The number of events."""
        return len(self.events)

    @property
    def outcome(self) -> int:
        """The step with which the outermost frame ends, or -1 if the text does not get there."""
        is_cwm = bool(self.events) and self.events[0].whole
        # Frames that continue later, so that what they raised was handled.
        later: set[int] = set()
        for i in range(len(self.events) - 1, -1, -1):
            event = self.events[i]
            if event.parent >= 0 or event.event in ("output", "input"):
                continue
            if event.frame not in later and event.event in (("return",) if is_cwm else FINAL):
                return self._raised(i) if is_cwm else i
            later.add(event.frame)
        return -1

    def _raised(self, end: int) -> int:
        """The raise before a return of None: Meta's notation closes a frame that an exception left in this way."""
        last = self.events[end]
        before = next((i for i in range(end - 1, -1, -1) if self.events[i].frame == last.frame), end)
        return before if last.arg == "None" and self.events[before].event == "raise" else end

    @property
    def answer(self) -> tuple[str, str] | None:
        """How the outermost frame ended, as event and value, or None if the text does not get there."""
        last = self.events[self.outcome] if self.outcome >= 0 else None
        return None if last is None or last.arg is None else (last.event, last.arg)

    @property
    def printed(self) -> tuple[str | None, ...]:
        """The pieces written to standard output. Meta's notation does not show them."""
        return tuple(event.arg for event in self.events if event.event == "output")


def read_trace(trace: Trace) -> Reading:
    """Return a recorded trace as events, as if a text had said it.

    Args:
        trace: The trace. It may have several outermost frames, as that of a test with fixtures.

    Returns:
        Its events; `ended` if the program ended by itself.
    """
    hidden: dict[int, list[tuple[str, str]]] = {}
    for entry in trace.hidden:
        hidden.setdefault(entry.step, []).append((entry.kind, entry.value))
    main = trace.program.name
    events = []
    for step in trace.steps:
        frame = trace.frames[step.frame]
        event = Event(
            step.event,
            step.frame,
            step.line,
            (step.line,),
            step.delta or NOTHING,
            step.gone,
            step.arg,
            parent=frame.parent,
            same=step.same or NOTHING,
            hidden=tuple(hidden.get(step.i, ())),
            file=None if frame.file == main else frame.file,
        )
        events.append(event)
    return Reading(events=tuple(events), ended=trace.outcome.kind in ENDED)
