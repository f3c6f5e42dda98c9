"""Where a training step's time goes on a GPU: bytes a second, then the kernels by their share."""

from __future__ import annotations

import random
import sys
from time import monotonic

import torch
from torch.profiler import ProfilerActivity, profile

from worldline.data.batches import pack
from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.train import loss as train_loss
from worldline.model.train.feed import tensors, to_device
from worldline.model.train.optimize import Average, LearningRates, Optimizer, clip

ROWS, TIME, STEPS = 16, 8192, 10


def main() -> int:
    """Ten steps on random documents, timed; three more, profiled."""
    rng, device = random.Random(0), torch.device("cuda")
    sizes = [rng.randint(100, 1500) for _ in range(ROWS * TIME // 600)]
    documents = [(rng.randbytes(n // 2), rng.randbytes(n - n // 2)) for n in sizes]
    given = to_device(tensors(pack(documents, rows=ROWS, time=TIME)[0]), device)
    model = Trunk(Shape()).to(device)
    optimizer, average = Optimizer(model, LearningRates()), Average(model, 0.998)
    train_loss.compiled(model)

    def step(number: int) -> None:
        model.zero_grad(set_to_none=True)
        loss = train_loss.loss_sum(model, given) / given.data.numel()
        loss.backward()  # type: ignore[no-untyped-call]
        gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
        clip(gradients, torch.ones((), device=device), 1.0)
        optimizer.step(1.0)
        average.update(number)

    begun = monotonic()
    step(0)
    torch.cuda.synchronize()
    print(f"first step {monotonic() - begun:.1f} s", flush=True)
    step(1)
    torch.cuda.synchronize()
    begun = monotonic()
    for number in range(STEPS):
        step(number)
    torch.cuda.synchronize()
    took = (monotonic() - begun) / STEPS
    print(f"{1e3 * took:.1f} ms a step, {ROWS * TIME / took / 1e6:.2f} MB/s", flush=True)
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        for number in range(3):
            step(number)
        torch.cuda.synchronize()
    print(seen.key_averages().table(sort_by="self_cuda_time_total", row_limit=40, max_name_column_width=70))
    return 0


if __name__ == "__main__":
    sys.exit(main())
