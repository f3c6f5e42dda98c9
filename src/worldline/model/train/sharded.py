"""A model's weights dealt among trainers (FSDP2): each holds some rows of every tensor, and all come together in use.

    torchrun ... -m worldline.model.train --recipe FILE --out DIR --sharded

Layers are gathered one after the other, forwards and backwards; gradients arrive summed, each trainer's own rows alone.
What belongs to the weights (averages, the optimizer's state) is dealt as they are. All here also holds of a model that
is not dealt: then a trainer has all rows, nothing is sent, and FSDP2, which takes its time, not imported.
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
class Portion:
    """A trainer's part of a tensor: the live rows `here`, from `start` on, of `rows`; all of them without a `group`."""

    here: Tensor
    start: int
    rows: int
    group: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the whole tensor."""
        return (self.rows, *self.here.shape[1:])

    def like(self, here: Tensor) -> Portion:
        """Another tensor that is dealt in the same way."""
        return replace(self, here=here)

    def whole(self) -> Tensor:
        """The whole tensor. Trainers that share it must all ask."""
        if self.group is None:
            return self.here
        count = dist.get_world_size(self.group)
        most = -(-self.rows // count)
        sent = self.here.new_zeros(most, *self.here.shape[1:])
        sent[: len(self.here)] = self.here
        gathered = sent.new_empty(most * count, *sent.shape[1:])
        dist.all_gather(list(torch.split(gathered, most)), sent, group=self.group)
        return gathered[: self.rows]

    def of(self, whole: Tensor) -> Tensor:
        """The same rows of a whole tensor."""
        return whole[self.start : self.start + len(self.here)]


def shard(model: Trunk, device: torch.device, count: int) -> None:
    """Deal a model's weights among `count` trainers, each of whom has the same model."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

    mesh = init_device_mesh(device.type, (count,))
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh, reshard_after_forward=False)  # the loss needs the head, behind `hidden`
    register_fsdp_forward_method(model, "hidden")


def settle(model: nn.Module) -> None:
    """Forget what was gathered of a dealt model: weights have changed, or no backward pass has followed."""
    from torch.distributed.fsdp import FSDPModule

    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def portion(tensor: Tensor) -> Portion:
    """What of a weight or of a gradient is here, as a live plain tensor."""
    dealt: Any = tensor.detach()
    mesh = getattr(dealt, "device_mesh", None)  # a DTensor has one
    if mesh is None:
        return Portion(dealt, 0, len(dealt))
    group = mesh.get_group()
    return Portion(dealt.to_local(), _first(len(dealt), group), len(dealt), group)


def portions(model: nn.Module) -> dict[str, Portion]:
    """What of each weight is here, by name."""
    return {name: portion(weight) for name, weight in model.named_parameters()}


def dealt(whole: Tensor, group: Any) -> Portion:
    """The part of a whole tensor that is this trainer's in a group; a copy."""
    if group is None:
        return Portion(whole, 0, len(whole))
    start, end = (_first(len(whole), group, more) for more in (0, 1))
    return Portion(whole[start:end].clone(), start, len(whole), group)


def _first(rows: int, group: Any, more: int = 0) -> int:
    """Where a trainer's rows begin, as FSDP2 deals them: the same number to each, the last ones fewer or none."""
    most = -(-rows // dist.get_world_size(group))
    return min(rows, most * (dist.get_rank(group) + more))


def fill(to: dict[str, Portion], source: dict[str, Tensor]) -> None:
    """Copy out of whole tensors into those of the same names and shapes; FormatError where they differ."""
    wanted, given = ({name: tuple(tensor.shape) for name, tensor in each.items()} for each in (to, source))
    if wanted != given:
        odd = sorted(name for name in {*wanted, *given} if wanted.get(name) != given.get(name))
        raise FormatError(f"tensors of another shape or name: {', '.join(odd[:4])}")
    for name, part in to.items():
        part.here.copy_(part.of(source[name]))
