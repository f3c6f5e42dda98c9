"""Where stepping leads: from position to position of one side, and from row to row of a pair.

Position p is before step p: the line shown is that of step p, the values are those that its frame's earlier steps
left. A call shows its arguments. Position len(stepper) is behind the last step that is known. A debugger stands at
positions; whoever looks at both sides stands at rows, which show what their steps have left. Nothing moves here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.run import FrameState, Run
from worldline.ui.session.run_diff import RIGHT, WRONG, RunDiff
from worldline.ui.session.stacks import NOBODY

WAYS = ("over", "out", "back_over", "back_out")
"""The ways to step that depend on the stack; the next row and the one before are the others."""
OPEN = "open"
"""The verdict where there is nothing to compare: the model has not come to a row, or one side has no step there."""


@dataclass(frozen=True)
class StoppedFrame:
    """One frame of the stack as a debugger shows it: its number, function, file (None: the main one), line, values.

    `step` is the one whose changes an edit joins; None for a frame that does not go on here.
    """

    frame: int
    function: str
    file: str | None
    line: int
    values: Mapping[str, str]
    step: int | None = None


class Stepper:
    """One side by its positions."""

    def __init__(self, run: Run) -> None:
        self.run, self.events = run, run.events
        self._stacks = run.stacks
        self._before: list[int] = []  # for each step, its frame's newest one before it
        newest: dict[int, int] = {}
        for i, moment in enumerate(self.events):
            self._before.append(newest.get(moment.frame, NOBODY))
            if moment.event not in CHANGELESS:
                newest[moment.frame] = i

    def __len__(self) -> int:
        return len(self.events)

    def at(self, p: int) -> Event | None:
        """The moment that is about to happen; None at the end of what is known."""
        return self.events[p] if 0 <= p < len(self.events) else None

    def is_inside(self, q: int, p: int) -> bool:
        """Whether step q happens in a call that was made, directly or not, by the frame of step p."""
        node = self._stacks.parents[self._stacks.at[q]]
        frame = self.events[p].frame
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
            if self.events[q].frame != self.events[p].frame and not self.is_inside(q, p)
        )  # fmt: skip
        return next(there, len(self))

    def back(self, p: int, *, fine: bool = False) -> int:
        """The position before, not inside a call made from here; the beginning where there is none."""
        for q in range(min(p, len(self)) - 1, -1, -1):
            if (fine or self.events[q].event == "line") and not (p < len(self) and self.is_inside(q, p)):
                return q
        return 0

    def _ahead(self, p: int, fine: bool) -> Iterator[int]:
        """The positions to stop at behind p: lines, or, when it is fine, every step."""
        return (q for q in range(p + 1, len(self)) if fine or self.events[q].event == "line")

    def call_of(self, frame: int) -> int:
        """The first step of a frame: its call."""
        return next(q for q, moment in enumerate(self.events) if moment.frame == frame)

    def settled(self, step: int) -> int:
        """The position at which what a step changed is to be seen: its frame's next event, else the end."""
        frame = self.events[step].frame
        later = range(step + 1, len(self))
        found = (q for q in later if self.events[q].frame == frame and self.events[q].event not in CHANGELESS)
        return next(found, len(self))

    def stack(self, p: int) -> list[StoppedFrame]:
        """Every live frame at a position, innermost first; behind the end, those that the last step leaves."""
        here = self.at(p)
        if here is None:
            last = self.run.stack(len(self) - 1) if len(self) else ()
            return [self._stopped(live) for live in reversed(last)]
        frames = [self._stopped(live) for live in reversed(self.run.before(p))]
        if not frames or frames[0].frame != here.frame:  # it begins here
            info = self.run.frame(here.frame)
            frames.insert(
                0, StoppedFrame(here.frame, info.function, info.file, line_of(here), here.values, p)
            )
            return frames
        step = self._before[p]
        top = frames[0]
        known = None if step == NOBODY else step
        frames[0] = StoppedFrame(top.frame, top.function, top.file, line_of(here), top.values, known)
        return frames

    def _stopped(self, live: FrameState) -> StoppedFrame:
        info = self.run.frame(live.frame)
        return StoppedFrame(live.frame, live.function, info.file, live.line or info.line, live.values)


def line_of(moment: Event) -> int:
    """A moment's line, or the first that it may be."""
    return moment.line if moment.line is not None else next(iter(moment.lines), 0)


def row_steps(run_diff: RunDiff, row: int) -> dict[str, int | None]:
    """The row that each of WAYS leads to from a row; None where it leads nowhere.

    It is the left side's way; the right one's in a row in which the left has no step.
    """
    here = run_diff.rows[row]
    name = "left" if here.left is not None else "right"
    run, step = run_diff.run(name), here.left if here.left is not None else here.right
    found: dict[str, int | None] = {}
    for way in WAYS:
        target = getattr(run, way)(step) if step is not None else None
        found[way] = run_diff.row_of(name, target) if target is not None else None
    return found


def newest_step(run_diff: RunDiff, name: str, row: int) -> int | None:
    """The newest step of a side at or before a row; None before its first."""
    run = run_diff.run(name)
    low, high = 0, len(run) if run is not None else 0
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if run_diff.row_of(name, middle) <= row else (low, middle)
    return low - 1 if low else None


def written_rows(run_diff: RunDiff, branch: Branch) -> int:
    """How many rows the model has come to: behind them it is not wrong, but cut or still writing."""
    if branch.status == "done" and run_diff.right.prediction.status != "budget":
        return len(run_diff.rows)
    return run_diff.row_of("right", len(run_diff.right) - 1) + 1 if len(run_diff.right) else 0


def first_divergence(run_diff: RunDiff, branch: Branch) -> int | None:
    """The first row in which something differs, as far as the model has come."""
    first = run_diff.first
    return first if first is not None and first < written_rows(run_diff, branch) else None


def verdicts(run_diff: RunDiff, row: int, written: int) -> tuple[str, str]:
    """The verdicts on the action and the state of a row, of which so many are written.

    Where a side has no step, nothing of it can be right: what is not wrong there is not compared.
    """
    one = run_diff.rows[row]
    if row >= written:
        return OPEN, OPEN
    if one.left is not None and one.right is not None:
        return one.action, one.state
    return (OPEN if one.action == RIGHT else one.action), (OPEN if one.state == RIGHT else one.state)


def new_difference(run_diff: RunDiff, rows: Iterable[int], written: int) -> int | None:
    """The first of some rows that begins a difference; None where none does."""
    return next((row for row in rows if WRONG in verdicts(run_diff, row, written)), None)
