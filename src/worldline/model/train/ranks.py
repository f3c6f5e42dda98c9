"""One trainer or several, started by `torchrun`: who am I, and sums over all of us.

Gradients are summed in one flat buffer; small facts that steer the run travel over a CPU group, so that no step waits
for the accelerator because of them. A single trainer needs none of it, and pays nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from worldline.core.errors import UsageError


@dataclass(frozen=True)
class TrainerRank:
    """This trainer among `count`; `device` is its own."""

    rank: int
    count: int
    device: torch.device
    control: Any = None

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and prints."""
        return self.rank == 0

    def mean_(self, gradients: list[Tensor]) -> None:
        """Replace tensors by their means over all trainers."""
        if self.count > 1:
            flat = torch.cat([gradient.flatten() for gradient in gradients])
            dist.all_reduce(flat)
            flat /= self.count
            parts = torch.split(flat, [gradient.numel() for gradient in gradients])
            for gradient, part in zip(gradients, parts, strict=True):
                gradient.copy_(part.view_as(gradient))

    def agree(self, *values: float) -> list[float]:
        """The greatest of each value over all trainers."""
        if self.count == 1:
            return list(values)
        table = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(table, dist.ReduceOp.MAX, group=self.control)
        return [float(value) for value in table]

    def total(self, value: float) -> float:
        """The sum of a value over all trainers."""
        table = torch.tensor(value, dtype=torch.float64)
        if self.count > 1:
            dist.all_reduce(table, group=self.control)
        return float(table)

    def meet(self) -> None:
        """Wait until every trainer is here."""
        if self.count > 1:
            dist.barrier(group=self.control)

    def leave(self) -> None:
        """Part from the others."""
        if self.count > 1:
            dist.destroy_process_group()


def join(device: str | None = None) -> TrainerRank:
    """Find the others, if `torchrun` started any, and the device to train on."""
    rank, count, local = (int(os.environ.get(name, default)) for name, default in _VARIABLES)
    kind = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if kind == "cuda" and not torch.cuda.is_available():
        raise UsageError("there is no GPU here")
    where = torch.device(kind, local) if kind == "cuda" else torch.device(kind)
    if where.type == "cuda":
        torch.cuda.set_device(where)
    if count == 1:
        return TrainerRank(0, 1, where)
    dist.init_process_group("nccl" if where.type == "cuda" else "gloo")
    return TrainerRank(rank, count, where, dist.new_group(backend="gloo"))


def torchrun(
    words: Sequence[str],
    *,
    nodes: str | None = None,
    processes: str | None = None,
    endpoint: str | None = None,
) -> list[str]:
    """The command that starts trainers with so many words of their own; options are torchrun's, as they are."""
    if endpoint is None and nodes not in (None, "1"):
        raise UsageError("several nodes need --rdzv-endpoint HOST:PORT, the same on each: where they meet")
    given = {"--nnodes": nodes, "--nproc-per-node": processes, "--rdzv-endpoint": endpoint}
    options = [word for name, value in given.items() if value is not None for word in (name, value)]
    where = ["--standalone"] if endpoint is None else ["--rdzv-backend", "c10d"]
    trainer = ["-m", "worldline.model.train", *words]
    return [sys.executable, "-m", "torch.distributed.run", *where, *options, *trainer]


_VARIABLES = (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0"))
