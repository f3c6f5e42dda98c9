"""The mixers of mixers.py, fast: the delta rule in chunks, attention in blocks. Same tests, same results.

On a GPU the delta rule is `fla`'s Triton kernel where that can be imported; elsewhere it is the chunked form below:
inside a chunk the product of the steps' transitions is one triangular solve (block forward substitution: the Neumann
series for its inverse diverges as beta nears 2), between chunks the state is carried. A document's start is a decay of
exp(-RESET), small enough to be nothing in float32 and large enough that differences of cumulated decays stay exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from worldline.model import mixers
from worldline.model.mixers import BatchLayout

RESET = 30.0  # exp(-30) is 1e-13
CHUNK = 64
WARPS = 4  # of fla's kernels
# The forward pass of attention in blocks: torch's own choice for Hopper spills its registers and takes 26 times longer.
BLOCKS = {"fwd_BLOCK_M": 128, "fwd_BLOCK_N": 64, "fwd_num_warps": 4, "fwd_num_stages": 3}


@contextmanager
def _untuned() -> Iterator[None]:
    """Within this, a Triton kernel that would be tuned keeps one configuration: tuning all of fla's takes minutes."""
    from triton.runtime.autotuner import Autotuner  # type: ignore[import-not-found]

    begin = Autotuner.__init__

    def brief(self: Any, function: Any, names: Any, configs: Any, *rest: Any, **options: Any) -> None:
        begin(self, function, names, sorted(configs or [], key=_unfitness)[:1], *rest, **options)

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
    lifted and chunks are 32 everywhere. The GPU test compares it with mixers.delta_rule, gradients too.
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


def delta_rule(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, start: Tensor) -> Tensor:
    """As mixers.delta_rule. The steps of a byte become steps of a longer sequence, read at the last of each byte."""
    steps = k.shape[2]
    g = torch.where(start.unsqueeze(-1), -RESET, g)
    if steps > 1:
        idle = [torch.zeros_like(q)] * (steps - 1)
        q = torch.stack([*idle, q], 2).flatten(1, 2)
        g = torch.stack([g, *[torch.zeros_like(g)] * (steps - 1)], 2).flatten(1, 2)
    k, v, beta = k.flatten(1, 2), v.flatten(1, 2), beta.flatten(1, 2)
    if _fla is not None and q.is_cuda:
        out = _fla(q, k, v, g=g.float(), beta=beta, scale=1.0, chunk_size=32)[0]
    else:
        out = _chunked(q.float(), k.float(), v.float(), beta.float(), g.float()).to(q.dtype)
    return cast(Tensor, out.unflatten(1, (-1, steps))[:, :, -1] if steps > 1 else out)


def _chunked(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor) -> Tensor:
    """One step a position: [b, t, h, d] each, beta and g [b, t, h]."""
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
    state = q.new_zeros(*q.shape[:2], k.shape[-1], v.shape[-1])
    out = []
    for n in range(q.shape[2]):
        fresh = value[:, :, n] - key[:, :, n] @ state
        grown = total[:, :, n].unsqueeze(-1)
        out.append((q[:, :, n] * grown.exp()) @ state + scores[:, :, n] @ fresh)
        last = grown[:, :, -1:]
        state = state * last.exp() + (k[:, :, n] * (last - grown).exp()).transpose(-1, -2) @ fresh
    return torch.stack(out, 2).flatten(2, 3)[:, :, :time].transpose(1, 2)


def _chunks(x: Tensor) -> Tensor:
    """[b, t, h, d] as [b, h, chunks, CHUNK, d], padded by zeros."""
    x = functional.pad(x, (0, 0, 0, 0, 0, -x.shape[1] % CHUNK))
    x = x.transpose(1, 2)
    return x.reshape(*x.shape[:2], -1, CHUNK, x.shape[-1])


def attend(
    q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout, blocks: Any = None
) -> Tensor:
    """As mixers.attend; on a GPU in blocks, skipping those that nobody sees (`blocks` as `block_mask` made it)."""
    if not q.is_cuda:
        return mixers.attend(q, k, v, slopes, layout)
    pinned = layout.pinned

    def nearer(score: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return score - torch.where(pinned[b, j], 0.0, slopes[h] * (i - j))

    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    attended = _compiled(flex_attention)
    out = attended(q, k, v, score_mod=nearer, block_mask=blocks, enable_gqa=True, kernel_options=BLOCKS)
    return cast(Tensor, out.transpose(1, 2))


def block_mask(layout: BatchLayout) -> Any:
    """Which blocks of which rows attend to which: once a batch, shared by its attention layers. None on a CPU."""
    if not layout.position.is_cuda:
        return None
    document, pinned, window = layout.document, layout.pinned, layout.window

    def visible(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return (document[b, i] == document[b, j]) & (i >= j) & (pinned[b, j] | (i - j < window))

    batch, time = layout.position.shape
    return _compiled(create_block_mask)(visible, batch, None, time, time, device=layout.position.device)


def _compiled(function: Any) -> Any:
    """A function compiled, once; inside a graph that is being compiled, the function itself."""
    if torch.compiler.is_compiling():
        return function
    if function not in _blocks:
        _blocks[function] = torch.compile(function, dynamic=False)
    return _blocks[function]
