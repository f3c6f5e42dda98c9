"""Fast versions of mixers.py: the delta rule in chunks, attention in blocks. Same tests, same results.

On a GPU the delta rule is `fla`'s Triton kernel if it can be imported. Otherwise it is the chunked
form below. Inside a chunk, the product of the transitions is one triangular solve (block forward
substitution: the Neumann series of the inverse diverges as beta nears 2). Between chunks the state is
carried. A document start is a decay of exp(-RESET_LOG_DECAY): zero in float32, and small enough that
differences of cumulative decays stay exact.
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
from worldline.model import gated_silu as gated_kernel
from worldline.model import mixers
from worldline.model.batch_plan import BatchPlan
from worldline.model.mixers import BatchLayout

# exp(-30) is 1e-13.
RESET_LOG_DECAY = 30.0
CHUNK_SIZE = 64
FLA_CHUNK_SIZE = int(os.environ.get("WORLDLINE_CHUNK", "32"))
# Cut rows at document starts, so that fla works on the pieces in parallel.
SHOULD_CUT_ROWS = os.environ.get("WORLDLINE_CUTS", "1") == "1"
# Parts of a batch over which the gradient of a weight is summed.
GRADIENT_SPLITS = int(os.environ.get("WORLDLINE_SPLIT", "1"))
FLA_WARPS = int(os.environ.get("WORLDLINE_WARPS", "4"))
# Warps and stages of kernels that are faster with others: measured on an H200, chunks of 32 rows, 12 heads.
FLA_LAUNCHES = {
    "chunk_bwd_kernel_dqkwg": (2, 3),
    "chunk_bwd_kernel_dv_local": (2, 3),
    "merge_16x16_to_32x32_inverse_kernel": (1, 3),
    "prepare_wy_repr_bwd_kernel": (2, 3),
    "recompute_w_u_fwd_kernel": (2, 2),
}
# Configurations that Triton tries for each of fla's kernels.
MAX_TUNED_CONFIGS = int(os.environ.get("WORLDLINE_TUNED", "1"))
# Keep what fla's backward pass would compute again: about 0.8 GB more per delta layer and 128 KB, at width 768.
SHOULD_KEEP_STATES = os.environ.get("WORLDLINE_KEEP_STATES", "1") == "1"
SHOULD_FUSE_GATES = os.environ.get("WORLDLINE_FUSE_GATES", "1") == "1"
# Flex attention, measured on an H200. Torch's own forward blocks for Hopper spill registers: 26 times slower.
FLEX_KERNEL_OPTIONS = {
    "fwd_BLOCK_M": 64,
    "fwd_BLOCK_N": 64,
    "fwd_num_warps": 4,
    "fwd_num_stages": 3,
    "bwd_BLOCK_M1": 32,
    "bwd_BLOCK_N1": 64,
    "bwd_BLOCK_M2": 64,
    "bwd_BLOCK_N2": 32,
    "bwd_num_warps": 4,
    "bwd_num_stages": 3,
}


@contextmanager
def _limit_autotuning() -> Iterator[None]:
    """Let Triton tune a kernel over at most `MAX_TUNED_CONFIGS` configurations; trying all takes minutes."""
    from triton.runtime.autotuner import Autotuner  # type: ignore[import-not-found]

    original_init = Autotuner.__init__

    def limited_init(self: Any, function: Any, names: Any, configs: Any, *args: Any, **options: Any) -> None:
        launch = FLA_LAUNCHES.get(getattr(function, "__name__", ""), (FLA_WARPS, 3))
        ranked = sorted(configs or [], key=lambda config: _config_cost(config, *launch))
        original_init(self, function, names, ranked[:MAX_TUNED_CONFIGS], *args, **options)

    Autotuner.__init__ = limited_init
    try:
        yield
    finally:
        Autotuner.__init__ = original_init


def _config_cost(config: Any, warps: int, stages: int) -> tuple[int, ...]:
    """Prefer these warps and stages, then small value blocks and large key blocks: heads are 64 wide."""
    block = config.kwargs
    return (abs(config.num_warps - warps), abs(config.num_stages - stages), block.get("BV", 0), -block.get("BK", 0))


def _find_fla() -> Any:
    """Import `fla`'s kernel, or return None.

    Its backward pass is wrong with Triton 3.4 to 3.7.0 on Hopper's 64-row matrix units (fla issues 640
    and 984), so it refuses to run there. Chunks of 32 rows never reach those units, so this lifts the
    refusal. The GPU test compares the kernel with mixers.delta_rule, gradients included.
    """
    try:
        with _limit_autotuning():
            from fla.ops.common import chunk_o  # type: ignore[import-not-found]
            from fla.ops.gated_delta_rule import chunk_gated_delta_rule  # type: ignore[import-not-found]
    except ImportError:
        return None
    chunk_o.IS_NVIDIA_HOPPER = False
    if SHOULD_KEEP_STATES:
        from worldline.model.delta_kernel import delta_rule

        return delta_rule
    return chunk_gated_delta_rule


_fla = _find_fla()
# Functions by what they were compiled from, filled on first use.
_compiled_functions: dict[Any, Any] = {}


class _SplitLinear(torch.autograd.Function):
    """Linear map whose weight gradient is summed over `GRADIENT_SPLITS` parts of the batch."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return functional.linear(x, weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        parts = (tensor.reshape(GRADIENT_SPLITS, -1, tensor.shape[-1]) for tensor in (grad, x))
        grad_weight = torch.bmm(next(parts).mT, next(parts)).sum(0, dtype=torch.float32)
        return grad @ weight, grad_weight.to(weight.dtype)


