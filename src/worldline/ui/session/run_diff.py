"""Two runs row by row: where the right one diverges from the left one, and which divergences are new.

A divergence is WRONG if both runs had the same state before it. It is CONSEQUENTIAL while an earlier one lasts: a value
still differs, a different value was passed on, or the runs are on different lines. `diagnose.diverge` finds the
divergences and aligns the steps: those with the same action share a row, others get rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from worldline.diagnose.diverge import Divergence, aligned, diverge
from worldline.diagnose.why.run_pair import RunPair
from worldline.diagnose.why.traced_run import TracedRun
from worldline.ui.session.known_state import KnownDifferences
from worldline.ui.session.run import Run
from worldline.ui.session.without_gc import without_gc

RIGHT, WRONG, CONSEQUENTIAL = "right", "wrong", "consequential"


class RunDiffRow(NamedTuple):
    """A step of each run (None: it has none in this row), the divergences, and the verdicts on action and state."""

    left: int | None
    right: int | None
    action: str = RIGHT
    state: str = RIGHT
    differs: tuple[Divergence, ...] = ()


class RunDiff:
    """Two runs row by row. The left one is the reference; without one, every row is right."""

    def __init__(self, left: Run | None, right: Run, divergences: tuple[Divergence, ...] | None = None) -> None:
        self.left, self.right = left, right
        self._divergences = divergences

    def run(self, name: str) -> Run | None:
        """Return the `left` or the `right` run."""
        return self.left if name == "left" else self.right

    @cached_property
    def rows(self) -> Sequence[RunDiffRow]:
        """Every row. A last row without steps says that a run has not ended, or should not have."""
        if self._layout is None:
            return tuple(RunDiffRow(None, j) for j in range(len(self.right)))
        with without_gc():
            return tuple(_judged(self._layout, self._placed))

    @cached_property
    def divergences(self) -> tuple[Divergence, ...]:
        """Every divergence, in the order of the text."""
        if self._divergences is not None:
            return self._divergences
        return diverge(self.left.reading, self.right.reading) if self.left is not None else ()

    @property
    def first(self) -> int | None:
        """The first row with a divergence."""
        return min(self._placed, default=None)

    def row_of(self, side: str, step: int) -> int:
        """Return the row of a step of the `left` or the `right` run."""
        if self._layout is None:
            return step
        return (self._layout.of_left if side == "left" else self._layout.of_right)[step]

    @cached_property
    def compared(self) -> RunPair:
        """Both runs as chains of operations are read from them. Its pairs of steps are the rows."""
        with without_gc():
            right = TracedRun(self.right.ask.program, self.right.events, self.right.history)
            left = self.left
            true = right if left is None else TracedRun(left.ask.program, left.events, left.history)
            return RunPair(true, right)

    @cached_property
    def _layout(self) -> RowLayout | None:
        with without_gc():
            return row_layout(self.left, self.right) if self.left is not None else None

    @cached_property
    def _placed(self) -> Mapping[int, Sequence[Divergence]]:
        """The divergences by row."""
        by_row: dict[int, list[Divergence]] = {}
        if self._layout is not None:
            for divergence in self.divergences:
                by_row.setdefault(self._layout.row_of(divergence), []).append(divergence)
        return by_row


def _judged(rows: RowLayout, placed: Mapping[int, Sequence[Divergence]]) -> Iterator[RunDiffRow]:
    """Every row, with verdicts. Up to the first divergence the states are equal, so comparing starts there."""
    first, end = min(placed, default=len(rows.rows)), len(rows.rows)
    judge = _Judge(rows, (divergence for divergences in placed.values() for divergence in divergences))
    yield from judge.skip(0, first)
    start = first
    for n in (n for n in range(first, end) if n in placed or not rows.rows[n].agrees):
        yield from judge.quiet(start, n)
        row = judge.row(n, rows.rows[n], placed.get(n, ()))
        yield _blamed(row) if n == first else row
        start = n + 1
    yield from judge.quiet(start, end)
    if end in placed:  # if it is the first, only rows that a truncated left run leaves open come before it
        action = WRONG if judge.knows_the_same or first == end else CONSEQUENTIAL
        yield RunDiffRow(None, None, action, RIGHT, tuple(placed[end]))


def _blamed(row: RunDiffRow) -> RunDiffRow:
    """Make the first row with a divergence wrong, even if an action before it has already separated the runs."""
    if WRONG in (row.action, row.state):
        return row
    if row.action == CONSEQUENTIAL:
        return row._replace(action=WRONG)
    return row._replace(state=WRONG) if row.state == CONSEQUENTIAL else row


class _Judge:
    """Goes through the rows and keeps track of the state of both runs."""

    def __init__(self, rows: RowLayout, divergences: Iterable[Divergence]) -> None:
        values = (
            (divergence.wanted or "", divergence.got or "")
            for divergence in divergences
            if divergence.what == "value" and divergence.is_change
        )
        self._rows, self._differences = rows, KnownDifferences(rows.left, rows.right, values)
        self._is_apart = False  # whether the actions differed in the row before
        self._held: dict[int, list[tuple[int, int]]] = {}  # by the row that shows the later one of two steps

    @property
    def knows_the_same(self) -> bool:
        """Whether the states of both runs are equal."""
        return self._differences.is_equal and not self._is_apart

    def quiet(self, start: int, stop: int) -> Iterator[RunDiffRow]:
        """Yield rows with equal actions and no divergence; skip their states if that is less work."""
        for n in range(start, stop):
            if self._differences.is_seen and self._differences.depth < stop - n:
                self._differences.forget()
                self._is_apart = False
                yield from self.skip(n, stop)
                return
            yield self.row(n, self._rows.rows[n], ())

    def skip(self, start: int, stop: int) -> Iterator[RunDiffRow]:
        """Yield rows without a divergence; compare the complete states only after the last one."""
        for n in range(start, stop):
            place = self._rows.rows[n]
            for held in self._held.pop(n, ()):
                self._differences.release(*held)
            self._hold(place)
            if n == stop - 1:
                self._differences.arrive(place.left, place.right)
                self._differences.apply(place.left, place.right)
            yield RunDiffRow(place.left, place.right)

    def row(self, n: int, place: LayoutRow, differs: Sequence[Divergence]) -> RunDiffRow:
        """Judge one row and move on to it."""
        if place.agrees:
            return self._beside(n, place, differs)
        is_known = self._is_apart or self._rows.is_known(n)
        action = RIGHT if not is_known else WRONG if self.knows_the_same else CONSEQUENTIAL
        self._step(n, place)
        self._is_apart = is_known
        state = RIGHT if not is_known or self._differences.has_equal_values else CONSEQUENTIAL
        return RunDiffRow(place.left, place.right, action, state, tuple(differs))

    def _beside(self, n: int, place: LayoutRow, differs: Sequence[Divergence]) -> RunDiffRow:
        """Judge a row in which both have the same action.

        What a step passes on, and what it shows of frames that waited for it, depends on the state before it; only
        what it changes itself is its own.
        """
        before = WRONG if self._differences.is_equal else CONSEQUENTIAL
        self._is_apart = False
        own = WRONG if self._step(n, place) else CONSEQUENTIAL
        action, states = RIGHT, set[str]()
        for divergence in differs:
            if divergence.what == "event":
                action = before
            elif divergence.is_change:
                states.add(own if self._is_own(divergence, place) else before)
            else:
                states.add(before)
                self._differences.pass_on(divergence.step)
        state = next((verdict for verdict in (WRONG, CONSEQUENTIAL) if verdict in states), RIGHT)
        return RunDiffRow(place.left, place.right, action, state, tuple(differs))

    def _is_own(self, divergence: Divergence, place: LayoutRow) -> bool:
        return self._rows.left.history.maker(divergence.step) == place.left

    def _step(self, n: int, place: LayoutRow) -> bool:
        """Move on to a row; return whether the states are equal before its own changes."""
        self._differences.arrive(place.left, place.right)
        self._hold(place)
        knows = self._differences.is_equal
        self._differences.apply(place.left, place.right)
        for held in self._held.pop(n, ()):
            self._differences.release(*held)
        return knows

    def _hold(self, place: LayoutRow) -> None:
        """Ignore the changes of two steps until both runs have shown them."""
        left, right = place.left, place.right
        if not place.agrees or left is None or right is None:
            return
        is_open = self._rows.left.events[left].open or self._rows.right.events[right].open
        shown = self._rows.shown_at(left, right)
        if is_open or shown[0] != shown[1]:
            self._differences.hold(left, right)
        if not is_open and shown[0] != shown[1]:
            self._held.setdefault(max(shown), []).append((left, right))


class LayoutRow(NamedTuple):
    """One row: the step of each run (None: it has none), and whether both have the same action."""

    left: int | None
    right: int | None
    agrees: bool


@dataclass
class RowLayout:
    """The rows of two runs, and the row of each step of the left and of the right one."""

    left: Run
    right: Run
    rows: list[LayoutRow] = field(default_factory=list)
    of_left: list[int] = field(default_factory=list)
    of_right: list[int] = field(default_factory=list)

    def shown_at(self, left: int, right: int) -> tuple[int, int]:
        """Return the rows in which each run shows the changes of its step."""
        return self.of_left[self.left.history.shown_at(left)], self.of_right[self.right.history.shown_at(right)]

    def is_known(self, row: int) -> bool:
        """Whether the left run says what happens in a row. After its last step a truncated run does not."""
        return self.left.reading.ended or (bool(self.of_left) and row <= self.of_left[-1])

    def row_of(self, divergence: Divergence) -> int:
        """Return the row that shows a divergence, or the number of rows if only the end of a run is wrong."""
        rows = [self.of_left[divergence.step]] if divergence.step < len(self.of_left) else []
        if divergence.found is None:
            return rows[0] if rows else len(self.rows)
        if rows and self.rows[rows[0]] == (divergence.step, divergence.found, True):
            return self._row_of_change(divergence.step, divergence.found) if divergence.is_change else rows[0]
        # A stretch of different actions is reported where it starts, in a run that has steps there.
        rows += [self.of_right[divergence.found]] if divergence.found < len(self.of_right) else []
        return min((row for row in rows if not self.rows[row].agrees), default=len(self.rows))

    def _row_of_change(self, step: int, other: int) -> int:
        """The row that shows the changes that two aligned events state; their own if no aligned steps made them."""
        makers = self.left.history.maker(step), self.right.history.maker(other)
        row = self.of_left[makers[0]]
        return max(self.shown_at(*makers)) if self.rows[row] == (*makers, True) else self.of_left[step]


def row_layout(left: Run, right: Run) -> RowLayout:
    """Align two runs."""
    layout = RowLayout(left, right)
    for span in aligned(left.events, right.events):
        for i, j in span.pairs():
            if i is not None:
                layout.of_left.append(len(layout.rows))
            if j is not None:
                layout.of_right.append(len(layout.rows))
            layout.rows.append(LayoutRow(i, j, span.agrees))
    return layout
