"""The mixers of mixers.py, fast: the delta rule in chunks, attention in blocks. Same tests, same results.

On a GPU the delta rule is `fla`'s Triton kernel where that can be imported; elsewhere it is the chunked form below:
inside a chunk the product of the steps' transitions is one triangular solve (block forward substitution: the Neumann
series for its inverse diverges as beta nears 2), between chunks the state is carried. A document's start is a decay of
exp(-RESET), small enough to be nothing in float32 and large enough that differences of cumulated decays stay exact.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention

from worldline.model import batch_plan as plans
from worldline.model import mixers
from worldline.model.batch_plan import BatchPlan
from worldline.model.mixers import BatchLayout

RESET = 30.0  # exp(-30) is 1e-13
CHUNK = 64
ROWS = int(os.environ.get("WORLDLINE_CHUNK", "32"))  # of fla's chunks
CUTTING = os.environ.get("WORLDLINE_CUTS", "1") == "1"  # rows cut at documents, for fla
SPLIT = int(os.environ.get("WORLDLINE_SPLIT", "1"))  # parts of a batch in which weights' gradients are summed
WARPS = int(os.environ.get("WORLDLINE_WARPS", "4"))  # of fla's kernels
TUNED = int(os.environ.get("WORLDLINE_TUNED", "1"))  # configurations of each of fla's kernels that are tried
# The forward pass of attention in blocks: torch's own choice for Hopper spills its registers and takes 26 times longer.
BLOCKS = {"fwd_BLOCK_M": 128, "fwd_BLOCK_N": 64, "fwd_num_warps": 4, "fwd_num_stages": 3}


@contextmanager
def _untuned() -> Iterator[None]:
    """Within this, a Triton kernel is tuned over `TUNED` configurations at most: all of fla's take minutes."""
    from triton.runtime.autotuner import Autotuner  # type: ignore[import-not-found]

    begin = Autotuner.__init__

    def brief(self: Any, function: Any, names: Any, configs: Any, *rest: Any, **options: Any) -> None:
        begin(self, function, names, sorted(configs or [], key=_unfitness)[:TUNED], *rest, **options)

    Autotuner.__init__ = brief
    try:
        yield
    finally:
        Autotuner.__init__ = begin


def _unfitness(config: Any) -> tuple[int, ...]:
    """Few warps, three stages, small in values and large in keys: heads are 64 wide."""
    block = config.kwargs
    return abs(config.num_warps - WARPS), abs(config.num_stages - 3), block.get("BV", 0), -block.get("BK", 0)


def _find_fla() -> Any:
    """`fla`'s kernel, or None. Its backward is wrong where Triton 3.4 to 3.7.0 meets Hopper's 64-row matrix units
    (fla issues 640, 984), and it refuses to run there; chunks of 32 rows never reach those units, so the refusal is
    lifted and chunks are of 32 (`ROWS`). The GPU test compares it with mixers.delta_rule, gradients too.
    """
    try:
        with _untuned():
            from fla.ops.common import chunk_o  # type: ignore[import-not-found]
            from fla.ops.gated_delta_rule import chunk_gated_delta_rule  # type: ignore[import-not-found]
    except ImportError:
        return None
    chunk_o.IS_NVIDIA_HOPPER = False
    return chunk_gated_delta_rule


_fla = _find_fla()
_blocks: dict[Any, Any] = {}  # attention in blocks, compiled when first used


class _Product(torch.autograd.Function):
    """A product whose gradient by the weight is summed over `SPLIT` parts of the batch: few outputs, many terms."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return functional.linear(x, weight)

    @staticmethod
    def backward(ctx: Any, by: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        parts = (each.reshape(SPLIT, -1, each.shape[-1]) for each in (by, x))
        by_weight = torch.bmm(next(parts).mT, next(parts)).sum(0, dtype=torch.float32)
        return by @ weight, by_weight.to(weight.dtype)


def product(x: Tensor, weight: Tensor) -> Tensor:
    """x times a weight's transpose, in x's precision."""
    weight = weight.to(x.dtype)
    if SPLIT > 1 and x[..., 0].numel() % SPLIT == 0:
        return cast(Tensor, _Product.apply(x, weight))  # type: ignore[no-untyped-call]
    return functional.linear(x, weight)


def plan(layout: BatchLayout, *, steps: int) -> BatchPlan | None:
    """What the kernels need to know of a batch whose delta layers take `steps` steps a byte; on a CPU nothing."""
    if not layout.position.is_cuda:
        return None
    return plans.plan(layout, steps=steps, chunk=ROWS, compiled=compiled)


def delta_rule(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, start: Tensor,
    state: Tensor | None = None, plan: BatchPlan | None = None,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """As mixers.delta_rule. The steps of a byte become steps of a longer sequence, read at the last of each byte.

    With fla the last state is known only where one was given.
    """
    steps = k.shape[2]
    g = torch.where(start.unsqueeze(-1), -RESET, g)
    if steps > 1:
        idle = [torch.zeros_like(q)] * (steps - 1)
        q = torch.stack([*idle, q], 2).flatten(1, 2)
        g = torch.stack([g, *[torch.zeros_like(g)] * (steps - 1)], 2).flatten(1, 2)
    k, v, beta = k.flatten(1, 2), v.flatten(1, 2), beta.flatten(1, 2)
    last: Tensor | None
    if _fla is not None and q.is_cuda:
        out, last = _in_pieces(q, k, v, beta, g.float(), state, plan)
    else:
        exact = (x.float() for x in (q, k, v, beta, g))
        out, last = _chunked(*exact, state=None if state is None else state.float().mT)
        out, last = out.to(q.dtype), last.mT
    out = out.reshape(len(out), -1, steps, *out.shape[2:])[:, :, -1] if steps > 1 else out
    return out, last


def _in_pieces(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, state: Tensor | None, plan: BatchPlan | None
) -> tuple[Tensor, Tensor | None]:
    """By fla, rows behind one another and cut as planned: a row's state goes into those of its pieces that begin it."""
    options: dict[str, Any] = {"scale": 1.0, "chunk_size": ROWS}
    if plan is None or not CUTTING:
        if state is not None:
            options |= {"initial_state": state.mT.float().contiguous(), "output_final_state": True}
        out, last = _fla(q, k, v, g=g, beta=beta, **options)
        return out, None if last is None else last.mT
    rows, length = q.shape[:2]
    if state is not None:
        begins = plan.cuts[:-1].view(rows, -1) == length * torch.arange(rows, device=q.device).unsqueeze(1)
        first = torch.where(begins.view(rows, -1, 1, 1, 1), state.mT.float().unsqueeze(1), 0.0)
        options |= {"initial_state": first.flatten(0, 1).contiguous(), "output_final_state": True}
    flat = [x.reshape(1, rows * length, *x.shape[2:]) for x in (q, k, v, g, beta)]
    out, last = _fla(
        *flat[:3], g=flat[3], beta=flat[4], cu_seqlens=plan.cuts, chunk_indices=plan.chunks, **options
    )
    return out.view(rows, length, *out.shape[2:]), (
        None if last is None else last.unflatten(0, (rows, -1))[:, -1].mT
    )


