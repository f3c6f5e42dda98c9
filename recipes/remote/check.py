"""Compares the GPU's delta rule and attention with the naive ones, gradients included; exits 1 where they differ."""

from __future__ import annotations

import sys
from time import monotonic

import torch
from torch import Tensor

from worldline.model import kernels, mixers
from worldline.model.hybrid import norm, unit
from worldline.model.mixers import BatchLayout
from worldline.model.shape import HEAD, SHARED, Shape


def main() -> int:
    """The largest relative error of each output and of each gradient, in bfloat16."""
    begun = monotonic()
    torch.manual_seed(0)
    errors = {"delta rule": _delta_rule(torch.device("cuda")), "attention": _attention(torch.device("cuda"))}
    print("relative errors", errors, f"{monotonic() - begun:.1f} s", flush=True)
    return int(kernels._fla is None or max(max(each) for each in errors.values()) > 0.03)


def _delta_rule(device: torch.device) -> list[float]:
    shape = (2, 200, 7, 64)
    q, k, v = (torch.randn(shape) for _ in range(3))
    beta, g = 2 * torch.sigmoid(3 * torch.randn(shape[:3])), -0.1 * torch.rand(shape[:3])
    g[..., 3:] = 0
    start = torch.zeros(shape[:2], dtype=torch.bool)
    start[:, [0, 40, 42, 55]] = True
    slow = [x.requires_grad_() for x in (unit(q), unit(k).unsqueeze(2), v.unsqueeze(2), beta.unsqueeze(2), g)]
    fast = [x.detach().to(device, torch.bfloat16) for x in slow[:4]] + [slow[4].detach().to(device)]
    fast = [x.requires_grad_() for x in fast]
    return _errors(mixers.delta_rule(*slow, start), slow, kernels.delta_rule(*fast, start.to(device)), fast)


def _attention(device: torch.device) -> list[float]:
    shape, time = Shape(window=100), 640
    position = torch.cat([torch.arange(n) for n in (300, 5, 335)]).expand(2, time)
    layout = BatchLayout(position, torch.full_like(position, 120), shape.window)
    there = BatchLayout(position.to(device), layout.prompt.to(device), shape.window)
    slow = [norm(torch.randn(2, time, heads, HEAD)) for heads in (shape.queries, SHARED, SHARED)]
    slow = [x.requires_grad_() for x in slow]
    fast = [x.detach().to(device, torch.bfloat16).requires_grad_() for x in slow]
    slopes = torch.tensor(shape.slopes)
    wanted = mixers.attend(*slow, slopes, layout)
    found = kernels.attend(*fast, slopes.to(device), there, kernels.block_mask(there))
    return _errors(wanted, slow, found, fast)


def _errors(wanted: Tensor, slow: list[Tensor], found: Tensor, fast: list[Tensor]) -> list[float]:
    weight = torch.randn_like(wanted)
    exact = torch.autograd.grad((wanted * weight).sum(), slow)
    close = torch.autograd.grad((found.float() * weight.to(found.device)).sum(), fast)
    pairs = [(wanted, found), *zip(exact, close, strict=True)]
    return [round(float(((x - y.float().cpu()).norm() / x.norm()).detach()), 4) for x, y in pairs]


if __name__ == "__main__":
    sys.exit(main())
