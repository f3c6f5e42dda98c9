"""A part of the list of a run's samples, chosen and sorted, as JSON. It reads the index alone, never a trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.ui.web.flips import match
from worldline.ui.web.index.filter import Filters, select
from worldline.ui.web.index.index import RunIndex

ORDERS = ("asc", "desc")
MOST = 500  # samples of one answer
COUNT = 100  # by default
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
    count: int = COUNT,
    other: RunIndex | None = None,
) -> dict[str, Any]:
    """How many samples are chosen, and `count` of them from `offset` on; with `other`, how each came out there."""
    if order not in ORDERS:
        raise UsageError(f"order is one of {', '.join(ORDERS)}, not {order!r}")
    if not 0 <= count <= MOST or offset < 0:
        raise UsageError(f"count is at most {MOST} and offset at least 0, not {count} and {offset}")
    chosen = ordered(index, select(index, filters, other), sort=sort, order=order)
    part = chosen[offset : offset + count]
    found = index.table.select(FIELDS).take(pa.array(part)).to_pylist()
    others = _others(index, other, part) if other is not None else [None] * len(part)
    return {
        "total": len(chosen),
        "samples": [{**one, "other": there} for one, there in zip(found, others, strict=True)],
    }


def ordered(index: RunIndex, rows: NDArray[np.bool_], *, sort: str, order: str) -> NDArray[np.int64]:
    """The chosen rows in an order; those without a value come last either way."""
    every = index.order(sort)
    found = every[rows[every]]
    if order == "asc":
        return found
    known = int(len(found) - index.table[sort].take(pa.array(found)).null_count)
    return np.concatenate([found[:known][::-1], found[known:]])


def _others(index: RunIndex, other: RunIndex, part: NDArray[np.int64]) -> list[dict[str, Any] | None]:
    """How samples came out in the other run; None where it has no such sample."""
    partners = match(index, other).partner[part]
    known = [int(at) for at in partners if at >= 0]
    found = iter(
        other.table.select(["answer", "trace", "cause"]).take(pa.array(known, pa.int64())).to_pylist()
    )
    return [next(found) if at >= 0 else None for at in partners]
