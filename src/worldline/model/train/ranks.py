"""Trainers started by `torchrun`: the rank of this one, and reductions over all of them.

Gradients are summed in one flat buffer. Small values that steer the run travel over a CPU group, so
that no step waits for the accelerator. A single trainer skips all of it.
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
    """This trainer among `count`, with its own `device`."""

    rank: int
    count: int
    device: torch.device
    control: Any = None

    @property
    def is_first(self) -> bool:
        """Whether this trainer writes files and prints."""
        return self.rank == 0

    def all_mean_(self, gradients: list[Tensor]) -> None:
        """Replace tensors by their means over all trainers."""
        if self.count > 1:
            flat = torch.cat([gradient.flatten() for gradient in gradients])
            dist.all_reduce(flat)
            flat /= self.count
            parts = torch.split(flat, [gradient.numel() for gradient in gradients])
            for gradient, part in zip(gradients, parts, strict=True):
                gradient.copy_(part.view_as(gradient))

    def all_max(self, *values: float) -> list[float]:
        """Return the maximum of each value over all trainers."""
        if self.count == 1:
            return list(values)
        table = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(table, dist.ReduceOp.MAX, group=self.control)
        return [float(value) for value in table]

    def all_sum(self, value: float) -> float:
        """Return the sum of a value over all trainers."""
        table = torch.tensor(value, dtype=torch.float64)
        if self.count > 1:
            dist.all_reduce(table, group=self.control)
        return float(table)

    def barrier(self) -> None:
        """Wait until every trainer arrives."""
        if self.count > 1:
            dist.barrier(group=self.control)

    def close_group(self) -> None:
        """Leave the process group."""
        if self.count > 1:
            dist.destroy_process_group()


def join_trainers(device: str | None = None) -> TrainerRank:
    """Join the process group that `torchrun` started, if any, and choose the device.

    Args:
        device: `cpu` or `cuda`; by default a GPU if there is one.

    Returns:
        This trainer's rank.

    Raises:
        UsageError: `cuda` was requested and there is no GPU.
    """
    rank, count, local = (int(os.environ.get(name, default)) for name, default in _ENVIRONMENT)
    kind = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if kind == "cuda" and not torch.cuda.is_available():
        raise UsageError("no GPU is available: use --device cpu")
    chosen = torch.device(kind, local) if kind == "cuda" else torch.device(kind)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
    if count == 1:
        return TrainerRank(0, 1, chosen)
    dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    return TrainerRank(rank, count, chosen, dist.new_group(backend="gloo"))


def torchrun_command(
    words: Sequence[str], *, nodes: str | None = None, processes: str | None = None, endpoint: str | None = None
) -> list[str]:
    """Build the command that starts several trainers.

    Args:
        words: Arguments of each trainer.
        nodes: Value of torchrun's `--nnodes`.
        processes: Value of torchrun's `--nproc-per-node`.
        endpoint: Value of torchrun's `--rdzv-endpoint`.

    Returns:
        The command.

    Raises:
        UsageError: There are several nodes and no endpoint.
    """
    if endpoint is None and nodes not in (None, "1"):
        raise UsageError("several nodes need --rdzv-endpoint HOST:PORT, the same on each node")
    values = {"--nnodes": nodes, "--nproc-per-node": processes, "--rdzv-endpoint": endpoint}
    options = [word for name, value in values.items() if value is not None for word in (name, value)]
    rendezvous = ["--standalone"] if endpoint is None else ["--rdzv-backend", "c10d"]
    trainer = ["-m", "worldline.model.train", *words]
    return [sys.executable, "-m", "torch.distributed.run", *rendezvous, *options, *trainer]


_ENVIRONMENT = (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0"))
