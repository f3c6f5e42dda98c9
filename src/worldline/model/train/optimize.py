"""Muon for matrices, AdamW for everything else, and the running average of the weights.

Muon steps by the momentum's nearest orthogonal matrix (Newton-Schulz, five rounds), matrices of one shape together;
a fused matrix is taken apart by its `parts` first, for they are different maps. Of weights that are dealt out
(sharded.py) a trainer turns some matrices, whole ones, and has their momentum alone; the rest it adapts by its rows.
Plain tensors as state, so that a checkpoint is a list of named tensors. Learning rates come from outside at every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn

from worldline.model.hybrid import Matrix
from worldline.model.train.sharded import Portion, dealt, fill, portion, portions, settle

_ROUNDS = 5
_CUBIC = (3.4445, -4.7750, 2.0315)  # steepest at 0: singular values end in about [0.7, 1.2]


@dataclass(frozen=True, kw_only=True)
class LearningRates:
    """Learning rates at their height, by what they move, and the constants beside them."""

    matrix: float = 0.02
    embed: float = 0.05
    head: float = 0.004
    rates: float = 0.001  # the map to the delta layers' write and decay rates
    vector: float = 0.005  # taps, biases, sharpness
    momentum: float = 0.95
    decay: float = 0.01  # of matrices, times their learning rate
    beta1: float = 0.9
    beta2: float = 0.95
    clip: float = 1.0  # norm of the whole gradient


def orthogonal(matrices: Tensor) -> Tensor:
    """Each of [n, rows, columns] with its singular values driven to about 1."""
    a, b, c = _CUBIC
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_ROUNDS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    turned: Tensor = x.mT if tall else x
    return turned.to(matrices.dtype)


@dataclass(frozen=True)
class _Place:
    """A matrix among a group's: the rows of a weight from `start` to `end`, of which `here` are this trainer's."""

    weight: nn.Parameter
    start: int
    end: int
    here: Tensor
    cut: slice  # which rows of the matrix those are


@dataclass(frozen=True)
class _Group:
    """Matrices of one shape, and the momentum, stacked, of those that this trainer turns."""

    places: list[_Place]
    momentum: Portion


class Optimizer:
    """Holds the state of both methods; `step` moves the weights by the gradients that are there."""

    def __init__(self, model: nn.Module, rates: LearningRates) -> None:
        self._rates, self.steps = rates, 0
        matrices = [module for module in model.modules() if isinstance(module, Matrix)]
        fused = {id(matrix.weight) for matrix in matrices}
        named = {name: weight for name, weight in model.named_parameters() if id(weight) not in fused}
        self._vectors = list(named.values())
        self._heights = [_height(name, rates) for name in named]
        self._parts = {name: portion(weight) for name, weight in named.items()}
        self._first = [torch.zeros_like(part.here) for part in self._parts.values()]
        self._second = [torch.zeros_like(part.here) for part in self._parts.values()]
        self._groups = _groups(matrices)

    @torch.no_grad()
    def step(self, factor: float) -> None:
        """One step, every learning rate multiplied by `factor`."""
        self.steps += 1
        for group in self._groups.values():
            self._turn(group, factor)
        if self._vectors:
            self._adapt(factor)

    def _turn(self, group: _Group, factor: float) -> None:
        rates, momentum = self._rates, group.momentum.here
        rows, columns = momentum.shape[1:]
        weights = {id(place.weight): place.weight for place in group.places}
        whole = {key: _gradient(weight).whole() for key, weight in weights.items()}
        stack = torch.stack([whole[id(place.weight)][place.start : place.end] for place in group.places])
        gradient = group.momentum.of(stack)
        momentum.lerp_(gradient, 1 - rates.momentum)
        turned = orthogonal(gradient.lerp_(momentum, rates.momentum))
        update = group.momentum.like(turned).whole()
        height = rates.matrix * factor
        here = [place.here for place in group.places]
        moves = [each[place.cut] for each, place in zip(update, group.places, strict=True)]
        torch._foreach_mul_(here, 1 - height * rates.decay)
        torch._foreach_add_(here, moves, alpha=-height * max(1.0, rows / columns) ** 0.5)

    def _adapt(self, factor: float) -> None:
        rates = self._rates
        gradients = [_gradient(weight).here for weight in self._vectors]
        torch._foreach_lerp_(self._first, gradients, 1 - rates.beta1)
        torch._foreach_mul_(self._second, rates.beta2)
        torch._foreach_addcmul_(self._second, gradients, gradients, 1 - rates.beta2)
        size = torch._foreach_sqrt(self._second)
        torch._foreach_div_(size, (1 - rates.beta2**self.steps) ** 0.5)
        torch._foreach_add_(size, 1e-8)
        scales = [-height * factor / (1 - rates.beta1**self.steps) for height in self._heights]
        weights = [part.here for part in self._parts.values()]
        torch._foreach_addcdiv_(weights, self._first, size, scales)

    def portions(self) -> dict[str, Portion]:
        """What of every tensor of the state is here, by name."""
        named = {f"momentum.{name}": group.momentum for name, group in self._groups.items()}
        for kind, tensors in (("first", self._first), ("second", self._second)):
            pairs = zip(self._parts.items(), tensors, strict=True)
            named |= {f"{kind}.{name}": part.like(tensor) for (name, part), tensor in pairs}
        return named

    def state(self) -> dict[str, Tensor]:
        """Every tensor by name, whole; the live ones, if they are not dealt."""
        return {name: part.whole() for name, part in self.portions().items()}

    def restore(self, state: dict[str, Tensor], steps: int) -> None:
        """Go on from what `state` gave after so many steps."""
        fill(self.portions(), state)
        self.steps = steps


def _groups(matrices: list[Matrix]) -> dict[str, _Group]:
    places: dict[str, list[_Place]] = {}
    for matrix in matrices:
        start = 0
        for rows in matrix.parts:
            name = f"{rows}x{matrix.weight.shape[1]}"
            places.setdefault(name, []).append(_place(matrix.weight, start, start + rows))
            start += rows
    made = {}
    for name, found in places.items():
        rows, columns = found[0].end - found[0].start, found[0].here.shape[1]
        blank = found[0].here.new_zeros(len(found), rows, columns)
        made[name] = _Group(found, dealt(blank, portion(found[0].weight).group))
    return made


def _place(weight: nn.Parameter, start: int, end: int) -> _Place:
    part = portion(weight)
    # Of the weight's rows from `start` to `end`, those that are here.
    low, high = (min(max(edge, part.start), part.start + len(part.here)) for edge in (start, end))
    return _Place(
        weight, start, end, part.here[low - part.start : high - part.start], slice(low - start, high - start)
    )


def _height(name: str, rates: LearningRates) -> float:
    kind = name.rpartition(".")[2]
    named = {"embed": rates.embed, "head": rates.head, "rates": rates.rates}
    return named.get(kind, rates.vector)


def _gradient(weight: Tensor) -> Portion:
    return portion(weight.grad if weight.grad is not None else torch.zeros_like(weight))


def clip(gradients: list[Tensor], scale: Tensor, limit: float, *, shared: bool = False) -> Tensor:
    """Multiply gradients by `scale` and then down to a norm of `limit`; the norm before that. Never waits for a GPU.

    Of gradients that are `shared` out among trainers, the norm is that of all of them together.
    """
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))) * scale
    if shared:
        squared = norm.square()
        dist.all_reduce(squared)
        norm = squared.sqrt()
    torch._foreach_mul_(gradients, scale * (limit / (norm + 1e-6)).clamp(max=1.0))
    return norm


class Average:
    """The running average of the weights, over a horizon that grows with the run up to 1 / (1 - decay) steps."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._model, self._decay, self._parts = model, decay, portions(model)
        self._live = [part.here for part in self._parts.values()]
        self._mean = [weight.clone() for weight in self._live]

    def update(self, step: int) -> None:
        """Take the weights of this step in."""
        torch._foreach_lerp_(self._mean, self._live, 1 - min(self._decay, (1 + step) / (10 + step)))

    def portions(self) -> dict[str, Portion]:
        """What of the average is here, by the weights' names."""
        pairs = zip(self._parts.items(), self._mean, strict=True)
        return {name: part.like(mean) for (name, part), mean in pairs}

    def state(self) -> dict[str, Tensor]:
        """The average by the weights' names, whole."""
        return {name: part.whole() for name, part in self.portions().items()}

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within this, the model's weights are the average."""
        kept = [weight.clone() for weight in self._live]
        torch._foreach_copy_(self._live, self._mean)
        try:
            yield
        finally:
            torch._foreach_copy_(self._live, kept)
            if any(part.group is not None for part in self._parts.values()):
                settle(self._model)
