"""Lanes: how a run's documents are dealt among trainers, whatever their number.

A lane is every `count`-th document of each source, in an order that a seed fixes; its rows are packed
separately. A batch is therefore the same for any number of trainers, and a run can resume with another
number: lanes change hands. Documents from commands have no order; each trainer runs its own commands,
and its lanes share what they write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from worldline.core.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Lanes:
    """Lanes of a run. Trainer `rank` of `ranks` has every `ranks`-th lane."""

    count: int = 1
    rank: int = 0
    ranks: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.rank < self.ranks <= self.count:
            raise UsageError(
                f"the run deals its documents in {self.count} lanes, too few for {self.ranks} trainers: "
                f"start at most {self.count}, or start over (--fresh) with a recipe that sets more `lanes`"
            )

    @property
    def own(self) -> range:
        """Numbers of this trainer's lanes."""
        return range(self.rank, self.count, self.ranks)

    def rows_each(self, rows: int) -> int:
        """Return the rows per lane of a batch."""
        return rows // self.count

    def most_rows(self, rows: int) -> int:
        """Return the rows of the trainer that has the most."""
        return -(-self.count // self.ranks) * self.rows_each(rows)

    def check(self, rows: Iterable[int]) -> None:
        """Raise UsageError unless batches of these sizes can be split evenly into lanes."""
        if uneven := [number for number in rows if number % self.count]:
            raise UsageError(
                f"{uneven[0]} rows cannot be dealt in {self.count} lanes: set `lanes` in the recipe to a number "
                f"that divides the rows of every phase and is at least the number of trainers"
            )


# One trainer with all documents.
SINGLE_LANE = Lanes()
