"""Train low-rank changes (LoRA) of a frozen model on a few documents, on a CPU, in minutes.

Only matrices of the last layers change; the output of the layers below is computed once per document
and cached. A document that the model predicts confidently is not learned from, so the time goes to
what it does not know yet. Some replayed documents keep it from forgetting. The result is the best state
by the held-back documents, the initial one included. With a budget in steps it depends only on the seed.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from worldline.core.errors import UsageError
from worldline.data.frames import DocumentPair
from worldline.model.hybrid import Linear, Trunk, rms_norm
from worldline.model.low_rank import DOWN_SUFFIX, UP_SUFFIX
from worldline.model.mixers import BatchLayout
from worldline.model.shape import Shape
from worldline.model.train.optimize import clip_gradients
from worldline.model.train.schedule import Clock, rate_factor
from worldline.model.weights import FloatArray, StoredArray, dequantize

# Nats of a whole document below which it counts as known: a probability of 95 %.
CONFIDENT_NATS = 0.05
# Shares of a budget of time that one evaluation and one step may take; a step costs more than a forward pass.
EVALUATION_SHARE, STEP_SHARE, STEP_COST = 0.05, 0.1, 3.0
ADAPTED_MODULES = tuple(f"{part}.{side}" for part in ("mixer", "mlp") for side in ("inner", "outer"))


@dataclass(frozen=True, kw_only=True)
class AdaptationConfig:
    """How low-rank changes are trained.

    Attributes:
        minutes: Budget of time, the preparation of the model included, unless `steps` is set.
        steps: Budget of steps.
        rank: Rank of the changes.
        layers: Number of last layers to change; 0 changes all.
        rate: Peak learning rate.
        together: Documents per step, one of them replayed.
        warmup: Steps over which the rate rises.
        cooldown: Last share of the budget, over which the rate falls to 0.
        evaluations: Number of evaluations on the held-back documents.
        patience: Evaluations without improvement before training stops.
        seed: Seed of the changes and of the document order.
    """

    minutes: float = 5.0
    steps: int = 0
    rank: int = 16
    layers: int = 5
    rate: float = 2e-3
    together: int = 4
    warmup: int = 8
    cooldown: float = 0.5
    evaluations: int = 5
    patience: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if not (self.minutes > 0 or self.steps > 0) or self.rate <= 0:
            raise UsageError("an adaptation needs minutes or steps above 0, and a rate above 0")
        if min(self.rank, self.together, self.evaluations, self.patience) < 1 or self.layers < 0:
            raise UsageError("rank, together, evaluations and patience must be at least 1, layers at least 0")


@dataclass(frozen=True)
class HeldBackLoss:
    """Mean loss of the held-back documents at a step, in nats per document."""

    step: int
    nats: float


@dataclass(frozen=True)
class LowRankChanges:
    """Result of a training.

    Attributes:
        tensors: The changes, by their names in a file.
        steps: Steps taken.
        documents: Documents learned from, repeats counted.
        evaluations: Loss of the held-back documents over time.
        cpu_seconds: Processor time used.
    """

    tensors: dict[str, FloatArray]
    steps: int
    documents: int
    evaluations: tuple[HeldBackLoss, ...]
    cpu_seconds: float


class LowRankLinear(nn.Module):
    """Frozen linear map plus a low-rank change, zero at first."""

    def __init__(self, linear: Linear, rank: int) -> None:
        super().__init__()
        rows, columns = linear.weight.shape
        self.linear = linear
        self.down = nn.Parameter(torch.randn(rank, columns) * columns**-0.5)
        self.up = nn.Parameter(torch.zeros(rows, rank))

    @property
    def weight(self) -> Tensor:
        """The changed weight, for a layer that joins it with others."""
        return self.linear.weight + self.up @ self.down

    def forward(self, x: Tensor) -> Tensor:
        changed: Tensor = self.linear(x) + functional.linear(functional.linear(x, self.down), self.up)
        return changed


@dataclass(frozen=True)
class _CachedDocument:
    """Tensors of a document, and the residual stream below the first changed layer."""

    data: Tensor
    layout: BatchLayout
    # Index of the byte that predicts the first byte of the steps.
    first: int
    stream: Tensor


@dataclass
class _AdaptedModel:
    """Model with changes in training."""

    model: Trunk
    # Number of layers below the changed ones.
    below: int
    parts: dict[str, LowRankLinear] = field(default_factory=dict)
    cache: dict[DocumentPair, _CachedDocument] = field(default_factory=dict)

    def nats(self, pair: DocumentPair) -> Tensor:
        """Loss of a document, summed over the bytes of its steps."""
        cached = self._cached(pair)
        x = rms_norm(_run_layers(self.model.layers[self.below :], cached.stream, cached.layout))
        logits = functional.linear(x[0, cached.first : -1], self.model.head)
        return functional.cross_entropy(logits, cached.data[0, cached.first + 1 :], reduction="sum")

    def mean_loss(self, pairs: Sequence[DocumentPair]) -> float:
        """Mean loss per document."""
        with torch.no_grad():
            return sum(float(self.nats(pair)) for pair in pairs) / max(1, len(pairs))

    def tensors(self) -> dict[str, FloatArray]:
        """Copy of the current changes."""
        sides = {UP_SUFFIX: "up", DOWN_SUFFIX: "down"}
        return {
            f"{name}.weight{end}": getattr(part, side).detach().numpy().copy()
            for name, part in self.parts.items()
            for end, side in sides.items()
        }

    @torch.no_grad()
    def _cached(self, pair: DocumentPair) -> _CachedDocument:
        if pair not in self.cache:
            model, prompt = self.model, len(pair[0])
            data = torch.tensor(list(pair[0] + pair[1])).unsqueeze(0)
            position = torch.arange(data.shape[1]).unsqueeze(0)
            layout = BatchLayout(position, torch.full_like(position, prompt), model.shape.window)
            x = functional.embedding(data, rms_norm(model.embed))
            stream = _run_layers(model.layers[: self.below], x, layout)
            self.cache[pair] = _CachedDocument(data, layout, prompt - 1, stream)
        return self.cache[pair]


def _run_layers(layers: Iterable[nn.Module], x: Tensor, layout: BatchLayout) -> Tensor:
    """Residual stream after some layers."""
    update = torch.zeros_like(x)
    for layer in layers:
        x, update, _ = layer(x, update, layout)
    return x + update


def train_changes(
    shape: Shape,
    weights: Mapping[str, StoredArray],
    documents: Sequence[DocumentPair],
    *,
    known: Sequence[DocumentPair] = (),
    held_back: Sequence[DocumentPair],
    how: AdaptationConfig,
    progress: Callable[[float, str], None] | None = None,
) -> LowRankChanges:
    """Train low-rank changes that improve a model on some documents.

    Args:
        shape: Shape of the model.
        weights: Weights as stored.
        documents: Documents to learn from.
        known: Documents to replay, so that the model does not forget them.
        held_back: Documents to select the best state by.
        how: Budget and hyperparameters.
        progress: Called with the share of the budget used and a status line.

    Returns:
        The best changes, and how training went.

    Raises:
        UsageError: There are no documents to learn from or to hold back.
    """
    if not documents or not held_back:
        raise UsageError("an adaptation needs documents to learn from and documents to hold back")
    started, began = time.process_time(), time.monotonic()
    with torch.random.fork_rng():
        torch.manual_seed(how.seed)
        model = _build_model(shape, weights, how)
    if not how.steps:
        documents, known, held_back = _fit_time(model, documents, known, held_back, how)
    evaluations = [HeldBackLoss(0, model.mean_loss(held_back))]
    best = model.tensors()
    sampler, steps = _DocumentSampler(model, documents, known, random.Random(how.seed)), 0
    clock = Clock(steps=how.steps, minutes=how.minutes, elapsed=time.monotonic() - began)
    for steps, share in _run_steps(sampler, how, clock):
        if progress is not None:
            progress(share, f"{evaluations[-1].nats:.2f} nats per held-back document")
        if share < len(evaluations) / how.evaluations and share < 1:
            continue
        evaluations.append(HeldBackLoss(steps, model.mean_loss(held_back)))
        lowest = min(
            evaluations, key=lambda evaluation: evaluation.nats if math.isfinite(evaluation.nats) else math.inf
        )
        if lowest is evaluations[-1]:
            best = model.tensors()
        if not math.isfinite(evaluations[-1].nats) or len(evaluations) - 1 - evaluations.index(lowest) >= how.patience:
            break
    return LowRankChanges(best, steps, sampler.count, tuple(evaluations), time.process_time() - started)


def _fit_time(
    model: _AdaptedModel,
    documents: Sequence[DocumentPair],
    known: Sequence[DocumentPair],
    held_back: Sequence[DocumentPair],
    how: AdaptationConfig,
) -> tuple[list[DocumentPair], list[DocumentPair], list[DocumentPair]]:
    """Choose documents that a budget of time allows: the shortest, by the measured time per byte.

    An evaluation must take a small share of the budget, and so must a step.
    """
    budget, began, selected = 60 * how.minutes, time.monotonic(), list[DocumentPair]()
    for pair in sorted(held_back, key=_length):
        model.mean_loss([pair])
        selected.append(pair)
        if time.monotonic() - began >= EVALUATION_SHARE * budget:
            break
    seconds_per_byte = (time.monotonic() - began) / sum(map(_length, selected))
    longest = STEP_SHARE * budget / (how.together * STEP_COST * seconds_per_byte)
    lessons, replayed = (
        [
            pair
            for number, pair in enumerate(sorted(pairs, key=_length))
            if number < how.together or _length(pair) < longest
        ]
        for pairs in (documents, known)
    )
    return lessons, replayed, selected


def _length(pair: DocumentPair) -> int:
    return len(pair[0]) + len(pair[1])


def _build_model(shape: Shape, weights: Mapping[str, StoredArray], how: AdaptationConfig) -> _AdaptedModel:
    model = Trunk(shape)
    named = dict(model.named_parameters())
    for name, array in dequantize(weights).items():
        named[name].data.copy_(torch.tensor(array))
    model.requires_grad_(False)
    below = max(0, len(model.layers) - how.layers) if how.layers else 0
    parts = {}
    for number in range(below, len(model.layers)):
        for place in ADAPTED_MODULES:
            side, _, name = place.partition(".")
            owner = getattr(model.layers[number], side)
            parts[f"layers.{number}.{place}"] = part = LowRankLinear(getattr(owner, name), how.rank)
            setattr(owner, name, part)
    return _AdaptedModel(model, below, parts)


class _DocumentSampler:
    """Documents in random order, round after round; confidently predicted ones skip every other round."""

    def __init__(
        self,
        learner: _AdaptedModel,
        documents: Sequence[DocumentPair],
        known: Sequence[DocumentPair],
        rng: random.Random,
    ) -> None:
        self.learner, self._documents, self._known, self._rng = learner, documents, known, rng
        self._waiting: list[DocumentPair] = []
        self._confident: set[DocumentPair] = set()
        self.count = 0

    def gradients(self, together: int) -> int:
        """Accumulate the gradients of some documents; return the number of bytes they cover."""
        size = 0
        for number in range(together):
            is_known = bool(self._known) and number == together - 1
            pair = self._rng.choice(self._known) if is_known else self._next()
            nats = self.learner.nats(pair)
            if float(nats.detach()) < CONFIDENT_NATS and not is_known:
                self._confident.add(pair)
                continue
            nats.backward()  # type: ignore[no-untyped-call]
            self.count += 1
            size += len(pair[1])
        return size

    def _next(self) -> DocumentPair:
        if not self._waiting:
            self._waiting = [pair for pair in self._documents if pair not in self._confident] or [*self._documents]
            self._confident.clear()
            self._rng.shuffle(self._waiting)
        return self._waiting.pop()


def _run_steps(sampler: _DocumentSampler, how: AdaptationConfig, clock: Clock) -> Iterator[tuple[int, float]]:
    """Run AdamW steps; yield the step number and the share of the budget used."""
    weights = [weight for part in sampler.learner.parts.values() for weight in (part.up, part.down)]
    optimizer = torch.optim.AdamW(weights, lr=how.rate, betas=(0.9, 0.95), weight_decay=0.0)
    step = 0
    while (share := clock.progress(step)) < 1:
        optimizer.zero_grad(set_to_none=True)
        size = sampler.gradients(how.together)
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        if gradients:
            clip_gradients(gradients, torch.tensor(1 / size), 1.0)
            rate = how.rate * rate_factor(share, step, warmup=how.warmup, cooldown=how.cooldown)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        step += 1
        yield step, clock.progress(step)
