"""What the fast kernels need to know of a batch, made once for all layers: blocks that attend, places to cut rows at.

Both are computed from the layout by formulas, on the device and in fixed sizes: nothing waits for a GPU, and the mask
of every pair of bytes, which torch would make for its blocks, never exists. A row is cut where documents begin, so that
the delta rule works on its pieces at the same time: what it does one after another is as long as a piece, not as a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask

from worldline.core.errors import UsageError
from worldline.model.mixers import BatchLayout

BLOCK = 128  # bytes a side of an attention block
PIECE = 1024  # bytes within which a row is cut at most once


@dataclass(frozen=True)
class BatchPlan:
    """`blocks` for attention; `cuts` [pieces + 1] and `chunks` [n, 2] (a piece, a chunk of it) for the delta rule."""

    blocks: Any
    cuts: Tensor
    chunks: Tensor


def plan(
    layout: BatchLayout, *, steps: int, chunk: int, compiled: Callable[[Any], Any] = lambda act: act
) -> BatchPlan:
    """The plan of a batch whose delta layers take `steps` steps a byte, `chunk` steps at a time."""
    cuts, order = compiled(_tables)(layout, steps, chunk)
    return BatchPlan(_mask(layout, order), *cuts)


def block_mask(layout: BatchLayout) -> Any:
    """Which blocks of keys the queries of each block may see, and which of them they see whole."""
    return _mask(layout, _block_order(layout))


def _tables(layout: BatchLayout, steps: int, chunk: int) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, ...]]:
    cuts = row_cuts(layout.position) * steps
    return (cuts, chunks(cuts, layout.position.numel() * steps, chunk)), _block_order(layout)


# ---- attention


def _mask(layout: BatchLayout, order: tuple[Tensor, ...]) -> Any:
    begin, until = layout.begin, layout.begin + layout.prompt.int()
    slots, kept, window = layout.slots, layout.kept, layout.window

    def visible(b: Tensor, h: Tensor, i: Tensor, n: Tensor) -> Tensor:
        low, high, j = begin[b, i], until[b, i], n - slots
        inside = (j >= low) & (j <= i)
        if not slots:
            return inside & ((j < high) | (i - j < window))
        near = inside & torch.where(j < 0, (j >= high) & (i - j < window), (j < high) | (i - j < window))
        return torch.where(n < kept, n < high.clamp(max=0) - low, near)

    time = layout.position.shape[1]
    few, some, full, every = order
    return BlockMask.from_kv_blocks(
        few, some, full, every, BLOCK_SIZE=BLOCK, mask_mod=visible, seq_lengths=(time, slots + time)
    )


def _block_order(layout: BatchLayout) -> tuple[Tensor, ...]:
    some, every = block_sight(layout)
    return *_ordered((some & ~every).unsqueeze(1)), *_ordered(every.unsqueeze(1))


def block_sight(layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """For every block of queries and every block of keys: is some pair visible, is every pair."""
    rows, time = layout.position.shape
    slots, kept, window = layout.slots, layout.kept, layout.window
    if kept % BLOCK or (slots and window % BLOCK):
        raise UsageError(f"what rows carry on, {kept} and {window} bytes, must be multiples of {BLOCK}")
    device, short = layout.position.device, -time % BLOCK
    low = functional.pad(layout.begin, (0, short), value=time + short).view(rows, -1, BLOCK, 1)
    high = low + functional.pad(layout.prompt.int(), (0, short)).view(rows, -1, BLOCK, 1)
    i = torch.arange(time + short, device=device, dtype=torch.int32).view(1, -1, BLOCK, 1)
    n = torch.arange(0, slots + time, BLOCK, device=device, dtype=torch.int32)
    a, b = n - slots, n - slots + BLOCK - 1  # a block's first and last key, counted from the row's first byte
    carried = a < 0
    lower = torch.where(carried, torch.maximum(low, high), low)
    first, last = torch.maximum(a, lower), torch.minimum(b, i)
    some = (first <= last) & ((~carried & (first < high)) | (last > i - window))
    every = (lower <= a) & (b <= i) & ((a > i - window) | (~carried & ((b < high) | (high > i - window))))
    if slots:
        until = high.clamp(max=0) - low
        some, every = (
            torch.where(n < kept, x, y) for x, y in ((n < until, some), (n + BLOCK <= until, every))
        )
    return some.any(2), every.all(2)


def _ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks of each row of blocks are set, and their numbers, those that are set first."""
    order = torch.argsort(dense.int(), dim=-1, descending=True, stable=True)
    return dense.sum(-1, dtype=torch.int32), order.int()


# ---- the delta rule


def row_cuts(position: Tensor) -> Tensor:
    """Where pieces of rows begin, counted over all rows one behind the other, and behind the last the end of all.

    At a row's first byte and, in each further `PIECE` bytes of it, where the first document begins, if one does; where
    none does, a piece is empty: it begins where the one before it did.
    """
    rows, time = position.shape
    size = min(PIECE, time)
    padded = functional.pad(position, (0, -time % size), value=1).view(rows, -1, size)
    fresh = padded == 0
    first = fresh.int().argmax(-1) + size * torch.arange(fresh.shape[1], device=position.device)
    first = torch.where(fresh.any(-1), first, 0)
    first[:, 0] = 0
    starts = first.cummax(1).values + time * torch.arange(rows, device=position.device).unsqueeze(1)
    return functional.pad(starts.flatten(), (0, 1), value=rows * time).int()


def chunks(cuts: Tensor, total: int, size: int) -> Tensor:
    """Each piece's chunks of `size`, in order; then, up to the most there can be, chunks behind the last one's end."""
    counts = (cuts.diff() + size - 1) // size
    ends = counts.cumsum(0)
    slot = torch.arange(-(-total // size) + len(counts), device=cuts.device)
    piece = torch.searchsorted(ends, slot, right=True).clamp(max=len(counts) - 1)
    return torch.stack([piece, slot - (ends - counts)[piece]], 1).int()
