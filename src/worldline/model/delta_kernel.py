"""The gated delta rule by `fla`'s kernels, with what the backward pass needs kept instead of computed again.

`fla` computes the chunks' transitions and states twice to save memory. Here they are saved: an eighth of the
delta layers' time. Needs `fla` and a GPU; kernels.py imports this module where both are present.
"""

from __future__ import annotations

from typing import Any

import torch
from fla.ops.common.chunk_delta_h import chunk_gated_delta_rule_bwd_dhu, chunk_gated_delta_rule_fwd_h  # type: ignore[import-not-found]
from fla.ops.common.chunk_o import chunk_bwd_dqkwg, chunk_bwd_dv_local, chunk_fwd_o  # type: ignore[import-not-found]
from fla.ops.gated_delta_rule.chunk_fwd import chunk_gated_delta_rule_fwd_intra  # type: ignore[import-not-found]
from fla.ops.gated_delta_rule.wy_fast import prepare_wy_repr_bwd  # type: ignore[import-not-found]
from fla.ops.utils import chunk_local_cumsum  # type: ignore[import-not-found]
from fla.ops.utils.constant import RCP_LN2  # type: ignore[import-not-found]
from torch import Tensor


class _DeltaRule(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        g: Tensor,
        beta: Tensor,
        state: Tensor | None,
        cuts: Tensor | None,
        chunks: Tensor | None,
        size: int,
        last: bool,
    ) -> tuple[Tensor, Tensor | None]:
        q, k, v, g, beta = (x.contiguous() for x in (q, k, v, g, beta))
        where = {"cu_seqlens": cuts, "chunk_indices": chunks, "chunk_size": size}
        g = chunk_local_cumsum(g, scale=RCP_LN2, **where)
        w, u, solved = chunk_gated_delta_rule_fwd_intra(k=k, v=v, g=g, beta=beta, **where)
        states, fresh, end = chunk_gated_delta_rule_fwd_h(
            k=k, w=w, u=u, g=g, initial_state=state, output_final_state=last, **where
        )
        out = chunk_fwd_o(q=q, k=k, v=fresh, h=states, g=g, scale=1.0, **where)
        ctx.save_for_backward(q, k, v, g, beta, w, solved, states, fresh, state, cuts, chunks)
        ctx.size = size
        return out.to(q.dtype), end

    @staticmethod
    def backward(ctx: Any, grad: Tensor, grad_end: Tensor | None) -> tuple[Tensor | None, ...]:
        q, k, v, g, beta, w, solved, states, fresh, state, cuts, chunks = ctx.saved_tensors
        grad = grad.contiguous()
        where = {"cu_seqlens": cuts, "chunk_indices": chunks, "chunk_size": ctx.size}
        by_fresh = chunk_bwd_dv_local(q=q, k=k, g=g, do=grad, scale=1.0, **where)
        by_states, by_first, by_fresh = chunk_gated_delta_rule_bwd_dhu(
            q=q, k=k, w=w, g=g, h0=state, dht=grad_end, do=grad, dv=by_fresh, scale=1.0, **where
        )
        by_q, by_k, by_w, by_g = chunk_bwd_dqkwg(
            q=q, k=k, v=fresh, w=w, g=g, h=states, dv=by_fresh, do=grad, dh=by_states, scale=1.0, **where
        )
        more_k, by_v, by_beta, more_g = prepare_wy_repr_bwd(
            k=k, v=v, beta=beta, g=g, A=solved, dw=by_w, du=by_fresh, cu_seqlens=cuts, chunk_indices=chunks
        )
        by_g = chunk_local_cumsum(by_g.add_(more_g), reverse=True, **where)
        gradients = (by_q.to(q), by_k.add_(more_k).to(k), by_v.to(v), by_g.to(g), by_beta.to(beta))
        return *gradients, by_first, None, None, None, None


@torch.compiler.disable  # type: ignore[untyped-decorator]
def delta_rule(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    g: Tensor,
    beta: Tensor,
    scale: float,
    chunk_size: int,
    initial_state: Tensor | None = None,
    output_final_state: bool = False,
    cu_seqlens: Tensor | None = None,
    chunk_indices: Tensor | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Apply the gated delta rule, with the arguments of fla's `chunk_gated_delta_rule`; `scale` is 1."""
    assert scale == 1.0
    return _DeltaRule.apply(  # type: ignore[no-any-return,no-untyped-call]
        q, k, v, g, beta, initial_state, cu_seqlens, chunk_indices, chunk_size, output_final_state
    )
