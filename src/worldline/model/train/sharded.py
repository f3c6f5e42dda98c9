"""Weights sharded among trainers (FSDP2): each holds some rows of every tensor.

    torchrun ... -m worldline.model.train --recipe FILE --out DIR --sharded

Layers are gathered one after another, forward and backward. Gradients arrive summed, each trainer with
its own rows. Averages and optimizer state are sharded like the weights. Everything here also works for
a model that is not sharded: a trainer then has all rows, nothing is sent, and FSDP2 is not imported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from worldline.core.errors import FormatError
from worldline.model.hybrid import Trunk


@dataclass(frozen=True)
class LocalShard:
    """This trainer's rows of a tensor.

    Attributes:
        local: The live rows.
        start: Index of the first of them.
        rows: Rows of the whole tensor.
        group: Process group that shares the tensor; None if this trainer has all rows.
    """

    local: Tensor
    start: int
    rows: int
    group: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole tensor."""
        return (self.rows, *self.local.shape[1:])

    def like(self, local: Tensor) -> LocalShard:
        """Return a shard of another tensor that is split in the same way."""
        return replace(self, local=local)

    def gather(self) -> Tensor:
        """Return the whole tensor. All trainers of the group must call this."""
        if self.group is None:
            return self.local
        count = dist.get_world_size(self.group)
        rows_each = -(-self.rows // count)
        padded = self.local.new_zeros(rows_each, *self.local.shape[1:])
        padded[: len(self.local)] = self.local
        gathered = padded.new_empty(rows_each * count, *padded.shape[1:])
        dist.all_gather(list(torch.split(gathered, rows_each)), padded, group=self.group)
        return gathered[: self.rows]

    def of(self, whole: Tensor) -> Tensor:
        """Return the same rows of a whole tensor."""
        return whole[self.start : self.start + len(self.local)]


def shard_model(model: Trunk, device: torch.device, count: int) -> None:
    """Shard a model's weights among trainers that all hold the same model.

    Args:
        model: Model to shard in place.
        device: Device of this trainer.
        count: Number of trainers.
    """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

    mesh = init_device_mesh(device.type, (count,))
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    # The loss needs the head after `hidden`.
    fully_shard(model, mesh=mesh, reshard_after_forward=False)
    register_fsdp_forward_method(model, "hidden")


def reshard(model: nn.Module) -> None:
    """Drop gathered weights: they have changed, or no backward pass followed."""
    from torch.distributed.fsdp import FSDPModule

    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def local_shard(tensor: Tensor) -> LocalShard:
    """Return the local rows of a weight or gradient as a live plain tensor."""
    sharded: Any = tensor.detach()
    # Only a DTensor has a mesh.
    mesh = getattr(sharded, "device_mesh", None)
    if mesh is None:
        return LocalShard(sharded, 0, len(sharded))
    group = mesh.get_group()
    return LocalShard(sharded.to_local(), _first_row(len(sharded), group), len(sharded), group)


def local_shards(model: nn.Module) -> dict[str, LocalShard]:
    """Return the local rows of every weight by name."""
    return {name: local_shard(weight) for name, weight in model.named_parameters()}


def shard_tensor(whole: Tensor, group: Any) -> LocalShard:
    """Return a copy of this trainer's rows of a whole tensor."""
    if group is None:
        return LocalShard(whole, 0, len(whole))
    start, end = (_first_row(len(whole), group, offset) for offset in (0, 1))
    return LocalShard(whole[start:end].clone(), start, len(whole), group)


def _first_row(rows: int, group: Any, offset: int = 0) -> int:
    """First row of a trainer as FSDP2 splits: equal parts, the last ones shorter or empty."""
    rows_each = -(-rows // dist.get_world_size(group))
    return min(rows, rows_each * (dist.get_rank(group) + offset))


def copy_tensors(to: dict[str, LocalShard], source: dict[str, Tensor]) -> None:
    """Copy whole tensors into shards of the same names and shapes.

    Args:
        to: Shards to fill.
        source: Whole tensors by name.

    Raises:
        FormatError: Names or shapes differ.
    """
    expected, actual = ({name: tuple(tensor.shape) for name, tensor in tensors.items()} for tensors in (to, source))
    if expected != actual:
        different = sorted(name for name in {*expected, *actual} if expected.get(name) != actual.get(name))
        raise FormatError(f"tensors differ in name or shape: {', '.join(different[:4])}")
    for name, part in to.items():
        part.local.copy_(part.of(source[name]))
