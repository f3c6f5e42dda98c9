"""How a run's documents are dealt among trainers: in lanes, as many as the run has, whatever the number of trainers.

A lane is every so-manyth document of each source, in an order that a seed fixes; its rows are packed by themselves. So
a batch is the same however many trainers make it, and a run goes on with another number of them: lanes change hands.
What running commands write has no order; there a trainer has commands of its own, and its lanes share what they write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from worldline.core.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Lanes:
    """The lanes of a run of which trainer `rank` of `ranks` has every `ranks`th."""

    count: int = 1
    rank: int = 0
    ranks: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.rank < self.ranks <= self.count:
            raise UsageError(
                f"the documents of the run are dealt in {self.count} lanes, too few for {self.ranks} trainers: "
                f"start at most {self.count}, or begin anew (--fresh) by a recipe with more `lanes`"
            )

    @property
    def own(self) -> range:
        """The numbers of this trainer's."""
        return range(self.rank, self.count, self.ranks)

    def rows_each(self, rows: int) -> int:
        """The rows of a lane, of so many of a whole batch."""
        return rows // self.count

    def most_rows(self, rows: int) -> int:
        """The rows of the trainer that has most of them."""
        return -(-self.count // self.ranks) * self.rows_each(rows)

    def check(self, rows: Iterable[int]) -> None:
        """UsageError unless batches of so many rows can be dealt."""
        if odd := [number for number in rows if number % self.count]:
            raise UsageError(
                f"{odd[0]} rows cannot be dealt in {self.count} lanes: give the recipe `lanes` that divide the rows "
                f"of every phase, and are no fewer than its trainers"
            )


WHOLE = Lanes()  # one trainer has all there is
