"""Positions in one side of a run: where each step of a debugger leads, and what is to be seen there.

Position p is before step p: the line shown is that of step p, the values are those that its frame's earlier steps
left. A call shows its arguments. Position len(track) is behind the last step that is known. Nothing is compared here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.core.events import CHANGELESS
from worldline.diagnose.reading import Event
from worldline.explore.side import Live, Side
from worldline.explore.stacks import NOBODY


@dataclass(frozen=True)
class Seen:
    """One frame of the stack: its number, function, file (None: the main one), line, values.

    `step` is the one whose changes an edit joins; None for a frame that does not go on here.
    """

    frame: int
    function: str
    file: str | None
    line: int
    values: Mapping[str, str]
    step: int | None = None


class Track:
    """The moments of a side as positions."""

    def __init__(self, side: Side) -> None:
        self.side, self.moments = side, side.moments
        self._stacks = side.stacks
        self._before: list[int] = []  # for each step, its frame's newest one before it
        newest: dict[int, int] = {}
        for i, moment in enumerate(self.moments):
            self._before.append(newest.get(moment.frame, NOBODY))
            if moment.event not in CHANGELESS:
                newest[moment.frame] = i

    def __len__(self) -> int:
        return len(self.moments)

    def at(self, p: int) -> Event | None:
        """The moment that is about to happen; None at the end of what is known."""
        return self.moments[p] if 0 <= p < len(self.moments) else None

    def is_inside(self, q: int, p: int) -> bool:
        """Whether step q happens in a call that was made, directly or not, by the frame of step p."""
        node = self._stacks.parents[self._stacks.at[q]]
        frame = self.moments[p].frame
        while node != NOBODY and self._stacks.frames[node] != frame:
            node = self._stacks.parents[node]
        return node != NOBODY

    def into(self, p: int, *, fine: bool = False) -> int:
        """The next position to stop at; the end where there is none."""
        return next(self._ahead(p, fine), len(self))

    def over(self, p: int, *, fine: bool = False) -> int:
        """The next one that is not inside a call made from here."""
        return next((q for q in self._ahead(p, fine) if not self.is_inside(q, p)), len(self))

    def out(self, p: int) -> int:
        """The next one that is neither in this frame nor inside a call of it."""
        there = (
            q for q in self._ahead(p, False)
            if self.moments[q].frame != self.moments[p].frame and not self.is_inside(q, p)
        )  # fmt: skip
        return next(there, len(self))

    def back(self, p: int, *, fine: bool = False) -> int:
        """The position before, not inside a call made from here; the beginning where there is none."""
        for q in range(min(p, len(self)) - 1, -1, -1):
            if (fine or self.moments[q].event == "line") and not (p < len(self) and self.is_inside(q, p)):
                return q
        return 0

    def _ahead(self, p: int, fine: bool) -> Iterator[int]:
        """The positions to stop at behind p: lines, or, when it is fine, every step."""
        return (q for q in range(p + 1, len(self)) if fine or self.moments[q].event == "line")

    def call_of(self, frame: int) -> int:
        """The first step of a frame: its call."""
        return next(q for q, moment in enumerate(self.moments) if moment.frame == frame)

    def settled(self, step: int) -> int:
        """The position at which what a step changed is to be seen: its frame's next event, else the end."""
        frame = self.moments[step].frame
        later = range(step + 1, len(self))
        found = (
            q for q in later if self.moments[q].frame == frame and self.moments[q].event not in CHANGELESS
        )
        return next(found, len(self))

    def stack(self, p: int) -> list[Seen]:
        """Every live frame at a position, innermost first; behind the end, those that the last step leaves."""
        here = self.at(p)
        if here is None:
            last = self.side.stack(len(self) - 1) if len(self) else ()
            return [self._seen(live) for live in reversed(last)]
        seen = [self._seen(live) for live in reversed(self.side.before(p))]
        if not seen or seen[0].frame != here.frame:  # it begins here
            info = self.side.frame(here.frame)
            seen.insert(0, Seen(here.frame, info.function, info.file, line_of(here), here.values, p))
            return seen
        step = self._before[p]
        top = seen[0]
        known = None if step == NOBODY else step
        seen[0] = Seen(top.frame, top.function, top.file, line_of(here), top.values, known)
        return seen

    def _seen(self, live: Live) -> Seen:
        info = self.side.frame(live.frame)
        return Seen(live.frame, live.function, info.file, live.line or info.line, live.values)


def line_of(moment: Event) -> int:
    """A moment's line, or the first that it may be."""
    return moment.line if moment.line is not None else next(iter(moment.lines), 0)
