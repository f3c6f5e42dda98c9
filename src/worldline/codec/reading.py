"""What a text of any notation says, as events: one shape for whoever compares, shows or judges texts.

An event of the compact notation holds what its step changed; one of Meta's holds the whole locals before its line ran.
Reading a text is its notation's work (`Notation.read`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from worldline.core.events import FINAL
from worldline.core.malformed import Malformed

if TYPE_CHECKING:
    from worldline.codec.cwm.begun import BegunFrame

NOTHING: Mapping[str, str] = MappingProxyType({})


class Event(NamedTuple):
    """One event as a text tells it; a tuple, because a long run has very many.

    `line` is None where the text leaves it open: `lines` are those it may be. `values` are the names with the values
    that the step changed, or, when `whole`, all locals before the line. `parent` is the frame around it, -1 for none.
    `open`: the text stops before this step's changes must stand. `file` is none for the main one.
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
        """The event and its line: what a text that is read loosely is aligned by."""
        return self.event, self.line if self.line is not None else next(iter(self.lines), None)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a text says, up to its end or its first fault. `ended`: it says so itself, and it may.

    `places` says which of the text's steps each event is, where some are left out. `begun` is a frame of Meta's
    notation that the cut broke off, which `reconcile` judges.
    """

    events: tuple[Event, ...]
    ended: bool
    malformed: Malformed | None = None
    places: tuple[int, ...] | None = None
    begun: BegunFrame | None = None

    @property
    def steps(self) -> int:
        """How many events were read."""
        return len(self.events)

    @property
    def outcome(self) -> int:
        """The step with which the outermost frame ends; -1 where the text does not get there."""
        is_cwm = bool(self.events) and self.events[0].whole
        later: set[int] = set()  # frames that go on, so that what they raised was handled
        for i in range(len(self.events) - 1, -1, -1):
            event = self.events[i]
            if event.parent >= 0 or event.event in ("output", "input"):
                continue
            if event.frame not in later and event.event in (("return",) if is_cwm else FINAL):
                return self._raised(i) if is_cwm else i
            later.add(event.frame)
        return -1

    def _raised(self, end: int) -> int:
        """Meta's notation closes a frame that an exception left with a return of None: what counts is before it."""
        last = self.events[end]
        before = next((i for i in range(end - 1, -1, -1) if self.events[i].frame == last.frame), end)
        return before if last.arg == "None" and self.events[before].event == "raise" else end

    @property
    def answer(self) -> tuple[str, str] | None:
        """How the outermost frame ended: event and value; None where the text does not get there."""
        last = self.events[self.outcome] if self.outcome >= 0 else None
        return None if last is None or last.arg is None else (last.event, last.arg)

    @property
    def printed(self) -> tuple[str | None, ...]:
        """What was written to standard output, piece by piece; Meta's notation does not show it."""
        return tuple(event.arg for event in self.events if event.event == "output")
