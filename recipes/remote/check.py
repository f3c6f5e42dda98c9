"""Compares the GPU's delta rule with the naive one, gradients included; exits 1 where they differ."""

from __future__ import annotations

import sys
from time import monotonic

import torch

from worldline.model import kernels, mixers
from worldline.model.hybrid import unit


def main() -> int:
    """The largest relative error of the output and of each gradient, in bfloat16."""
    begun, device = monotonic(), torch.device("cuda")
    torch.manual_seed(0)
    shape = (2, 200, 7, 64)
    q, k, v = (torch.randn(shape) for _ in range(3))
    beta, g = 2 * torch.sigmoid(3 * torch.randn(shape[:3])), -0.1 * torch.rand(shape[:3])
    g[..., 3:] = 0
    start = torch.zeros(shape[:2], dtype=torch.bool)
    start[:, [0, 40, 42, 55]] = True
    slow = [x.requires_grad_() for x in (unit(q), unit(k).unsqueeze(2), v.unsqueeze(2), beta.unsqueeze(2), g)]
    fast = [x.detach().to(device, torch.bfloat16) for x in slow[:4]] + [slow[4].detach().to(device)]
    fast = [x.requires_grad_() for x in fast]
    wanted, found = mixers.delta_rule(*slow, start), kernels.delta_rule(*fast, start.to(device))
    weight = torch.randn_like(wanted)
    exact = torch.autograd.grad((wanted * weight).sum(), slow)
    close = torch.autograd.grad((found.float() * weight.to(device)).sum(), fast)
    pairs = [(wanted, found), *zip(exact, close, strict=True)]
    errors = [float((x - y.float().cpu()).norm() / x.norm()) for x, y in pairs]
    print(
        "relative errors", [round(error, 4) for error in errors], f"{monotonic() - begun:.1f} s", flush=True
    )
    return int(kernels._fla is None or max(errors) > 0.03)


if __name__ == "__main__":
    sys.exit(main())
