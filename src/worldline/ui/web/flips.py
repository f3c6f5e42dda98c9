"""Two runs sample by sample: which samples they share, and which answers flipped from one to the other.

A sample is shared if its position in the suite and its program are the same; it is counted if both runs judged it.
The direction is that of `compare`, from this run to the other: a gained sample is right in the other run only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.core.stats import Paired
from worldline.storage.arrow import pc
from worldline.ui.web.index.index import RunIndex

FLIPS = ("gained", "lost", "both", "neither")
MAX_EXACT_FLIPS = 4_000  # up to here p is a sum of integers, which takes milliseconds
RowMask = NDArray[np.bool_]


@dataclass(frozen=True)
class RunMatch:
    """For each row of a run: the other run's row (-1: none), whether both judged it, and both answers.

    `alone` counts the samples that only this run, and only the other, has judged.
    """

    partner: NDArray[np.int64]
    judged: RowMask
    is_right: RowMask
    is_right_in_other: RowMask
    alone: tuple[int, int]

    def flipped(self, flip: str) -> RowMask:
        """Return the rows of one kind of flip."""
        if flip not in FLIPS:
            raise UsageError(f"flip is one of {', '.join(FLIPS)}, not {flip!r}")
        is_right = {"gained": (False, True), "lost": (True, False), "both": (True, True)}
        here, there = is_right.get(flip, (False, False))
        rows: RowMask = self.judged & (self.is_right == here) & (self.is_right_in_other == there)
        return rows


def match(index: RunIndex, other: RunIndex) -> RunMatch:
    """Match the samples of two runs."""
    partner = _partners(index, other)
    is_right, is_judged = _answers(index)
    other_right, other_judged = _answers(other)
    is_shared = partner >= 0
    if len(other):
        right_in_other = np.where(is_shared, other_right[partner], False)
        both = is_shared & is_judged & other_judged[partner]
    else:
        right_in_other = both = np.zeros(len(index), np.bool_)
    alone = int(is_judged.sum() - both.sum()), int(other_judged.sum() - both.sum())
    return RunMatch(partner, both, is_right, right_in_other, alone)


def flips(index: RunIndex, other: RunIndex, rows: RowMask) -> dict[str, Any]:
    """Count the flips among some rows, with McNemar's exact p."""
    matched = match(index, other)
    counts = {flip: int((matched.flipped(flip) & rows).sum()) for flip in FLIPS}
    return {
        **counts,
        "p": exact(counts["lost"], counts["gained"]),
        "only": list(matched.alone),
        "from": index.name,
        "to": other.name,
        "n": sum(counts.values()),
    }


def exact(lost: int, gained: int) -> float:
    """Return McNemar's exact p. For very many flips the sum is taken in floating point, largest term first."""
    n, fewer = lost + gained, min(lost, gained)
    if n <= MAX_EXACT_FLIPS:
        return Paired(regressed=lost, recovered=gained).p
    term = math.exp(math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1) - n * math.log(2))
    total = 0.0
    for k in range(fewer, -1, -1):
        total += term
        term *= k / (n - k + 1)
        if term < total * 1e-17:
            break
    return min(1.0, 2 * total)


def _partners(index: RunIndex, other: RunIndex) -> NDArray[np.int64]:
    """Return the other run's row at each position, -1 unless it has the same program."""
    if not len(other):
        return np.full(len(index), -1)
    at = np.minimum(np.searchsorted(other.positions, index.positions), len(other) - 1)
    programs = index.table["program"].to_numpy(), other.table["program"].to_numpy()
    is_same = (other.positions[at] == index.positions) & (programs[1][at] == programs[0])
    return np.where(is_same, at, -1)


def _answers(index: RunIndex) -> tuple[RowMask, RowMask]:
    """Return for each row whether its answer is right, and whether it was judged."""
    column = index.table["answer"]
    return pc.fill_null(column, False).to_numpy(), pc.is_valid(column).to_numpy()
