"""Which steps of two runs stand in one row, and in which row each of their differences stands.

Rows follow `diagnose.diverge`: step beside step where both do the same, one under the other in stretches where they do
not. A difference in changes that are told late stands in the row where both sides have told them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.diagnose.diverge import HIDDEN, Divergence, aligned
from worldline.ui.session.run import Run


class LayoutRow(NamedTuple):
    """One row: its steps (None: there is none), and whether both do the same."""

    left: int | None
    right: int | None
    agrees: bool


@dataclass
class RowLayout:
    """The rows of two sides, and the row of each step of the left and of the right."""

    left: Run
    right: Run
    rows: list[LayoutRow] = field(default_factory=list)
    of_left: list[int] = field(default_factory=list)
    of_right: list[int] = field(default_factory=list)

    def known_at(self, left: int, right: int) -> tuple[int, int]:
        """The rows in which both sides tell what two steps have changed."""
        one, other = self.left.history.known_at(left), self.right.history.known_at(right)
        return self.of_left[one], self.of_right[other]

    def is_known(self, row: int) -> bool:
        """Whether the left side says what happens in a row: it does not after its end, where it was cut."""
        return self.left.reading.ended or (bool(self.of_left) and row <= self.of_left[-1])

    def row_of(self, one: Divergence) -> int:
        """The row of a divergence; behind the last one where only the end of a side is wrong."""
        rows = [self.of_left[one.step]] if one.step < len(self.of_left) else []
        if one.found is None:
            return rows[0] if rows else len(self.rows)
        if rows and self.rows[rows[0]] == (one.step, one.found, True):
            return max(self.known_at(one.step, one.found)) if is_change(one) else rows[0]
        # A stretch is told of where it begins, on a side that has steps there.
        rows += [self.of_right[one.found]] if one.found < len(self.of_right) else []
        return min((row for row in rows if not self.rows[row].agrees), default=len(self.rows))


def is_change(one: Divergence) -> bool:
    """Whether a divergence is about what a step did to a name."""
    return one.name is not None and one.name != HIDDEN


def row_layout(left: Run, right: Run) -> RowLayout:
    """The rows of two sides."""
    found = RowLayout(left, right)
    for span in aligned(left.events, right.events):
        for k in range(max(span.wanted, span.got)):
            i = span.truth + k if k < span.wanted else None
            j = span.found + k if k < span.got else None
            if i is not None:
                found.of_left.append(len(found.rows))
            if j is not None:
                found.of_right.append(len(found.rows))
            found.rows.append(LayoutRow(i, j, span.agrees))
    return found
