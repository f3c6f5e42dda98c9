"""Two runs row by row, the left one being the reference: where they part, and which of the differences are new.

A difference is WRONG where both knew the same before it, and CONSEQUENTIAL while an earlier one stands: a value that is
still another one, one that was handed on, or another way. What differs is `diagnose.diverge`'s to say, why is not said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from worldline.diagnose.diverge import Divergence, diverge
from worldline.ui.session.known_state import KnownDifferences
from worldline.ui.session.row_layout import LayoutRow, RowLayout, is_change, row_layout
from worldline.ui.session.run import Run
from worldline.ui.session.without_gc import without_gc

RIGHT, WRONG, CONSEQUENTIAL = "right", "wrong", "consequential"


class RunDiffRow(NamedTuple):
    """A step of the left beside one of the right (None: there is none), what differs, and whether that is new."""

    left: int | None
    right: int | None
    action: str = RIGHT
    state: str = RIGHT
    differs: tuple[Divergence, ...] = ()


class RunDiff:
    """Two sides row by row. Without a left one there is nothing to differ from, and all is right.

    `divergences` are those of the two sides, where they are known already.
    """

    def __init__(
        self, left: Run | None, right: Run, divergences: tuple[Divergence, ...] | None = None
    ) -> None:
        self.left, self.right = left, right
        self._divergences = divergences

    def run(self, name: str) -> Run | None:
        """The `left` or the `right` one."""
        return self.left if name == "left" else self.right

    @cached_property
    def rows(self) -> Sequence[RunDiffRow]:
        """Every row, in order. A last one without steps says that a side has not ended, or should not have."""
        if self._layout is None:
            return tuple(RunDiffRow(None, j) for j in range(len(self.right)))
        with without_gc():
            return tuple(_judged(self._layout, self._placed))

    @cached_property
    def divergences(self) -> tuple[Divergence, ...]:
        """Every divergence, in the order in which a text tells them."""
        if self._divergences is not None:
            return self._divergences
        return diverge(self.left.reading, self.right.reading) if self.left is not None else ()

    @property
    def first(self) -> int | None:
        """The first row in which something differs."""
        return min(self._placed, default=None)

    def row_of(self, side: str, step: int) -> int:
        """The row of a step of the `left` or the `right` side."""
        if self._layout is None:
            return step
        return (self._layout.of_left if side == "left" else self._layout.of_right)[step]

    @cached_property
    def _layout(self) -> RowLayout | None:
        with without_gc():
            return row_layout(self.left, self.right) if self.left is not None else None

    @cached_property
    def _placed(self) -> Mapping[int, Sequence[Divergence]]:
        """The divergences by row."""
        found: dict[int, list[Divergence]] = {}
        if self._layout is not None:
            for one in self.divergences:
                found.setdefault(self._layout.row_of(one), []).append(one)
        return found


def _judged(rows: RowLayout, placed: Mapping[int, Sequence[Divergence]]) -> Iterator[RunDiffRow]:
    """Every row. Up to the first difference both know the same, so comparing begins there."""
    first, end = min(placed, default=len(rows.rows)), len(rows.rows)
    judge = _Judge(rows, (one for some in placed.values() for one in some))
    yield from judge.skip(0, first)
    start = first
    for n in (n for n in range(first, end) if n in placed or not rows.rows[n].agrees):
        yield from judge.quiet(start, n)
        row = judge.row(n, rows.rows[n], placed.get(n, ()))
        yield _blamed(row) if n == first else row
        start = n + 1
    yield from judge.quiet(start, end)
    if end in placed:  # where it is the first, what a cut left side leaves unknown is before it
        action = WRONG if judge.knows_the_same or first == end else CONSEQUENTIAL
        yield RunDiffRow(None, None, action, RIGHT, tuple(placed[end]))


def _blamed(row: RunDiffRow) -> RunDiffRow:
    """The first row that differs is wrong, whatever a move that nothing followed yet has set apart before it."""
    if WRONG in (row.action, row.state):
        return row
    if row.action == CONSEQUENTIAL:
        return row._replace(action=WRONG)
    return row._replace(state=WRONG) if row.state == CONSEQUENTIAL else row


class _Judge:
    """Goes through the rows with what both sides know."""

    def __init__(self, rows: RowLayout, divergences: Iterable[Divergence]) -> None:
        values = (
            (one.wanted or "", one.got or "") for one in divergences if one.what == "value" and is_change(one)
        )
        self._rows, self._differences = rows, KnownDifferences(rows.left, rows.right, values)
        self._is_apart = False  # whether the row before was of a stretch in which both do other things
        self._held: dict[int, list[tuple[int, int]]] = {}  # by the row that tells the rest of it

    @property
    def knows_the_same(self) -> bool:
        """Whether no difference stands."""
        return self._differences.is_equal and not self._is_apart

    def quiet(self, start: int, stop: int) -> Iterator[RunDiffRow]:
        """Rows in which both do the same and nothing differs: they are skipped, where that is less work."""
        for n in range(start, stop):
            if self._differences.is_seen and self._differences.depth < stop - n:
                self._differences.forget()
                self._is_apart = False
                yield from self.skip(n, stop)
                return
            yield self.row(n, self._rows.rows[n], ())

    def skip(self, start: int, stop: int) -> Iterator[RunDiffRow]:
        """Rows in which nothing differs; after the last one of them, both sides are compared as a whole."""
        for n in range(start, stop):
            place = self._rows.rows[n]
            for held in self._held.pop(n, ()):
                self._differences.release(*held)
            self._hold(place)
            if n == stop - 1:
                self._differences.arrive(place.left, place.right)
                self._differences.do(place.left, place.right)
            yield RunDiffRow(place.left, place.right)

    def row(self, n: int, place: LayoutRow, differs: Sequence[Divergence]) -> RunDiffRow:
        """One row, which is gone through by this."""
        if place.agrees:
            return self._beside(n, place, differs)
        is_known = self._is_apart or self._rows.is_known(n)
        action = RIGHT if not is_known else WRONG if self.knows_the_same else CONSEQUENTIAL
        self._step(n, place)
        self._is_apart = is_known
        state = RIGHT if not is_known or self._differences.has_equal_values else CONSEQUENTIAL
        return RunDiffRow(place.left, place.right, action, state, tuple(differs))

    def _beside(self, n: int, place: LayoutRow, differs: Sequence[Divergence]) -> RunDiffRow:
        """A row in which both do the same.

        What a step hands on and what it tells late was made before it; only what it changes at once is its own.
        """
        before = WRONG if self._differences.is_equal else CONSEQUENTIAL
        self._is_apart = False
        here = WRONG if self._step(n, place) else CONSEQUENTIAL
        action, states = RIGHT, set[str]()
        for one in differs:
            if one.what == "event":
                action = before
            elif is_change(one):
                states.add(here if self._is_own(one, place) else before)
            else:
                states.add(before)
                self._differences.give(one.step)
        state = next((each for each in (WRONG, CONSEQUENTIAL) if each in states), RIGHT)
        return RunDiffRow(place.left, place.right, action, state, tuple(differs))

    def _is_own(self, one: Divergence, place: LayoutRow) -> bool:
        return one.step == place.left and not self._rows.left.events[one.step].whole

    def _step(self, n: int, place: LayoutRow) -> bool:
        """Goes on to a row; says whether both know the same when its own changes are still to come."""
        self._differences.arrive(place.left, place.right)
        for held in self._held.pop(n, ()):
            self._differences.release(*held)
        self._hold(place)
        knows = self._differences.is_equal
        self._differences.do(place.left, place.right)
        return knows

    def _hold(self, place: LayoutRow) -> None:
        """Keeps back the changes of two steps as long as one side has not told them."""
        left, right = place.left, place.right
        if not place.agrees or left is None or right is None:
            return
        is_open = self._rows.left.events[left].open or self._rows.right.events[right].open
        known = self._rows.known_at(left, right)
        if is_open or known[0] != known[1]:
            self._differences.hold(left, right)
        if not is_open and known[0] != known[1]:
            self._held.setdefault(max(known), []).append((left, right))