def _chunked(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, *, state: Tensor | None
) -> tuple[Tensor, Tensor]:
    """One step a position: [b, t, h, d] each, beta and g [b, t, h], state [b, h, k, v]."""
    time = q.shape[1]
    q, k, v = (_chunks(x) for x in (q, k, v))  # [b, h, n, c, d]
    beta, g = _chunks(beta.unsqueeze(-1)), _chunks(g.unsqueeze(-1)).squeeze(-1)
    total = g.cumsum(-1)
    past = torch.ones(CHUNK, CHUNK, dtype=torch.bool, device=q.device).tril()
    decay = (total.unsqueeze(-1) - total.unsqueeze(-2)).masked_fill(~past, -math.inf).exp()
    mixed = ((beta * k) @ k.transpose(-1, -2) * decay).tril(-1)
    unit = torch.eye(CHUNK, device=q.device, dtype=q.dtype)
    right = torch.cat([beta * v, beta * k * total.exp().unsqueeze(-1)], -1)
    solved = torch.linalg.solve_triangular(unit + mixed, right, upper=False, unitriangular=True)
    value, key = solved.split([v.shape[-1], k.shape[-1]], -1)
    scores = q @ k.transpose(-1, -2) * decay
    if state is None:
        state = q.new_zeros(*q.shape[:2], k.shape[-1], v.shape[-1])
    out = []
    for n in range(q.shape[2]):
        fresh = value[:, :, n] - key[:, :, n] @ state
        grown = total[:, :, n].unsqueeze(-1)
        out.append((q[:, :, n] * grown.exp()) @ state + scores[:, :, n] @ fresh)
        last = grown[:, :, -1:]
        state = state * last.exp() + (k[:, :, n] * (last - grown).exp()).transpose(-1, -2) @ fresh
    return torch.stack(out, 2).flatten(2, 3)[:, :, :time].transpose(1, 2), state


def _chunks(x: Tensor) -> Tensor:
    """[b, t, h, d] as [b, h, chunks, CHUNK, d], padded by zeros."""
    x = functional.pad(x, (0, 0, 0, 0, 0, -x.shape[1] % CHUNK))
    x = x.transpose(1, 2)
    return x.reshape(*x.shape[:2], -1, CHUNK, x.shape[-1])


def attend(
    q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout, plan: BatchPlan | None = None
) -> Tensor:
    """As mixers.attend; on a GPU in blocks, skipping those that nobody sees."""
    if not q.is_cuda:
        return mixers.attend(q, k, v, slopes, layout)
    return attend_in_blocks(q, k, v, slopes, layout, plan.blocks if plan else plans.block_mask(layout))


def attend_in_blocks(
    q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout, blocks: Any
) -> Tensor:
    """As mixers.attend, by torch's attention in blocks."""
    slots, kept = layout.slots, layout.kept
    until = layout.begin + layout.prompt.int()

    def nearer(score: Tensor, b: Tensor, h: Tensor, i: Tensor, n: Tensor) -> Tensor:
        pinned = n - slots < until[b, i]
        pinned = pinned | (n < kept) if kept else pinned
        return score - torch.where(pinned, 0.0, slopes[h] * (i + slots - n))

    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    attended = compiled(flex_attention)
    out = attended(q, k, v, score_mod=nearer, block_mask=blocks, enable_gqa=True, kernel_options=BLOCKS)
    return cast(Tensor, out.transpose(1, 2))


def compiled(function: Any) -> Any:
    """A function compiled, once; inside a graph that is being compiled, the function itself."""
    if torch.compiler.is_compiling():
        return function
    if function not in _blocks:
        _blocks[function] = torch.compile(function, dynamic=False)
    return _blocks[function]
