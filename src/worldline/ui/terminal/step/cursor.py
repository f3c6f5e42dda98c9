"""Where somebody stands in a scene, and where each move leads: by steps, by differences, to breakpoints, to branches.

Rows are those of the pair of the branch in hand. That pair is made by who grows the branch (`make`), and taken when the
cursor is told to (`look`): so rows stay what they are while a model goes on writing. It draws and grows nothing.
"""

from __future__ import annotations

from typing import Any

from worldline.codec.reading import Event
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.chunk import CHUNK, chunk
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import (
    first_divergence,
    new_difference,
    newest_step,
    row_steps,
    written_rows,
)
from worldline.ui.session.stops import DEFAULT_STOPS, Location, next_stop
from worldline.ui.session.timeline import timeline
from worldline.ui.terminal.step.row_view import NamedValue, RowView, row_view


class SessionCursor:
    """A place in a scene: the branch and the row in hand, and what is set there."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.branch, self.row = 0, 0
        self.follows = True  # whether the newest row is shown while a branch is written
        self.breakpoints: set[Location] = set()
        self.stops: set[str] = {*DEFAULT_STOPS}
        self._trail: list[tuple[int, int]] = []
        self._made: dict[int, tuple[Branch, RunDiff]] = {}
        self._chunks: dict[int, dict[str, Any]] = {}
        self._lines: dict[int, dict[str, Any]] = {}
        self._view: tuple[int, RowView] | None = None
        self.look()

    # what is there

    def make(self, number: int) -> tuple[Branch, RunDiff]:
        """Compare the sides of a branch as it stands now; who grows it calls this, since it may take long."""
        made = self.session.branch(number), self.session.run_diff(number)
        _ = made[1].rows, made[1].first  # they are made when they are first asked for
        self._made[number] = made
        return made

    def look(self) -> None:
        """Take what was made last of the branch in hand."""
        self.here, self.run_diff = self._made.get(self.branch) or self.make(self.branch)
        self.written, self.first = (
            written_rows(self.run_diff, self.here),
            first_divergence(self.run_diff, self.here),
        )
        self._chunks, self._lines, self._view = {}, {}, None
        if self.follows and self.is_running:
            self.row = self._newest()
        self.row = max(0, min(self.row, self.count - 1))

    @property
    def is_running(self) -> bool:
        """Whether more rows may come."""
        return self.here.status == "running"

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.run_diff.rows)

    @property
    def view(self) -> RowView:
        """Both sides at the row in hand."""
        if self._view is None or self._view[0] != self.row:
            self._view = self.row, row_view(self.run_diff, self.row)
        return self._view[1]

    def row_json(self, row: int) -> dict[str, Any]:
        """A row as a chunk tells it, `open` where there is nothing to compare; empty where there is none."""
        if not 0 <= row < self.count:
            return {}
        k = row // CHUNK
        if k not in self._chunks:
            self._chunks[k] = chunk(self.run_diff, k, self.written)
        one: dict[str, Any] = self._chunks[k]["rows"][row - k * CHUNK]
        return one

    def timeline(self, bins: int) -> dict[str, Any]:
        """The whole pair in so many bins."""
        if bins not in self._lines:
            self._lines = {bins: timeline(self.run_diff, bins, self.written)}
        return self._lines[bins]

    @property
    def step(self) -> int | None:
        """The model's step in this row; None where it has none."""
        return self.run_diff.rows[self.row].right if self.count else None

    @property
    def event(self) -> Event | None:
        """What happens in this row: for the interpreter, or, where it has no step here, for the model."""
        for run_view in (self.view.left, self.view.right):
            if run_view is not None and run_view.own:
                return run_view.event
        return None

    def _newest(self) -> int:
        """The row that the model has written last."""
        step = newest_step(self.run_diff, "right", self.count)
        return 0 if step is None else self.run_diff.row_of("right", step)

    # where moves lead

    def move(self, way: str) -> int | None:
        """The row that a step leads to; None where there is none."""
        ends = {"start": 0, "end": self.count - 1, "into": self.row + 1, "back": self.row - 1}
        to = ends[way] if way in ends else row_steps(self.run_diff, self.row)[way] if self.count else None
        return to if to is not None and 0 <= to < self.count and to != self.row else None

    def hop(self, way: str) -> int | None:
        """The first divergence, or the nearest row after or before this one that begins a difference."""
        if way == "first":
            return self.first
        rows = range(self.row + 1, self.count) if way == "next" else range(self.row - 1, -1, -1)
        return new_difference(self.run_diff, rows, self.written)

    def writer(self, side: str, one: NamedValue) -> int | None:
        """The row that wrote the value that a name has on a side."""
        run_view = self.view.left if side == "left" else self.view.right
        live = run_view.stack[::-1] if run_view is not None else ()
        level = one.level - (len(self.view.levels) - len(live))
        if run_view is None or not 0 <= level < len(live):
            return None
        step = run_view.run.writer(run_view.step, live[level].frame, one.name)
        return None if step is None else self.run_diff.row_of(side, step)

    def run(self, start: int, step: int) -> tuple[int, str] | None:
        """The nearest row that stops somebody who runs on (step 1) or back (-1), and why; None where none does."""
        rows = range(start + 1, self.count) if step > 0 else range(start - 1, -1, -1)
        return next_stop(self.run_diff, self.here, rows, stops=self.stops, breakpoints=self.breakpoints)

    # moving

    def seek(self, row: int) -> None:
        """Stand at a row."""
        self.row = max(0, min(row, self.count - 1))
        self.follows = self.is_running and self.row >= self._newest()

    def jump(self, row: int) -> None:
        """The same, and remember from where."""
        self._trail.append((self.branch, self.row))
        self.seek(row)

    def back(self) -> bool:
        """Return from the last jump; False where there was none."""
        if not self._trail:
            return False
        branch, row = self._trail.pop()
        if branch != self.branch:
            self._turn(branch)
        self.seek(row)
        return True

    def switch(self, branch: int, *, follow: bool = False) -> None:
        """Take another branch in hand, at its first divergence, or where it parts from its parent."""
        self._trail.append((self.branch, self.row))
        self._turn(branch)
        if follow:
            self.follows = True
            self.look()
            return
        self.seek(self.remarkable())

    def remarkable(self) -> int:
        """The row to look at first: the first divergence, or where the branch parts from its parent."""
        first, at = self.first, self.here.at
        start = self.run_diff.row_of("right", at) if at < len(self.run_diff.right) else 0
        return first if first is not None else start

    def _turn(self, branch: int) -> None:
        self.branch, self.follows = branch, False
        self.look()

    def toggle(self, location: Location) -> bool:
        """Set a breakpoint, or take it away; whether it is set now."""
        self.breakpoints ^= {location}
        return location in self.breakpoints