def linear(x: Tensor, weight: Tensor) -> Tensor:
    """Multiply `x` by the transpose of `weight`, in the precision of `x`."""
    weight = weight.to(x.dtype)
    if GRADIENT_SPLITS > 1 and x[..., 0].numel() % GRADIENT_SPLITS == 0:
        return cast(Tensor, _SplitLinear.apply(x, weight))  # type: ignore[no-untyped-call]
    return functional.linear(x, weight)


def gated_silu(x: Tensor) -> Tensor:
    """Return silu(gate) * value, where gate and value are the halves of `x` along the last axis."""
    if x.is_cuda and SHOULD_FUSE_GATES and gated_kernel.is_available():
        return cast(Tensor, gated_kernel.gated_silu(x))
    gate, value = x.chunk(2, -1)
    return functional.silu(gate) * value


def plan_batch(layout: BatchLayout, *, steps: int) -> BatchPlan | None:
    """Plan a batch for the GPU kernels.

    Args:
        layout: Layout of the batch.
        steps: Householder steps per byte in the delta layers.

    Returns:
        The plan, or None on a CPU, where the kernels need none.
    """
    if not layout.position.is_cuda:
        return None
    return plans.plan_batch(layout, steps=steps, chunk=FLA_CHUNK_SIZE, compiled=compile_once)


