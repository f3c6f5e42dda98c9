"""Muon for matrices, AdamW for everything else, and the running average of the weights.

Muon steps by the orthogonalized momentum (Newton-Schulz, five rounds), matrices of one shape together.
A fused matrix is split by its `parts` first: they are different maps. With sharded weights
(sharded.py), a trainer orthogonalizes some whole matrices and holds only their momentum; AdamW runs on
its own rows. State is plain named tensors. Learning rates are passed in at every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn

from worldline.model.hybrid import Linear
from worldline.model.train.sharded import LocalShard, copy_tensors, local_shard, local_shards, reshard, shard_tensor

_NEWTON_SCHULZ_STEPS = 5
# Steepest at 0: singular values end in about [0.7, 1.2].
_NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)


@dataclass(frozen=True, kw_only=True)
class LearningRates:
    """Peak learning rates by what they move, and the optimizers' constants.

    Attributes:
        matrix: Rate of matrices (Muon).
        embed: Rate of the embedding.
        head: Rate of the output head.
        rates: Rate of the map to the delta layers' write and decay rates.
        vector: Rate of taps, biases and sharpness.
        momentum: Momentum of Muon.
        decay: Weight decay of matrices, times their learning rate.
        beta1: First-moment decay of AdamW.
        beta2: Second-moment decay of AdamW.
        clip: Maximum norm of the whole gradient.
    """

    matrix: float = 0.02
    embed: float = 0.05
    head: float = 0.004
    rates: float = 0.001
    vector: float = 0.005
    momentum: float = 0.95
    decay: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.95
    clip: float = 1.0


def orthogonalize(matrices: Tensor) -> Tensor:
    """Drive the singular values of each of [n, rows, columns] matrices to about 1."""
    a, b, c = _NEWTON_SCHULZ
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_NEWTON_SCHULZ_STEPS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    result: Tensor = x.mT if tall else x
    return result.to(matrices.dtype)


@dataclass(frozen=True)
class _MatrixSlice:
    """A matrix of a group: rows `start` to `end` of a weight, of which `local` are this trainer's."""

    weight: nn.Parameter
    start: int
    end: int
    local: Tensor
    # Rows of the matrix that are local.
    cut: slice


@dataclass(frozen=True)
class _MatrixGroup:
    """Matrices of one shape, and the stacked momentum of those this trainer orthogonalizes."""

    places: list[_MatrixSlice]
    momentum: LocalShard


class Optimizer:
    """State of both methods. `step` moves the weights by their gradients."""

    def __init__(self, model: nn.Module, rates: LearningRates) -> None:
        self._rates, self.steps = rates, 0
        matrices = [module for module in model.modules() if isinstance(module, Linear)]
        fused = {id(matrix.weight) for matrix in matrices}
        named = {name: weight for name, weight in model.named_parameters() if id(weight) not in fused}
        self._vectors = list(named.values())
        self._peak_rates = [_peak_rate(name, rates) for name in named]
        self._parts = {name: local_shard(weight) for name, weight in named.items()}
        self._first = [torch.zeros_like(part.local) for part in self._parts.values()]
        self._second = [torch.zeros_like(part.local) for part in self._parts.values()]
        self._groups = _group_matrices(matrices)

    @torch.no_grad()
    def step(self, factor: float) -> None:
        """Take one step with every learning rate multiplied by `factor`."""
        self.steps += 1
        for group in self._groups.values():
            self._muon_step(group, factor)
        if self._vectors:
            self._adamw_step(factor)

    def _muon_step(self, group: _MatrixGroup, factor: float) -> None:
        rates, momentum = self._rates, group.momentum.local
        rows, columns = momentum.shape[1:]
        weights = {id(place.weight): place.weight for place in group.places}
        gradients = {key: _local_gradient(weight).gather() for key, weight in weights.items()}
        stack = torch.stack([gradients[id(place.weight)][place.start : place.end] for place in group.places])
        gradient = group.momentum.of(stack)
        momentum.lerp_(gradient, 1 - rates.momentum)
        orthogonal = orthogonalize(gradient.lerp_(momentum, rates.momentum))
        update = group.momentum.like(orthogonal).gather()
        rate = rates.matrix * factor
        local = [place.local for place in group.places]
        moves = [matrix[place.cut] for matrix, place in zip(update, group.places, strict=True)]
        torch._foreach_mul_(local, 1 - rate * rates.decay)
        torch._foreach_add_(local, moves, alpha=-rate * max(1.0, rows / columns) ** 0.5)

    def _adamw_step(self, factor: float) -> None:
        rates = self._rates
        gradients = [_local_gradient(weight).local for weight in self._vectors]
        torch._foreach_lerp_(self._first, gradients, 1 - rates.beta1)
        torch._foreach_mul_(self._second, rates.beta2)
        torch._foreach_addcmul_(self._second, gradients, gradients, 1 - rates.beta2)
        denominators = torch._foreach_sqrt(self._second)
        torch._foreach_div_(denominators, (1 - rates.beta2**self.steps) ** 0.5)
        torch._foreach_add_(denominators, 1e-8)
        scales = [-rate * factor / (1 - rates.beta1**self.steps) for rate in self._peak_rates]
        weights = [part.local for part in self._parts.values()]
        torch._foreach_addcdiv_(weights, self._first, denominators, scales)

    def local_shards(self) -> dict[str, LocalShard]:
        """Return the local rows of every state tensor by name."""
        named = {f"momentum.{name}": group.momentum for name, group in self._groups.items()}
        for kind, tensors in (("first", self._first), ("second", self._second)):
            pairs = zip(self._parts.items(), tensors, strict=True)
            named |= {f"{kind}.{name}": part.like(tensor) for (name, part), tensor in pairs}
        return named

    def state(self) -> dict[str, Tensor]:
        """Return every state tensor by name, whole; live unless sharded."""
        return {name: part.gather() for name, part in self.local_shards().items()}

    def restore(self, state: dict[str, Tensor], steps: int) -> None:
        """Restore the state after a number of steps."""
        copy_tensors(self.local_shards(), state)
        self.steps = steps


