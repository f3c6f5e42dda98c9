"""The fused kernel computes what `plain` does, gradients too: on a GPU, or interpreted where Triton can be imported."""

from __future__ import annotations

import os

import pytest
import torch
from torch import Tensor

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ.setdefault("TRITON_INTERPRET", "1")
pytest.importorskip("triton", reason="needs Triton")

from worldline.model import fused  # noqa: E402


def given(*, is_sum: bool, has_tail: bool, width: int = 24, time: int = 37) -> list[Tensor | None]:
    """Three rows: documents that begin at the start, at once again, and one that goes on from the row before."""
    torch.manual_seed(1)
    position = torch.stack(
        [
            torch.cat([torch.arange(size) for size in (11, 1, 2, 23)]),
            torch.cat([torch.arange(size) for size in (36, 1)]),
            torch.cat([torch.arange(5 * has_tail, 5 * has_tail + 20), torch.arange(17)]),
        ]
    )
    x, added = torch.randn(2, 3, time, width)
    return [
        x, added if is_sum else None, torch.randn(4, width), position.int(),
        torch.randn(3, 3, width) if has_tail else None,
    ]  # fmt: skip


@pytest.mark.parametrize("is_sum", [True, False])
@pytest.mark.parametrize("has_tail", [True, False])
def test_the_kernel_is_the_plain_one(is_sum: bool, has_tail: bool) -> None:
    inputs = [None if x is None else x.to(DEVICE) for x in given(is_sum=is_sum, has_tail=has_tail)]
    found = []
    for act in (fused.plain, fused._forward):
        leaves = [
            x.detach().clone().requires_grad_() if x is not None and n < 3 else x
            for n, x in enumerate(inputs)
        ]
        summed, out = act(*leaves)
        weights = torch.randn(2, *out.shape, generator=torch.Generator().manual_seed(2)).to(DEVICE)
        total = (out * weights[0]).sum() + ((summed * weights[1]).sum() if is_sum else 0)
        total.backward()
        results = [out, *([summed] if is_sum else []), *(x.grad for x in leaves[:3] if x is not None)]
        found.append(results)
    for wanted, got in zip(*found, strict=True):
        assert torch.allclose(wanted, got, atol=2e-4), float((wanted - got).abs().max())
