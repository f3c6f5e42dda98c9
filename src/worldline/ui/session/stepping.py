"""Stepping: from position to position of one run, and from row to row of a run diff.

Position p is before step p: it shows the line of step p and everything that is shown up to row p - 1. A call shows its
arguments. Position `len(stepper)` is after the last known step. At a position where a step is `done`, its line has just
executed: it shows that line with its changes. Debug adapters use positions; views of both runs use rows, which show the
state after their steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.run import FrameState, Run
from worldline.ui.session.run_diff import RIGHT, WRONG, RunDiff
from worldline.ui.session.stacks import ABSENT

STEP_KINDS = ("over", "out", "back_over", "back_out")
"""The kinds of steps that depend on the stack. The others are the next and the previous row."""
OPEN = "open"
"""The verdict if there is nothing to compare: a row is not predicted yet, or one run has no step in it."""


@dataclass(frozen=True)
class StoppedFrame:
    """One frame of the stack as a debugger shows it. `file` is None for the main file.

    `step` is the step whose changes an edit joins; None for a frame that waits.
    """

    frame: int
    function: str
    file: str | None
    line: int
    values: Mapping[str, str]
    step: int | None = None


class Stepper:
    """One run by its positions."""

    def __init__(self, run: Run) -> None:
        self.run, self.events = run, run.events
        self._stacks = run.stacks
        self._before: list[int] = []  # for each step, the previous one of its frame
        newest: dict[int, int] = {}
        for i, moment in enumerate(self.events):
            self._before.append(newest.get(moment.frame, ABSENT))
            if moment.event not in CHANGELESS:
                newest[moment.frame] = i

    def __len__(self) -> int:
        return len(self.events)

    def at(self, p: int) -> Event | None:
        """Return the event of the next step; None after the last known step."""
        return self.events[p] if 0 <= p < len(self.events) else None

    def is_inside(self, q: int, frame: int) -> bool:
        """Whether step q belongs to a call made, directly or not, by a frame."""
        node = self._stacks.parents[self._stacks.at[q]]
        while node != ABSENT and self._stacks.frames[node] != frame:
            node = self._stacks.parents[node]
        return node != ABSENT

    def into(self, p: int, *, fine: bool = False) -> int:
        """Return the next position to stop at; the end if there is none. `fine`: every step, not only lines."""
        return next(self._ahead(p, fine), len(self))

    def over(self, p: int, *, fine: bool = False, done: int | None = None) -> int:
        """Return the next position that is not inside a call made from here."""
        frame = self.events[p if done is None else done].frame
        return next((q for q in self._ahead(p, fine) if not self.is_inside(q, frame)), len(self))

    def out(self, p: int, *, done: int | None = None) -> int:
        """Return the next position that is neither in this frame nor inside a call of it."""
        frame = self.events[p if done is None else done].frame
        positions = self._ahead(p, False)
        return next((q for q in positions if self.events[q].frame != frame and not self.is_inside(q, frame)), len(self))

    def back(self, p: int, *, fine: bool = False, done: int | None = None) -> int:
        """Return the previous position that is not inside a call made from here; the beginning if there is none.

        From a step that is done, that is the position before it.
        """
        end = min(p, len(self)) if done is None else done + 1
        frame = None if end == len(self) and done is None else self.events[p if done is None else done].frame
        for q in range(end - 1, -1, -1):
            if (fine or self.events[q].event == "line") and (frame is None or not self.is_inside(q, frame)):
                return q
        return 0

    def _ahead(self, p: int, fine: bool) -> Iterator[int]:
        """The positions to stop at after p: lines or, if `fine`, every step."""
        return (q for q in range(p + 1, len(self)) if fine or self.events[q].event == "line")

    def call_of(self, frame: int) -> int:
        """Return the first step of a frame: its call."""
        return next(q for q, moment in enumerate(self.events) if moment.frame == frame)

    def stack(self, p: int, done: int | None = None) -> list[StoppedFrame]:
        """Return the live frames at a position, innermost first; at the end, those that the last step leaves."""
        moment = self.at(p)
        if done is not None:
            return self._after(p, done)
        if moment is None:
            last = self.run.stack(len(self) - 1) if len(self) else ()
            return [self._stopped(live) for live in reversed(last)]
        frames = [self._stopped(live) for live in reversed(self.run.before(p))]
        if not frames or frames[0].frame != moment.frame:  # it starts with this step
            info = self.run.frame(moment.frame)
            top = StoppedFrame(moment.frame, info.function, info.file, line_of(moment), moment.values, p)
            return [top, *frames]
        step = self._before[p]
        top = replace(frames[0], line=line_of(moment), step=None if step == ABSENT else step)
        return [top, *frames[1:]]

    def _after(self, p: int, done: int) -> list[StoppedFrame]:
        """The frames when a step has executed, and its calls up to p: that of the step, and those that enclose it."""
        frames = [self._stopped(live) for live in reversed(self.run.stack(p))]
        own = next((depth for depth, frame in enumerate(frames) if frame.frame == self.events[done].frame), 0)
        return [replace(frames[own], line=line_of(self.events[done]), step=done), *frames[own + 1 :]]

    def _stopped(self, live: FrameState) -> StoppedFrame:
        info = self.run.frame(live.frame)
        return StoppedFrame(live.frame, live.function, info.file, live.line or info.line, live.values)


def line_of(moment: Event) -> int:
    """Return the line of an event, or the first that it may be."""
    return moment.line if moment.line is not None else next(iter(moment.lines), 0)


def row_steps(run_diff: RunDiff, row: int) -> dict[str, int | None]:
    """Return the target row of each of STEP_KINDS from a row; None if there is none.

    The left run decides, or the right one if the left has no step in the row.
    """
    name = "left" if run_diff.rows[row].left is not None else "right"
    run, step = run_diff.run(name), getattr(run_diff.rows[row], name)
    targets: dict[str, int | None] = {}
    for kind in STEP_KINDS:
        target = getattr(run, kind)(step) if step is not None else None
        targets[kind] = run_diff.row_of(name, target) if target is not None else None
    return targets


def newest_step(run_diff: RunDiff, name: str, row: int) -> int | None:
    """Return the latest step of a run at or before a row; None before its first."""
    run = run_diff.run(name)
    low, high = 0, len(run) if run is not None else 0
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if run_diff.row_of(name, middle) <= row else (low, middle)
    return low - 1 if low else None


def written_rows(run_diff: RunDiff, branch: Branch) -> int:
    """Count the rows that are predicted. Later rows are not wrong: the prediction was cut or is still being written."""
    if branch.status == "done" and run_diff.right.prediction.status != "budget":
        return len(run_diff.rows)
    return run_diff.row_of("right", len(run_diff.right) - 1) + 1 if len(run_diff.right) else 0


def first_divergence(run_diff: RunDiff, branch: Branch) -> int | None:
    """Return the first row with a divergence, among the rows that are predicted."""
    first = run_diff.first
    return first if first is not None and first < written_rows(run_diff, branch) else None


def verdicts(run_diff: RunDiff, row: int, written: int) -> tuple[str, str]:
    """Return the verdicts on the action and the state of a row. From row `written` on they are OPEN.

    If one run has no step in the row, nothing can be right: what is not wrong is OPEN.
    """
    current = run_diff.rows[row]
    if row >= written:
        return OPEN, OPEN
    if current.left is not None and current.right is not None:
        return current.action, current.state
    return (OPEN if current.action == RIGHT else current.action), (OPEN if current.state == RIGHT else current.state)


def new_difference(run_diff: RunDiff, rows: Iterable[int], written: int) -> int | None:
    """Return the first of some rows with a new divergence; None if there is none."""
    return next((row for row in rows if WRONG in verdicts(run_diff, row, written)), None)
