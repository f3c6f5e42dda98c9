"""The position in a session, and where each move leads: by steps, differences, breakpoints and branches.

Rows are those of the current branch's pair of runs. Whoever grows the branch compares them (`make`); the
cursor takes the result over when told to (`look`), so rows stay the same while a model is writing.
"""

from __future__ import annotations

from typing import Any

from worldline.codec.reading import Event
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.chunk import CHUNK, chunk
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import first_divergence, new_difference, newest_step, row_steps, written_rows
from worldline.ui.session.stops import DEFAULT_STOPS, Location, next_stop
from worldline.ui.session.timeline import timeline
from worldline.ui.terminal.step.row_view import NamedValue, RowView, row_view


class SessionCursor:
    """A position in a session: the current branch and row, breakpoints and stops."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.branch, self.row = 0, 0
        self.follows = True  # whether to show the newest row while a branch is written
        self.breakpoints: set[Location] = set()
        self.stops: set[str] = {*DEFAULT_STOPS}
        self._trail: list[tuple[int, int]] = []
        self._compared: dict[int, tuple[Branch, RunDiff]] = {}
        self._chunks: dict[int, dict[str, Any]] = {}
        self._lines: dict[int, dict[str, Any]] = {}
        self._view: tuple[int, RowView] | None = None
        self.look()

    # the branch

    def make(self, number: int) -> tuple[Branch, RunDiff]:
        """Compare the runs of a branch as it stands now. The growing thread calls this, since it may take long."""
        compared = self.session.branch(number), self.session.run_diff(number)
        _ = compared[1].rows, compared[1].first  # computed on first use
        self._compared[number] = compared
        return compared

    def look(self) -> None:
        """Take over the latest comparison of the current branch."""
        self.here, self.run_diff = self._compared.get(self.branch) or self.make(self.branch)
        self.written, self.first = (written_rows(self.run_diff, self.here), first_divergence(self.run_diff, self.here))
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
        return len(self.run_diff.rows)

    @property
    def view(self) -> RowView:
        """Both runs at the current row."""
        if self._view is None or self._view[0] != self.row:
            self._view = self.row, row_view(self.run_diff, self.row)
        return self._view[1]

    def row_json(self, row: int) -> dict[str, Any]:
        """Return a row as JSON, `open` if there is nothing to compare; empty if there is no such row."""
        if not 0 <= row < self.count:
            return {}
        k = row // CHUNK
        if k not in self._chunks:
            self._chunks[k] = chunk(self.run_diff, k, self.written)
        row_dict: dict[str, Any] = self._chunks[k]["rows"][row - k * CHUNK]
        return row_dict

    def timeline(self, bins: int) -> dict[str, Any]:
        """Return all rows in this many bins."""
        if bins not in self._lines:
            self._lines = {bins: timeline(self.run_diff, bins, self.written)}
        return self._lines[bins]

    @property
    def step(self) -> int | None:
        """The model's step in this row; None if it has none."""
        return self.run_diff.rows[self.row].right if self.count else None

    @property
    def event(self) -> Event | None:
        """The event of this row: the interpreter's or, if it has no step here, the model's."""
        for run_view in (self.view.left, self.view.right):
            if run_view is not None and run_view.own:
                return run_view.event
        return None

    def _newest(self) -> int:
        """The row that the model wrote last."""
        step = newest_step(self.run_diff, "right", self.count)
        return 0 if step is None else self.run_diff.row_of("right", step)

    # where moves lead

    def move(self, direction: str) -> int | None:
        """Return the row that a step leads to; None if there is none."""
        ends = {"start": 0, "end": self.count - 1, "into": self.row + 1, "back": self.row - 1}
        to = (
            ends[direction]
            if direction in ends
            else row_steps(self.run_diff, self.row)[direction]
            if self.count
            else None
        )
        return to if to is not None and 0 <= to < self.count and to != self.row else None

    def hop(self, direction: str) -> int | None:
        """Return the first divergence, or the nearest row in a direction that starts a difference."""
        if direction == "first":
            return self.first
        rows = range(self.row + 1, self.count) if direction == "next" else range(self.row - 1, -1, -1)
        return new_difference(self.run_diff, rows, self.written)

    def writer(self, side: str, value: NamedValue) -> int | None:
        """Return the row that wrote the value of a name on one side."""
        run_view = self.view.left if side == "left" else self.view.right
        live = run_view.stack[::-1] if run_view is not None else ()
        level = value.level - (len(self.view.levels) - len(live))
        if run_view is None or not 0 <= level < len(live):
            return None
        step = run_view.run.writer(run_view.step, live[level].frame, value.name)
        return None if step is None else self.run_diff.row_of(side, step)

    def run(self, start: int, step: int) -> tuple[int, str] | None:
        """Return the nearest row that stops a run forwards (step 1) or backwards (-1), and why; None if none does."""
        rows = range(start + 1, self.count) if step > 0 else range(start - 1, -1, -1)
        return next_stop(self.run_diff, self.here, rows, stops=self.stops, breakpoints=self.breakpoints)

    # moving

    def seek(self, row: int) -> None:
        self.row = max(0, min(row, self.count - 1))
        self.follows = self.is_running and self.row >= self._newest()

    def jump(self, row: int) -> None:
        """Move to a row and remember the old one."""
        self._trail.append((self.branch, self.row))
        self.seek(row)

    def back(self) -> bool:
        """Return from the last jump; False if there was none."""
        if not self._trail:
            return False
        branch, row = self._trail.pop()
        if branch != self.branch:
            self._turn(branch)
        self.seek(row)
        return True

    def switch(self, branch: int, *, follow: bool = False) -> None:
        """Switch to another branch, at its first divergence or where it leaves its parent."""
        self._trail.append((self.branch, self.row))
        self._turn(branch)
        if follow:
            self.follows = True
            self.look()
            return
        self.seek(self.remarkable())

    def remarkable(self) -> int:
        """Return the row to show first: the first divergence, or where the branch leaves its parent."""
        first, at = self.first, self.here.at
        start = self.run_diff.row_of("right", at) if at < len(self.run_diff.right) else 0
        return first if first is not None else start

    def _turn(self, branch: int) -> None:
        self.branch, self.follows = branch, False
        self.look()

    def toggle(self, location: Location) -> bool:
        """Set or remove a breakpoint; returns whether it is set now."""
        self.breakpoints ^= {location}
        return location in self.breakpoints