def _group_matrices(linears: list[Linear]) -> dict[str, _MatrixGroup]:
    slices: dict[str, list[_MatrixSlice]] = {}
    for linear in linears:
        start = 0
        for rows in linear.parts:
            name = f"{rows}x{linear.weight.shape[1]}"
            slices.setdefault(name, []).append(_slice_weight(linear.weight, start, start + rows))
            start += rows
    groups = {}
    for name, members in slices.items():
        rows, columns = members[0].end - members[0].start, members[0].local.shape[1]
        zeros = members[0].local.new_zeros(len(members), rows, columns)
        groups[name] = _MatrixGroup(members, shard_tensor(zeros, local_shard(members[0].weight).group))
    return groups


def _slice_weight(weight: nn.Parameter, start: int, end: int) -> _MatrixSlice:
    part = local_shard(weight)
    # The local rows among rows `start` to `end` of the weight.
    low, high = (min(max(edge, part.start), part.start + len(part.local)) for edge in (start, end))
    return _MatrixSlice(
        weight, start, end, part.local[low - part.start : high - part.start], slice(low - start, high - start)
    )


def _peak_rate(name: str, rates: LearningRates) -> float:
    kind = name.rpartition(".")[2]
    named = {"embed": rates.embed, "head": rates.head, "rates": rates.rates}
    return named.get(kind, rates.vector)


def _local_gradient(weight: Tensor) -> LocalShard:
    return local_shard(weight.grad if weight.grad is not None else torch.zeros_like(weight))


def clip_gradients(gradients: list[Tensor], scale: Tensor, limit: float, *, shared: bool = False) -> Tensor:
    """Scale gradients, then clip their norm. Never waits for a GPU.

    Args:
        gradients: Gradients to change in place.
        scale: Factor to apply first.
        limit: Maximum norm.
        shared: Whether the gradients are sharded; the norm is then over all trainers.

    Returns:
        The norm before clipping.
    """
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))) * scale
    if shared:
        squared = norm.square()
        dist.all_reduce(squared)
        norm = squared.sqrt()
    torch._foreach_mul_(gradients, scale * (limit / (norm + 1e-6)).clamp(max=1.0))
    return norm


class Average:
    """Running average of the weights, over a horizon that grows with the run up to 1 / (1 - decay) steps."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._model, self._decay, self._parts = model, decay, local_shards(model)
        self._live = [part.local for part in self._parts.values()]
        self._mean = [weight.clone() for weight in self._live]

    def update(self, step: int) -> None:
        """Add the weights of this step."""
        torch._foreach_lerp_(self._mean, self._live, 1 - min(self._decay, (1 + step) / (10 + step)))

    def local_shards(self) -> dict[str, LocalShard]:
        """Return the local rows of the average by weight name."""
        pairs = zip(self._parts.items(), self._mean, strict=True)
        return {name: part.like(mean) for (name, part), mean in pairs}

    def state(self) -> dict[str, Tensor]:
        """Return the whole average by weight name."""
        return {name: part.gather() for name, part in self.local_shards().items()}

    @contextmanager
    def swapped_in(self) -> Iterator[None]:
        """Use the average as the model's weights within the context."""
        originals = [weight.clone() for weight in self._live]
        torch._foreach_copy_(self._live, self._mean)
        try:
            yield
        finally:
            torch._foreach_copy_(self._live, originals)
            if any(part.group is not None for part in self._parts.values()):
                reshard(self._model)
