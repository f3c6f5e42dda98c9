"""Where a training step's time goes on a GPU: variants against each other, parts, products, kernels by their share.

    python benchmarks/train_step.py [--rows 16 --time 8192] [--variants all,uncut] [--products] [--profile]

A variant names what it changes of the defaults: `uncut` (rows not cut for the delta rule), `splitN` (weights'
gradients in N parts), `carry` (state carried in from the row before); several are joined by `+`. Documents are random
bytes; figures are the best of `--repeat` rounds.
"""

from __future__ import annotations

import argparse
import random
import sys
from itertools import pairwise
from time import monotonic
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from worldline.data.batches import pack
from worldline.model import kernels
from worldline.model.hybrid import Trunk
from worldline.model.mixers import BatchLayout
from worldline.model.shape import HEAD_SIZE, Shape
from worldline.model.train import loss as train_loss
from worldline.model.train.feed import BatchTensors, to_device, to_tensors
from worldline.model.train.optimize import Average, LearningRates, Optimizer, clip_gradients

PEAK = 990e12
DEVICE = torch.device("cuda")
CARRY = 8192


class Bench:
    """A model, its optimizer and one batch; `step` trains on it."""

    def __init__(self, shape: Shape, rows: int, time: int) -> None:
        rng = random.Random(0)
        sizes = [rng.randint(100, 1500) for _ in range(rows * time // 600)]
        documents = [(rng.randbytes(n // 2), rng.randbytes(n - n // 2)) for n in sizes]
        self.given: BatchTensors = to_device(to_tensors(pack(documents, rows=rows, time=time)[0]), DEVICE)
        self.model = Trunk(shape).to(DEVICE)
        self.optimizer, self.average = Optimizer(self.model, LearningRates()), Average(self.model, 0.998)
        self.rows, self.carry = rows, False
        train_loss.compile_layers(self.model)

    def step(self, number: int, marks: list[Any] | None = None) -> None:
        """One step; `marks` are events for its beginning and the end of each part."""
        note = iter(marks or ())
        self._mark(note)
        self.model.zero_grad(set_to_none=True)
        options: dict[str, Any] = {}
        if self.carry:
            options = {"states": self.model.initial_state(self.rows, carry=CARRY), "carry": CARRY}
        loss = train_loss.loss_sum(self.model, self.given, **options) / self.given.data.numel()
        self._mark(note)
        loss.backward()  # type: ignore[no-untyped-call]
        self._mark(note)
        gradients = [weight.grad for weight in self.model.parameters() if weight.grad is not None]
        clip_gradients(gradients, torch.ones((), device=DEVICE), 1.0)
        self.optimizer.step(1.0)
        self.average.update(number)
        self._mark(note)

    @staticmethod
    def _mark(note: Any) -> None:
        event = next(note, None)
        if event is not None:
            event.record()

    def measure(self, repeat: int) -> tuple[float, list[float]]:
        """Milliseconds of a step, best of `repeat` rounds of five, and of its parts."""
        best = float("inf")
        for _ in range(repeat):
            torch.cuda.synchronize()
            begun = monotonic()
            for number in range(5):
                self.step(number)
            torch.cuda.synchronize()
            best = min(best, (monotonic() - begun) / 5 * 1e3)
        marks: list[Any] = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
        self.step(0, marks)
        torch.cuda.synchronize()
        return best, [a.elapsed_time(b) for a, b in pairwise(marks)]


def choose(bench: Bench, variant: str) -> None:
    """Set what a variant's name says."""
    words = variant.split("+")
    kernels.SHOULD_CUT_ROWS = "uncut" not in words
    kernels.GRADIENT_SPLITS = next((int(word[5:]) for word in words if word.startswith("split")), 1)
    bench.carry = "carry" in words


def operations(bench: Bench) -> tuple[float, float]:
    """Floating-point operations of a step: 6 a parameter and byte; and those of the mixers beside the parameters."""
    size, shape = sum(weight.numel() for weight in bench.model.parameters()), bench.model.shape
    layout = BatchLayout(bench.given.position, bench.given.prompt, shape.window)
    count, rows = bench.given.data.numel(), kernels.FLA_CHUNK_SIZE
    attention = shape.layers.count("attention") * float(layout.seen.sum()) * shape.queries * HEAD_SIZE * 4 * 3
    byte = 2 * HEAD_SIZE * (5 * rows + 3 * HEAD_SIZE) * 3 * shape.heads * shape.householders
    return 6.0 * size * count, attention + shape.layers.count("delta") * count * byte


def products(bench: Bench) -> None:
    """Each matrix product of a layer: forward, gradient by x, gradient by the weight in one and in more parts."""
    count, width = bench.given.data.numel(), bench.model.shape.width
    shapes = {
        "delta inner": (1808, width),
        "outer": (width, width),
        "mlp inner": (2048, width),
        "mlp outer": (width, 1024),
    }
    for name, (rows, columns) in shapes.items():
        x, weight, by = (
            torch.randn(shape, device=DEVICE, dtype=torch.bfloat16)
            for shape in ((count, columns), (rows, columns), (count, rows))
        )
        acts = {"forward": lambda x=x, w=weight: x @ w.T, "by x": lambda by=by, w=weight: by @ w}
        for split in (1, 2, 4, 8, 16):
            acts[f"by weight/{split}"] = lambda by=by, x=x, n=split: torch.bmm(
                by.view(n, -1, by.shape[1]).mT, x.view(n, -1, x.shape[1])
            ).sum(0, dtype=torch.float32)
        rates = {key: 2e-9 * count * rows * columns / _took(act) for key, act in acts.items()}
        print(f"{name:12s}", "  ".join(f"{key} {rate:.0f}" for key, rate in rates.items()), "TFLOP/s", flush=True)


def _took(act: Any) -> float:
    """Milliseconds, of ten."""
    act(), act()
    marks: list[Any] = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    marks[0].record()
    for _ in range(10):
        act()
    marks[1].record()
    torch.cuda.synchronize()
    return float(marks[0].elapsed_time(marks[1])) / 10


def main() -> int:
    """Variants one after another, each compiled, timed and told at once; what fails is told and left."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--time", type=int, default=8192)
    parser.add_argument("--stack", type=int, default=14)
    parser.add_argument("--variants", default="all,uncut,split4")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--products", action="store_true")
    parser.add_argument("--profile", action="store_true", help="the kernels of the first variant")
    asked = parser.parse_args()
    bench = Bench(Shape(stack=asked.stack), asked.rows, asked.time)
    if asked.products:
        products(bench)
    wanted, mixing = operations(bench)
    for n, variant in enumerate(asked.variants.split(",")):
        choose(bench, variant)
        try:
            begun = monotonic()
            bench.step(0)
            torch.cuda.synchronize()
            first = monotonic() - begun
            bench.step(1)
            took, parts = bench.measure(asked.repeat)
        except Exception as error:  # the others are worth knowing
            print(f"{variant}: {type(error).__name__}: {str(error)[:600]}", flush=True)
            continue
        share = wanted / took * 1e3 / PEAK
        print(
            f"{variant:14s} {took:6.1f} ms  {bench.given.data.numel() / took / 1e3:.2f} MB/s  MFU {share:.1%} (6N), "
            f"{share * (1 + mixing / wanted):.1%} with the mixers  forward {parts[0]:.1f} backward {parts[1]:.1f} "
            f"optimizer {parts[2]:.1f} ms  {torch.cuda.max_memory_allocated() / 2**30:.0f} GiB  first {first:.0f} s",
            flush=True,
        )
        if asked.profile and n == 0:
            tell(bench)
    return 0


def tell(bench: Bench) -> None:
    """Milliseconds a step by kernel, and what the CPU needs to launch them."""
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        for number in range(3):
            bench.step(number)
        torch.cuda.synchronize()
    found = [each for each in seen.key_averages() if each.device_type == torch.autograd.DeviceType.CUDA]
    found.sort(key=lambda each: -each.self_device_time_total)
    total = sum(each.self_device_time_total for each in found) / 3e3
    print(f"kernels {total:.1f} ms a step, {sum(each.count for each in found) // 3} launches", flush=True)
    for each in found[:45]:
        print(f"{each.self_device_time_total / 3e3:8.2f} ms {each.count // 3:5d} x  {each.key[:110]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
