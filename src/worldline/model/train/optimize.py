"""Muon for matrices, AdamW for everything else, and the running average of the weights.

Muon steps by the momentum's nearest orthogonal matrix (Newton-Schulz, five rounds), matrices of one shape together;
a fused matrix is taken apart by its `parts` first, for they are different maps. Plain tensors as state, so that a
checkpoint is a list of named tensors. Learning rates come from outside at every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from worldline.errors import FormatError
from worldline.model.hybrid import Matrix

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
class _Group:
    """Matrices of one shape: views of the weights, where their gradients are, and their momentum, stacked."""

    weights: list[Tensor]
    places: list[tuple[nn.Parameter, int, int]]
    momentum: Tensor


class Optimizer:
    """Holds the state of both methods; `step` moves the weights by the gradients that are there."""

    def __init__(self, model: nn.Module, rates: LearningRates) -> None:
        self._rates, self.steps = rates, 0
        matrices = [module for module in model.modules() if isinstance(module, Matrix)]
        fused = {id(matrix.weight) for matrix in matrices}
        named = [(name, weight) for name, weight in model.named_parameters() if id(weight) not in fused]
        self._names = [name for name, _ in named]
        self._vectors = [weight for _, weight in named]
        self._heights = [_height(name, rates) for name in self._names]
        self._first = [torch.zeros_like(weight) for weight in self._vectors]
        self._second = [torch.zeros_like(weight) for weight in self._vectors]
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
        rates, rows, columns = self._rates, *group.momentum.shape[1:]
        gradient = torch.stack([_gradient(weight)[start:end] for weight, start, end in group.places])
        group.momentum.lerp_(gradient, 1 - rates.momentum)
        update = orthogonal(gradient.lerp_(group.momentum, rates.momentum))
        height = rates.matrix * factor
        torch._foreach_mul_(group.weights, 1 - height * rates.decay)
        torch._foreach_add_(
            group.weights, list(update.unbind()), alpha=-height * max(1.0, rows / columns) ** 0.5
        )

    def _adapt(self, factor: float) -> None:
        rates = self._rates
        gradients = [_gradient(weight) for weight in self._vectors]
        torch._foreach_lerp_(self._first, gradients, 1 - rates.beta1)
        torch._foreach_mul_(self._second, rates.beta2)
        torch._foreach_addcmul_(self._second, gradients, gradients, 1 - rates.beta2)
        size = torch._foreach_sqrt(self._second)
        torch._foreach_div_(size, (1 - rates.beta2**self.steps) ** 0.5)
        torch._foreach_add_(size, 1e-8)
        scales = [-height * factor / (1 - rates.beta1**self.steps) for height in self._heights]
        weights = [weight.data for weight in self._vectors]
        torch._foreach_addcdiv_(weights, self._first, size, scales)

    def state(self) -> dict[str, Tensor]:
        """Every tensor by name, the live ones."""
        named = {f"momentum.{name}": group.momentum for name, group in self._groups.items()}
        named |= {f"first.{name}": tensor for name, tensor in zip(self._names, self._first, strict=True)}
        named |= {f"second.{name}": tensor for name, tensor in zip(self._names, self._second, strict=True)}
        return named

    def restore(self, state: dict[str, Tensor], steps: int) -> None:
        """Go on from what `state` gave after so many steps."""
        copy_named(self.state(), state)
        self.steps = steps


def _groups(matrices: list[Matrix]) -> dict[str, _Group]:
    places: dict[str, list[tuple[nn.Parameter, int, int]]] = {}
    for matrix in matrices:
        start = 0
        for rows in matrix.parts:
            places.setdefault(f"{rows}x{matrix.weight.shape[1]}", []).append(
                (matrix.weight, start, start + rows)
            )
            start += rows
    made = {}
    for name, found in places.items():
        views = [weight.data[start:end] for weight, start, end in found]
        made[name] = _Group(views, found, torch.zeros_like(torch.stack(views)))
    return made


def _height(name: str, rates: LearningRates) -> float:
    kind = name.rpartition(".")[2]
    named = {"embed": rates.embed, "head": rates.head, "rates": rates.rates}
    return named.get(kind, rates.vector)


def _gradient(weight: Tensor) -> Tensor:
    return weight.grad if weight.grad is not None else torch.zeros_like(weight)


def clip(gradients: list[Tensor], scale: Tensor, limit: float) -> Tensor:
    """Multiply gradients by `scale` and then down to a norm of `limit`; the norm before that. Never waits for a GPU."""
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))) * scale
    torch._foreach_mul_(gradients, scale * (limit / (norm + 1e-6)).clamp(max=1.0))
    return norm


class Average:
    """The running average of the weights, over a horizon that grows with the run up to 1 / (1 - decay) steps."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._decay = decay
        self._names = [name for name, _ in model.named_parameters()]
        self._live = [weight.data for weight in model.parameters()]
        self._mean = [weight.clone() for weight in self._live]

    def update(self, step: int) -> None:
        """Take the weights of this step in."""
        torch._foreach_lerp_(self._mean, self._live, 1 - min(self._decay, (1 + step) / (10 + step)))

    def state(self) -> dict[str, Tensor]:
        """The average by the weights' names."""
        return dict(zip(self._names, self._mean, strict=True))

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within this, the model's weights are the average."""
        kept = [weight.clone() for weight in self._live]
        torch._foreach_copy_(self._live, self._mean)
        try:
            yield
        finally:
            torch._foreach_copy_(self._live, kept)


def copy_named(to: dict[str, Tensor], source: dict[str, Tensor]) -> None:
    """Copy tensors into those of the same names and shapes; FormatError where they differ."""
    wanted, given = ({name: tuple(tensor.shape) for name, tensor in each.items()} for each in (to, source))
    if wanted != given:
        odd = sorted(name for name in {*wanted, *given} if wanted.get(name) != given.get(name))
        raise FormatError(f"tensors of another shape or name: {', '.join(odd[:4])}")
    for name, tensor in to.items():
        tensor.copy_(source[name])
