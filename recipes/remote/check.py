"""Compares the GPU's kernels with the readable mixers, gradients included; exits 1 where they differ.

    python3 recipes/remote/check.py [PART ...] [--environment FILE]     parts: delta carried attention beyond

With `--environment` what has a slower twin (the cuts) is turned off in that file where it is wrong.
WORLDLINE_CHUNK, WORLDLINE_WARPS, WORLDLINE_CUTS and WORLDLINE_TUNED (model/kernels.py) say which variant is checked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import torch
from torch import Tensor

from worldline.model import batch_plan as plan
from worldline.model import kernels, mixers
from worldline.model.hybrid import norm, unit
from worldline.model.mixers import BatchLayout
from worldline.model.shape import HEAD, SHARED, Shape

DEVICE = torch.device("cuda")
LARGEST = 0.03  # of bfloat16


def main(argv: list[str]) -> int:
    """The largest relative error of each output and of each gradient, in bfloat16, part by part."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help="all, if none is named")
    parser.add_argument("--environment", type=Path, help="a file that learns what is to be turned off")
    asked = parser.parse_args(argv)
    parts: dict[str, Callable[[], list[float]]] = {
        "delta": _delta_rule,
        "carried": lambda: _delta_rule(carried=True),
        "attention": _attention,
        "beyond": lambda: _attention(kept=256),
    }
    wrong, off = kernels._fla is None, set()
    for name in asked.parts or parts:
        good = _told(name, parts[name])
        if not good and name in ("delta", "carried") and kernels.CUTTING:
            off.add("WORLDLINE_CUTS")
            kernels.CUTTING = False
            wrong |= not _told(f"{name}, uncut", parts[name])
        else:
            wrong |= not good
    if off and asked.environment:
        with asked.environment.open("a") as file:
            file.writelines(f"export {name}=0\n" for name in sorted(off))
    return int(wrong or (bool(off) and not asked.environment))


def _told(name: str, part: Callable[[], list[float]]) -> bool:
    """Whether a part is right; what is found is printed."""
    torch.manual_seed(0)
    begun, found = monotonic(), [float("nan")]
    try:
        found = part()
    except Exception as error:  # the others are worth knowing
        print(f"{name}: {type(error).__name__}: {str(error)[:400]}", flush=True)
    good = max(found) <= LARGEST  # not a number is not good
    print(f"{name:10s} {'ok' if good else 'WRONG'} {found} {monotonic() - begun:.1f} s", flush=True)
    return good


def _delta_rule(*, carried: bool = False) -> list[float]:
    shape = (2, 120, 7, 64)
    q, k, v = (torch.randn(shape) for _ in range(3))
    beta, g = 2 * torch.sigmoid(3 * torch.randn(shape[:3])), -0.1 * torch.rand(shape[:3])
    g[..., 3:] = 0
    sizes = (40, 2, 13, 65)
    position = torch.cat([torch.arange(size) for size in sizes]).int().repeat(2, 1)
    if carried:
        position[1, :40] += 100
    state = torch.randn(2, 7, 64, 64) / 8 if carried else None
    slow = [x.requires_grad_() for x in (unit(q), unit(k).unsqueeze(2), v.unsqueeze(2), beta.unsqueeze(2), g)]
    fast = [x.detach().to(DEVICE, torch.bfloat16) for x in slow[:4]] + [slow[4].detach().to(DEVICE)]
    fast = [x.requires_grad_() for x in fast]
    plan.PIECE = 64  # so that rows are cut
    made = plan.plan(_layout(position.to(DEVICE), 1), steps=1, chunk=kernels.ROWS)
    wanted, last = mixers.delta_rule(*slow, position == 0, state)
    there = None if state is None else state.to(DEVICE)
    found, end = kernels.delta_rule(*fast, (position == 0).to(DEVICE), there, made)
    errors = _errors(wanted, slow, found, fast)
    return errors if end is None else [*errors, _error(last, end)]


def _layout(position: Tensor, prompt: int, *, window: int = 128, kept: int = 0) -> BatchLayout:
    return BatchLayout(position, torch.full_like(position, prompt), window, kept)


def _attention(*, kept: int = 0) -> list[float]:
    shape, time = Shape(), 640
    position = torch.cat([torch.arange(n) for n in (300, 5, 335)]).int().repeat(2, 1)
    if kept:
        position[1, :300] += 200
    layout = _layout(position, 220, kept=kept)
    there = _layout(position.to(DEVICE), 220, kept=kept)
    sizes = ((time, shape.queries), (layout.slots + time, SHARED), (layout.slots + time, SHARED))
    slow = [norm(torch.randn(2, size, heads, HEAD)).requires_grad_() for size, heads in sizes]
    fast = [x.detach().to(DEVICE, torch.bfloat16).requires_grad_() for x in slow]
    slopes = torch.tensor(shape.slopes)
    wanted = mixers.attend(*slow, slopes, layout)
    found = kernels.attend(*fast, slopes.to(DEVICE), there)
    return _errors(wanted, slow, found, fast)


def _errors(wanted: Tensor, slow: list[Tensor], found: Tensor, fast: list[Tensor]) -> list[float]:
    weight = torch.randn_like(wanted)
    exact = torch.autograd.grad((wanted * weight).sum(), slow)
    close = torch.autograd.grad((found.float() * weight.to(found.device)).sum(), fast)
    return [_error(x, y) for x, y in [(wanted, found), *zip(exact, close, strict=True)]]


def _error(wanted: Tensor, found: Tensor) -> float:
    return round(float(((wanted - found.float().cpu()).norm() / wanted.norm()).detach()), 4)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
