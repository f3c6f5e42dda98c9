"""A sum, its norm and a short convolution of that in one pass over memory, forwards and backwards, on a GPU.

What `Layer` does before each of its matrices is bound by memory: the stream is read and written, little is computed.
Here a byte's three predecessors are read again (from a cache) and normed again instead of being stored. The gradient by
the taps is summed in the pass that makes the gradient by the stream. `plain` is the specification, and runs elsewhere.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from worldline.model.shape import TAPS

try:
    import triton  # type: ignore[import-not-found]
    import triton.language as tl  # type: ignore[import-not-found]
except ImportError:
    triton = tl = None

EPSILON = 1e-6
ROWS = 4  # bytes that a program holds at a time
PROGRAMS = 1188  # of the backward pass: each sums its share of the taps' gradient
_FORWARD = "(Tensor x, Tensor? added, Tensor taps, Tensor position, Tensor? tail) -> (Tensor, Tensor)"
_BACKWARD = (
    "(Tensor summed, Tensor taps, Tensor position, Tensor? by_summed, Tensor by_out) -> (Tensor, Tensor)"
)
ENABLED = os.environ.get("WORLDLINE_FUSED", "1") == "1"


def norm(x: Tensor) -> Tensor:
    """To unit root mean square along the last axis."""
    return functional.rms_norm(x, (x.shape[-1],), eps=EPSILON)


def plain(
    x: Tensor, added: Tensor | None, taps: Tensor, position: Tensor, tail: Tensor | None
) -> tuple[Tensor, Tensor]:
    """x + added, and the short convolution of its norm; `tail` is the end of the row before, normed."""
    x = x if added is None else x + added
    normed, taps = norm(x), taps.to(x.dtype)
    out = normed * (1 + taps[0])
    longer = functional.pad(normed, (0, 0, TAPS - 1, 0)) if tail is None else torch.cat([tail, normed], 1)
    for back in range(1, TAPS):
        earlier = longer[:, TAPS - 1 - back :][:, : x.shape[1]]
        out = out + torch.where((position >= back).unsqueeze(-1), earlier, 0.0) * taps[back]
    return x, out


def convolved(
    x: Tensor, added: Tensor | None, taps: Tensor, position: Tensor, tail: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """As `plain`; on a GPU in one kernel."""
    if triton is None or not ENABLED or not x.is_cuda:
        return plain(x, added, taps, position, tail)
    summed, out = _forward(x, added, taps, position, tail)
    return x if added is None else summed, out


if triton is not None:

    @triton.jit  # type: ignore[untyped-decorator]
    def _forward_kernel(  # type: ignore[no-untyped-def]
        x, added, taps, position, tail, summed, out, time, size,
        ADDED: tl.constexpr, TAIL: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    ):  # fmt: skip
        row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
        column = tl.arange(0, BLOCK)
        inside, wide = row < size, column < WIDTH
        place = tl.load(position + row, mask=inside, other=0)
        at = (row % time).to(tl.int32)
        result = tl.zeros([ROWS, BLOCK], tl.float32)
        for back in tl.static_range(0, 4):
            own = inside & (place >= back) & (at >= back)
            where = (row - back)[:, None] * WIDTH + column[None, :]
            mask = own[:, None] & wide[None, :]
            value = tl.load(x + where, mask=mask, other=0.0).to(tl.float32)
            if ADDED:
                value += tl.load(added + where, mask=mask, other=0.0).to(tl.float32)
                value = value.to(x.dtype.element_ty)
                if back == 0:
                    tl.store(summed + where, value, mask=mask)
                value = value.to(tl.float32)
            value *= tl.rsqrt(tl.sum(value * value, 1) / WIDTH + 1e-6)[:, None]
            if TAIL:
                before = inside & (place >= back) & (at < back)
                there = ((row // time) * 3 + 3 + at - back)[:, None] * WIDTH + column[None, :]
                value += tl.load(tail + there, mask=before[:, None] & wide[None, :], other=0.0).to(tl.float32)
            tap = tl.load(taps + back * WIDTH + column, mask=wide, other=0.0).to(tl.float32)
            if back == 0:
                tap += 1.0
            result += value * tap[None, :]
        where = row[:, None] * WIDTH + column[None, :]
        tl.store(out + where, result.to(out.dtype.element_ty), mask=inside[:, None] & wide[None, :])

    @triton.jit  # type: ignore[untyped-decorator]
    def _backward_kernel(  # type: ignore[no-untyped-def]
        summed, taps, position, by_summed, by_out, by_x, by_taps, time, size,
        TILES: tl.constexpr, SUMMED: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    ):  # fmt: skip
        program, column = tl.program_id(0), tl.arange(0, BLOCK)
        wide = column < WIDTH
        tap0 = tl.load(taps + column, mask=wide, other=0.0).to(tl.float32) + 1.0
        tap1 = tl.load(taps + WIDTH + column, mask=wide, other=0.0).to(tl.float32)
        tap2 = tl.load(taps + 2 * WIDTH + column, mask=wide, other=0.0).to(tl.float32)
        tap3 = tl.load(taps + 3 * WIDTH + column, mask=wide, other=0.0).to(tl.float32)
        sum0 = tl.zeros([BLOCK], tl.float32)
        sum1 = tl.zeros([BLOCK], tl.float32)
        sum2 = tl.zeros([BLOCK], tl.float32)
        sum3 = tl.zeros([BLOCK], tl.float32)
        for tile in range(0, TILES):
            row = (program.to(tl.int64) * TILES + tile) * ROWS + tl.arange(0, ROWS)
            inside = row < size
            at = (row % time).to(tl.int32)
            where = row[:, None] * WIDTH + column[None, :]
            mask = inside[:, None] & wide[None, :]
            value = tl.load(summed + where, mask=mask, other=0.0).to(tl.float32)
            scale = tl.rsqrt(tl.sum(value * value, 1) / WIDTH + 1e-6)
            value *= scale[:, None]
            by = tl.load(by_out + where, mask=mask, other=0.0).to(tl.float32)
            sum0 += tl.sum(by * value, 0)
            total = by * tap0[None, :]
            for ahead in tl.static_range(1, 4):
                later = inside & (at + ahead < time)
                later = later & (tl.load(position + row + ahead, mask=later, other=0) >= ahead)
                by = tl.load(
                    by_out + where + ahead * WIDTH, mask=later[:, None] & wide[None, :], other=0.0
                ).to(tl.float32)
                if ahead == 1:
                    sum1 += tl.sum(by * value, 0)
                    total += by * tap1[None, :]
                if ahead == 2:
                    sum2 += tl.sum(by * value, 0)
                    total += by * tap2[None, :]
                if ahead == 3:
                    sum3 += tl.sum(by * value, 0)
                    total += by * tap3[None, :]
            mean = tl.sum(total * value, 1) / WIDTH
            change = (total - value * mean[:, None]) * scale[:, None]
            if SUMMED:
                change += tl.load(by_summed + where, mask=mask, other=0.0).to(tl.float32)
            tl.store(by_x + where, change.to(by_x.dtype.element_ty), mask=mask)
        start = by_taps + program * 4 * WIDTH + column
        tl.store(start, sum0, mask=wide)
        tl.store(start + WIDTH, sum1, mask=wide)
        tl.store(start + 2 * WIDTH, sum2, mask=wide)
        tl.store(start + 3 * WIDTH, sum3, mask=wide)


@torch.library.custom_op("worldline::norm_short", mutates_args=(), schema=_FORWARD)
def _forward(
    x: Tensor, added: Tensor | None, taps: Tensor, position: Tensor, tail: Tensor | None
) -> tuple[Tensor, Tensor]:
    x, added = x.contiguous(), None if added is None else added.contiguous()
    rows, time, width = x.shape
    out, size = torch.empty_like(x), rows * time
    summed = torch.empty_like(x) if added is not None else x.new_empty(0)
    _forward_kernel[(triton.cdiv(size, ROWS),)](
        x, added, taps, position.contiguous(), tail, summed, out, time, size,
        ADDED=added is not None, TAIL=tail is not None, WIDTH=width, BLOCK=triton.next_power_of_2(width), ROWS=ROWS,
        num_warps=4,
    )  # fmt: skip
    return summed, out


@_forward.register_fake
def _(
    x: Tensor, added: Tensor | None, taps: Tensor, position: Tensor, tail: Tensor | None
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(x) if added is not None else x.new_empty(0), torch.empty_like(x)


@torch.library.custom_op("worldline::norm_short_backward", mutates_args=(), schema=_BACKWARD)
def _backward(
    summed: Tensor, taps: Tensor, position: Tensor, by_summed: Tensor | None, by_out: Tensor
) -> tuple[Tensor, Tensor]:
    summed = summed.contiguous()
    rows, time, width = summed.shape
    size = rows * time
    programs = min(PROGRAMS, triton.cdiv(size, ROWS))
    tiles = triton.cdiv(triton.cdiv(size, ROWS), programs)
    by_x, by_taps = torch.empty_like(summed), taps.new_empty(programs, TAPS, width, dtype=torch.float32)
    _backward_kernel[(programs,)](
        summed, taps, position.contiguous(), by_summed, by_out, by_x, by_taps, time, size,
        TILES=tiles, SUMMED=by_summed is not None, WIDTH=width, BLOCK=triton.next_power_of_2(width), ROWS=ROWS,
        num_warps=4,
    )  # fmt: skip
    return by_x, by_taps.sum(0)


@_backward.register_fake
def _(
    summed: Tensor, taps: Tensor, position: Tensor, by_summed: Tensor | None, by_out: Tensor
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(summed), taps.new_empty(taps.shape, dtype=torch.float32)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    x, added, taps, position, tail = inputs
    ctx.save_for_backward(x if added is None else output[0], taps, position, tail)
    ctx.is_sum = added is not None


def _gradients(ctx: Any, by_summed: Tensor | None, by_out: Tensor) -> tuple[Tensor | None, ...]:
    summed, taps, position, tail = ctx.saved_tensors
    by_summed = by_summed.contiguous() if by_summed is not None and ctx.is_sum else None
    by_x, by_taps = _backward(summed, taps, position, by_summed, by_out.contiguous())
    if tail is not None:
        by_taps = by_taps + _by_tail(position, tail, by_out)
    return by_x, by_x if ctx.is_sum else None, by_taps.to(taps.dtype), None, None


def _by_tail(position: Tensor, tail: Tensor, by_out: Tensor) -> Tensor:
    """What the first bytes of rows add to the gradient by the taps: they see the row before."""
    parts = [torch.zeros_like(by_out[0, 0], dtype=torch.float32)]
    for back in range(1, TAPS):
        early = (position[:, :back] >= back).unsqueeze(-1)
        parts.append(
            (torch.where(early, by_out[:, :back].float(), 0.0) * tail[:, TAPS - 1 - back :][:, :back]).sum(
                (0, 1)
            )
        )
    return torch.stack(parts)


_forward.register_autograd(_gradients, setup_context=_keep)
