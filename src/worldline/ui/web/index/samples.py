"""One page of the list of a run's samples, filtered and sorted, as JSON. It reads only the index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.storage.arrow import pa
from worldline.ui.web.flips import RowMask, match
from worldline.ui.web.index.filter import Filters, select
from worldline.ui.web.index.index import RunIndex

ORDERS = ("asc", "desc")
MAX_COUNT = 500
DEFAULT_COUNT = 100
LISTING = ("sort", "order", "offset", "count")
FIELDS = (
    "at", "name", "suite", "call", "cause", "operation", "type", "steps", "agreed", "depth", "bytes", "seconds",
    "answer", "trace", "status",
)  # fmt: skip


def samples(
    index: RunIndex,
    filters: Filters,
    *,
    sort: str = "at",
    order: str = "asc",
    offset: int = 0,
    count: int = DEFAULT_COUNT,
    other: RunIndex | None = None,
) -> dict[str, Any]:
    """List `count` of the selected samples from `offset` on; with `other`, also their verdicts in that run.

    Raises:
        UsageError: An argument is out of range.
    """
    if order not in ORDERS:
        raise UsageError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    if not 0 <= count <= MAX_COUNT or offset < 0:
        raise UsageError(f"count is at most {MAX_COUNT} and offset at least 0, not {count} and {offset}")
    selected = ordered(index, select(index, filters, other), sort=sort, order=order)
    page = selected[offset : offset + count]
    rows = index.table.select(FIELDS).take(pa.array(page)).to_pylist()
    others = _others(index, other, page) if other is not None else [None] * len(page)
    samples = [{**row, "other": verdict} for row, verdict in zip(rows, others, strict=True)]
    return {"total": len(selected), "samples": samples}


def ordered(index: RunIndex, rows: RowMask, *, sort: str, order: str) -> NDArray[np.int64]:
    """Sort the selected rows. Those without a value come last in either order."""
    order_of_all = index.order(sort)
    selected = order_of_all[rows[order_of_all]]
    if order == "asc":
        return selected
    known = int(len(selected) - index.table[sort].take(pa.array(selected)).null_count)
    return np.concatenate([selected[:known][::-1], selected[known:]])


def _others(index: RunIndex, other: RunIndex, page: NDArray[np.int64]) -> list[dict[str, Any] | None]:
    """Return the verdicts of samples in the other run; None if it has no such sample."""
    partners = match(index, other).partner[page]
    known = pa.array([int(row) for row in partners if row >= 0], pa.int64())
    verdicts = iter(other.table.select(["answer", "trace", "cause"]).take(known).to_pylist())
    return [next(verdicts) if row >= 0 else None for row in partners]