def delta_rule(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    beta: Tensor,
    g: Tensor,
    start: Tensor,
    state: Tensor | None = None,
    plan: BatchPlan | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Apply the gated delta rule, as `mixers.delta_rule` does.

    The steps of a byte become steps of a longer sequence; the output is read at the last step of each
    byte.

    Args:
        q: Queries, [b, t, h, d].
        k: Keys, [b, t, n, h, d].
        v: Values, [b, t, n, h, d].
        beta: Write rates, [b, t, n, h].
        g: Logarithm of the decay, [b, t, h].
        start: True where a document starts, [b, t].
        state: State after the previous row, [b, h, v, k]; zero by default.
        plan: Plan of the batch, for `fla`.

    Returns:
        The outputs and the last state. With `fla`, the last state is None unless `state` was passed.
    """
    steps = k.shape[2]
    g = torch.where(start.unsqueeze(-1), -RESET_LOG_DECAY, g)
    if steps > 1:
        idle = [torch.zeros_like(q)] * (steps - 1)
        q = torch.stack([*idle, q], 2).flatten(1, 2)
        g = torch.stack([g, *[torch.zeros_like(g)] * (steps - 1)], 2).flatten(1, 2)
    k, v, beta = k.flatten(1, 2), v.flatten(1, 2), beta.flatten(1, 2)
    last: Tensor | None
    if _fla is not None and q.is_cuda:
        out, last = _fla_delta_rule(q, k, v, beta, g.float(), state, plan)
    else:
        exact = (x.float() for x in (q, k, v, beta, g))
        out, last = _chunked_delta_rule(*exact, state=None if state is None else state.float().mT)
        out, last = out.to(q.dtype), last.mT
    out = out.reshape(len(out), -1, steps, *out.shape[2:])[:, :, -1] if steps > 1 else out
    return out, last


def _fla_delta_rule(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, state: Tensor | None, plan: BatchPlan | None
) -> tuple[Tensor, Tensor | None]:
    """Run `fla` on the rows end to end, cut as planned; a row's state enters the piece that starts the row."""
    options: dict[str, Any] = {"scale": 1.0, "chunk_size": FLA_CHUNK_SIZE}
    if plan is None or not SHOULD_CUT_ROWS:
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
    out, last = _fla(*flat[:3], g=flat[3], beta=flat[4], cu_seqlens=plan.cuts, chunk_indices=plan.chunks, **options)
    return out.view(rows, length, *out.shape[2:]), (None if last is None else last.unflatten(0, (rows, -1))[:, -1].mT)


def _chunked_delta_rule(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, *, state: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Run one step per position: q, k, v [b, t, h, d]; beta and g [b, t, h]; state [b, h, k, v]."""
    time = q.shape[1]
    q, k, v = (_to_chunks(x) for x in (q, k, v))  # [b, h, n, c, d]
    beta, g = _to_chunks(beta.unsqueeze(-1)), _to_chunks(g.unsqueeze(-1)).squeeze(-1)
    total = g.cumsum(-1)
    past = torch.ones(CHUNK_SIZE, CHUNK_SIZE, dtype=torch.bool, device=q.device).tril()
    decay = (total.unsqueeze(-1) - total.unsqueeze(-2)).masked_fill(~past, -math.inf).exp()
    mixed = ((beta * k) @ k.transpose(-1, -2) * decay).tril(-1)
    unit = torch.eye(CHUNK_SIZE, device=q.device, dtype=q.dtype)
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


def _to_chunks(x: Tensor) -> Tensor:
    """Reshape [b, t, h, d] to [b, h, chunks, CHUNK_SIZE, d], padded with zeros."""
    x = functional.pad(x, (0, 0, 0, 0, 0, -x.shape[1] % CHUNK_SIZE))
    x = x.transpose(1, 2)
    return x.reshape(*x.shape[:2], -1, CHUNK_SIZE, x.shape[-1])


def attend(
    q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout, plan: BatchPlan | None = None
) -> Tensor:
    """Apply attention as `mixers.attend` does; on a GPU in blocks, skipping blocks that no query sees."""
    if not q.is_cuda:
        return mixers.attend(q, k, v, slopes, layout)
    return flex_attend(q, k, v, slopes, layout, plan.blocks if plan else plans.build_block_mask(layout))


def flex_attend(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout, blocks: Any) -> Tensor:
    """Apply attention as `mixers.attend` does, with torch's flex attention.

    Args:
        q: Queries, already scaled, [b, t, h, d].
        k: Keys, [b, slots + t, kv_heads, d].
        v: Values, shaped like the keys.
        slopes: Penalty per byte of distance, one per head.
        layout: Layout of the batch.
        blocks: Block mask of the batch.

    Returns:
        The outputs, [b, t, h, d].
    """
    slots, carry = layout.slots, layout.carry
    prompt_end = layout.begin + layout.prompt.int()

    def penalize_distance(score: Tensor, b: Tensor, h: Tensor, i: Tensor, n: Tensor) -> Tensor:
        pinned = n - slots < prompt_end[b, i]
        pinned = pinned | (n < carry) if carry else pinned
        return score - torch.where(pinned, 0.0, slopes[h] * (i + slots - n))

    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    attention = compile_once(flex_attention)
    out = attention(
        q, k, v, score_mod=penalize_distance, block_mask=blocks, enable_gqa=True, kernel_options=FLEX_KERNEL_OPTIONS
    )
    return cast(Tensor, out.transpose(1, 2))


def compile_once(function: Any) -> Any:
    """Compile a function on first use. Inside a graph that is being compiled, return the function itself."""
    if torch.compiler.is_compiling():
        return function
    if function not in _compiled_functions:
        _compiled_functions[function] = torch.compile(function, dynamic=False)
    return _compiled_functions[function]
