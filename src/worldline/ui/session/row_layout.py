"""The rows of two aligned runs, and the row of each divergence.

Rows follow `diagnose.diverge`: steps with the same action share a row, others get rows of their own. A divergence in
changes that are reported late belongs to the row in which both runs have reported them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.diagnose.diverge import HIDDEN, Divergence, aligned
from worldline.ui.session.run import Run


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

    def known_at(self, left: int, right: int) -> tuple[int, int]:
        """Return the rows in which each run reports the changes of its step."""
        return self.of_left[self.left.history.known_at(left)], self.of_right[
            self.right.history.known_at(right)
        ]

    def is_known(self, row: int) -> bool:
        """Whether the left run says what happens in a row. After its last step a truncated run does not."""
        return self.left.reading.ended or (bool(self.of_left) and row <= self.of_left[-1])

    def row_of(self, divergence: Divergence) -> int:
        """Return the row of a divergence, or the number of rows if only the end of a run is wrong."""
        rows = [self.of_left[divergence.step]] if divergence.step < len(self.of_left) else []
        if divergence.found is None:
            return rows[0] if rows else len(self.rows)
        if rows and self.rows[rows[0]] == (divergence.step, divergence.found, True):
            return max(self.known_at(divergence.step, divergence.found)) if is_change(divergence) else rows[0]
        # A stretch of different actions is reported where it starts, in a run that has steps there.
        rows += [self.of_right[divergence.found]] if divergence.found < len(self.of_right) else []
        return min((row for row in rows if not self.rows[row].agrees), default=len(self.rows))


def is_change(divergence: Divergence) -> bool:
    """Whether a divergence is about a change of a name."""
    return divergence.name is not None and divergence.name != HIDDEN


def row_layout(left: Run, right: Run) -> RowLayout:
    """Align two runs."""
    layout = RowLayout(left, right)
    for span in aligned(left.events, right.events):
        for k in range(max(span.wanted, span.got)):
            i = span.truth + k if k < span.wanted else None
            j = span.found + k if k < span.got else None
            if i is not None:
                layout.of_left.append(len(layout.rows))
            if j is not None:
                layout.of_right.append(len(layout.rows))
            layout.rows.append(LayoutRow(i, j, span.agrees))
    return layout
