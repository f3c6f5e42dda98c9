"""Two runs sample by sample: which samples they share, and which answers flipped from the one to the other.

A sample is shared where its place in the suite and its program are the same; it is in a count where both runs judged
it. The direction is `compare`'s: from this run to the other, so that what is gained is right in the other alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.core.stats import Paired
from worldline.ui.web.index.index import RunIndex

FLIPS = ("gained", "lost", "both", "neither")
SUMMED = 4_000  # flips whose p is a sum of whole numbers, in some milliseconds
Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class RunMatch:
    """Of each row of a run, the other run's row (-1: none), whether both judged it, and both answers."""

    partner: NDArray[np.int64]
    judged: Rows
    here: Rows
    there: Rows
    alone: tuple[int, int]

    def flipped(self, flip: str) -> Rows:
        """The rows of one kind of flip."""
        if flip not in FLIPS:
            raise UsageError(f"flip is one of {', '.join(FLIPS)}, not {flip!r}")
        is_right = {"gained": (False, True), "lost": (True, False), "both": (True, True)}
        here, there = is_right.get(flip, (False, False))
        rows: Rows = self.judged & (self.here == here) & (self.there == there)
        return rows


def match(index: RunIndex, other: RunIndex) -> RunMatch:
    """Two runs' samples, side by side."""
    partner = _partners(index, other)
    here, is_judged = _answers(index)
    answers, judged = _answers(other)
    is_shared = partner >= 0
    there = np.where(is_shared, answers[partner], False) if len(other) else np.zeros(len(index), np.bool_)
    both = is_shared & is_judged
    both &= judged[partner] if len(other) else False
    alone = int(is_judged.sum() - both.sum()), int(judged.sum() - both.sum())
    return RunMatch(partner, both, here, there, alone)


def flips(index: RunIndex, other: RunIndex, rows: Rows) -> dict[str, Any]:
    """How many of some rows flipped each way, the exact p of it, and how many samples only one of the runs judged."""
    found = match(index, other)
    counts = {flip: int((found.flipped(flip) & rows).sum()) for flip in FLIPS}
    told = {"from": index.name, "to": other.name, "n": sum(counts.values())}
    return {**counts, "p": exact(counts["lost"], counts["gained"]), "only": list(found.alone), **told}


def exact(lost: int, gained: int) -> float:
    """McNemar's exact p. Of very many flips its sum is taken in floating point, from the largest term down."""
    n, most = lost + gained, min(lost, gained)
    if n <= SUMMED:
        return Paired(regressed=lost, recovered=gained).p
    term = math.exp(math.lgamma(n + 1) - math.lgamma(most + 1) - math.lgamma(n - most + 1) - n * math.log(2))
    total = 0.0
    for k in range(most, -1, -1):
        total += term
        term *= k / (n - k + 1)
        if term < total * 1e-17:
            break
    return min(1.0, 2 * total)


def _partners(index: RunIndex, other: RunIndex) -> NDArray[np.int64]:
    """The other run's row at the same place, where that is the same program."""
    if not len(other):
        return np.full(len(index), -1)
    at = np.minimum(np.searchsorted(other.positions, index.positions), len(other) - 1)
    programs = index.table["program"].to_numpy(), other.table["program"].to_numpy()
    is_same = (other.positions[at] == index.positions) & (programs[1][at] == programs[0])
    return np.where(is_same, at, -1)


def _answers(index: RunIndex) -> tuple[Rows, Rows]:
    """Of each row, whether its answer is right, and whether it was judged at all."""
    column = index.table["answer"]
    return pc.fill_null(column, False).to_numpy(), pc.is_valid(column).to_numpy()
