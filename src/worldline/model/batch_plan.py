"""Batch plan of the fast kernels: which blocks attend, and where rows are cut. Made once for all layers.

Formulas compute both from the layout, on the device and in fixed sizes. Nothing waits for the GPU, and
torch never builds its mask of every pair of bytes. Rows are cut where documents start, so that the
delta rule runs on the pieces in parallel: its sequential part is as long as a piece, not as a row.
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

# Bytes per side of an attention block.
ATTENTION_BLOCK = 128
# Bytes within which a row is cut at most once.
CUT_SPAN = 1024


@dataclass(frozen=True)
class BatchPlan:
    """What the kernels know about a batch.

    Attributes:
        blocks: Block mask for attention.
        cuts: Where pieces of rows start, and the end: [pieces + 1].
        chunks: Piece, and chunk within the piece: [n, 2].
    """

    blocks: Any
    cuts: Tensor
    chunks: Tensor


def plan_batch(
    layout: BatchLayout, *, steps: int, chunk: int, compiled: Callable[[Any], Any] = lambda function: function
) -> BatchPlan:
    """Plan a batch.

    Args:
        layout: Layout of the batch.
        steps: Householder steps per byte in the delta layers.
        chunk: Steps that the delta rule processes at a time.
        compiled: Compiles a function; the identity by default.

    Returns:
        The plan.
    """
    cuts, order = compiled(_compute_tables)(layout, steps, chunk)
    return BatchPlan(_build_mask(layout, order), *cuts)


def build_block_mask(layout: BatchLayout) -> Any:
    """Build the mask of key blocks that each query block may see, and sees completely."""
    return _build_mask(layout, _order_blocks(layout))


def _compute_tables(layout: BatchLayout, steps: int, chunk: int) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, ...]]:
    cuts = find_row_cuts(layout.position) * steps
    return (cuts, list_chunks(cuts, layout.position.numel() * steps, chunk)), _order_blocks(layout)


# Attention


def _build_mask(layout: BatchLayout, order: tuple[Tensor, ...]) -> Any:
    begin, prompt_end = layout.begin, layout.begin + layout.prompt.int()
    slots, carry, window = layout.slots, layout.carry, layout.window

    def visible(b: Tensor, h: Tensor, i: Tensor, n: Tensor) -> Tensor:
        low, high, j = begin[b, i], prompt_end[b, i], n - slots
        inside = (j >= low) & (j <= i)
        if not slots:
            return inside & ((j < high) | (i - j < window))
        near = inside & torch.where(j < 0, (j >= high) & (i - j < window), (j < high) | (i - j < window))
        return torch.where(n < carry, n < high.clamp(max=0) - low, near)

    time = layout.position.shape[1]
    partial_counts, partial_indices, full_counts, full_indices = order
    return BlockMask.from_kv_blocks(
        partial_counts,
        partial_indices,
        full_counts,
        full_indices,
        BLOCK_SIZE=ATTENTION_BLOCK,
        mask_mod=visible,
        seq_lengths=(time, slots + time),
    )


def _order_blocks(layout: BatchLayout) -> tuple[Tensor, ...]:
    visible, full = find_visible_blocks(layout)
    return *_sort_blocks((visible & ~full).unsqueeze(1)), *_sort_blocks(full.unsqueeze(1))


def find_visible_blocks(layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """Find, for every query block and key block, whether any pair and whether every pair is visible.

    Args:
        layout: Layout of the batch.

    Returns:
        Two boolean tensors, [rows, query blocks, key blocks]: any pair visible, every pair visible.

    Raises:
        UsageError: The carried prompt or the window is not a multiple of `ATTENTION_BLOCK`.
    """
    rows, time = layout.position.shape
    slots, carry, window = layout.slots, layout.carry, layout.window
    if carry % ATTENTION_BLOCK or (slots and window % ATTENTION_BLOCK):
        raise UsageError(f"carry ({carry}) and window ({window}) must be multiples of {ATTENTION_BLOCK} bytes")
    device, padding = layout.position.device, -time % ATTENTION_BLOCK
    low = functional.pad(layout.begin, (0, padding), value=time + padding).view(rows, -1, ATTENTION_BLOCK, 1)
    high = low + functional.pad(layout.prompt.int(), (0, padding)).view(rows, -1, ATTENTION_BLOCK, 1)
    i = torch.arange(time + padding, device=device, dtype=torch.int32).view(1, -1, ATTENTION_BLOCK, 1)
    n = torch.arange(0, slots + time, ATTENTION_BLOCK, device=device, dtype=torch.int32)
    # Counted from the row's first byte.
    first_key, last_key = n - slots, n - slots + ATTENTION_BLOCK - 1
    carried = first_key < 0
    lower = torch.where(carried, torch.maximum(low, high), low)
    first, last = torch.maximum(first_key, lower), torch.minimum(last_key, i)
    any_visible = (first <= last) & ((~carried & (first < high)) | (last > i - window))
    all_visible = (
        (lower <= first_key)
        & (last_key <= i)
        & ((first_key > i - window) | (~carried & ((last_key < high) | (high > i - window))))
    )
    if slots:
        carried_end = high.clamp(max=0) - low
        any_visible, all_visible = (
            torch.where(n < carry, x, y)
            for x, y in ((n < carried_end, any_visible), (n + ATTENTION_BLOCK <= carried_end, all_visible))
        )
    return any_visible.any(2), all_visible.all(2)


def _sort_blocks(dense: Tensor) -> tuple[Tensor, Tensor]:
    """Number of set blocks per row of blocks, and block numbers with the set ones first."""
    order = torch.argsort(dense.int(), dim=-1, descending=True, stable=True)
    return dense.sum(-1, dtype=torch.int32), order.int()


# Delta rule


def find_row_cuts(position: Tensor) -> Tensor:
    """Find where to cut rows, counted over all rows end to end.

    A row is cut at its first byte and, in each further `CUT_SPAN` bytes, where the first document starts.
    A span without a document start yields an empty piece.

    Args:
        position: Position of every byte in its document, [rows, time].

    Returns:
        The start of every piece, followed by the total number of bytes.
    """
    rows, time = position.shape
    size = min(CUT_SPAN, time)
    padded = functional.pad(position, (0, -time % size), value=1).view(rows, -1, size)
    fresh = padded == 0
    first = fresh.int().argmax(-1) + size * torch.arange(fresh.shape[1], device=position.device)
    first = torch.where(fresh.any(-1), first, 0)
    first[:, 0] = 0
    starts = first.cummax(1).values + time * torch.arange(rows, device=position.device).unsqueeze(1)
    return functional.pad(starts.flatten(), (0, 1), value=rows * time).int()


def list_chunks(cuts: Tensor, total: int, size: int) -> Tensor:
    """List the chunks of each piece in order.

    Args:
        cuts: Piece boundaries.
        total: Number of steps in the batch.
        size: Steps per chunk.

    Returns:
        Piece and chunk number, [n, 2]. `n` is the maximum possible; surplus chunks lie after the end.
    """
    counts = (cuts.diff() + size - 1) // size
    ends = counts.cumsum(0)
    slot = torch.arange(-(-total // size) + len(counts), device=cuts.device)
    piece = torch.searchsorted(ends, slot, right=True).clamp(max=len(counts) - 1)
    return torch.stack([piece, slot - (ends - counts)[piece]], 1).int()
