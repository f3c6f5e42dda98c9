"""Trains low-rank changes of a frozen model on a few documents, on a CPU, in minutes.

Only matrices of the last layers are changed; what the layers below them make of a document is computed once and kept. A
document that the model is sure of is read and not learned from, so the time goes to what it does not know yet; some
documents of what it knew before are mixed in, so that it is not forgotten. What comes of it is the best by the
documents held back for that, the beginning included. The same for a seed, where the budget is steps and not minutes.
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
from worldline.data.sources import Pair
from worldline.model.hybrid import Matrix, Trunk, norm
from worldline.model.low_rank import DOWN, UP
from worldline.model.mixers import BatchLayout
from worldline.model.shape import Shape
from worldline.model.train.optimize import clip
from worldline.model.train.schedule import Clock, factor
from worldline.model.weights import Array, Stored, widened

SURE = 0.05  # nats of a whole document: it is written right with a probability of 95 %
PLACES = tuple(f"{part}.{side}" for part in ("mixer", "mlp") for side in ("inner", "outer"))


@dataclass(frozen=True, kw_only=True)
class Adapting:
    """How changes are trained: for `minutes` or `steps`, of `rank`, in the last `layers` layers (0: in all)."""

    minutes: float = 5.0
    steps: int = 0
    rank: int = 16
    layers: int = 5
    rate: float = 2e-3
    together: int = 4  # documents a step, one of them of what was known before
    warmup: int = 8  # steps
    cooldown: float = 0.5  # the last share of the budget, over which the rate falls to 0
    looks: int = 5  # at the documents held back
    patience: int = 2  # looks that may find nothing better
    seed: int = 0

    def __post_init__(self) -> None:
        if not (self.minutes > 0 or self.steps > 0) or self.rate <= 0:
            raise UsageError("an adaptation takes minutes or steps, and a rate above 0")
        if min(self.rank, self.together, self.looks, self.patience) < 1 or self.layers < 0:
            raise UsageError("rank, together, looks and patience are at least 1")


@dataclass(frozen=True)
class Look:
    """What a look at the documents held back found: when, and their nats, whole documents on average."""

    step: int
    nats: float


@dataclass(frozen=True)
class LowRankChanges:
    """What came of a training: the changes by the names of a file, and how it went."""

    tensors: dict[str, Array]
    steps: int
    documents: int  # learned from, repeats counted
    looks: tuple[Look, ...]
    cpu_seconds: float


class ChangedMatrix(nn.Module):
    """A frozen matrix and a low-rank change of it, which is nothing at first."""

    def __init__(self, matrix: Matrix, rank: int) -> None:
        super().__init__()
        rows, columns = matrix.weight.shape
        self.matrix = matrix
        self.down = nn.Parameter(torch.randn(rank, columns) * columns**-0.5)
        self.up = nn.Parameter(torch.zeros(rows, rank))

    @property
    def weight(self) -> Tensor:
        """The whole, for a layer that joins it with others."""
        return self.matrix.weight + self.up @ self.down

    def forward(self, x: Tensor) -> Tensor:
        changed: Tensor = self.matrix(x) + functional.linear(functional.linear(x, self.down), self.up)
        return changed


@dataclass(frozen=True)
class _Lesson:
    """A document as tensors, and the stream below the first changed layer."""

    data: Tensor
    layout: BatchLayout
    first: int  # the byte that predicts the first byte of the steps
    stream: Tensor


@dataclass
class _Learner:
    """A model with changes under way."""

    model: Trunk
    below: int  # layers that are not changed
    parts: dict[str, ChangedMatrix] = field(default_factory=dict)
    lessons: dict[Pair, _Lesson] = field(default_factory=dict)

    def nats(self, pair: Pair) -> Tensor:
        """What a document costs: the sum over the bytes of its steps."""
        lesson = self._lesson(pair)
        x = norm(_through(self.model.layers[self.below :], lesson.stream, lesson.layout))
        logits = functional.linear(x[0, lesson.first : -1], self.model.head)
        return functional.cross_entropy(logits, lesson.data[0, lesson.first + 1 :], reduction="sum")

    def look(self, pairs: Sequence[Pair]) -> float:
        """The mean of what documents cost, whole documents."""
        with torch.no_grad():
            return sum(float(self.nats(pair)) for pair in pairs) / max(1, len(pairs))

    def tensors(self) -> dict[str, Array]:
        """A copy of the changes as they are now."""
        sides = {UP: "up", DOWN: "down"}
        return {
            f"{name}.weight{end}": getattr(part, side).detach().numpy().copy()
            for name, part in self.parts.items()
            for end, side in sides.items()
        }

    @torch.no_grad()
    def _lesson(self, pair: Pair) -> _Lesson:
        if pair not in self.lessons:
            model, prompt = self.model, len(pair[0])
            data = torch.tensor(list(pair[0] + pair[1])).unsqueeze(0)
            position = torch.arange(data.shape[1]).unsqueeze(0)
            layout = BatchLayout(position, torch.full_like(position, prompt), model.shape.window)
            x = functional.embedding(data, norm(model.embed))
            stream = _through(model.layers[: self.below], x, layout)
            self.lessons[pair] = _Lesson(data, layout, prompt - 1, stream)
        return self.lessons[pair]


def _through(layers: Iterable[nn.Module], x: Tensor, layout: BatchLayout) -> Tensor:
    """The stream behind some layers."""
    added = torch.zeros_like(x)
    for layer in layers:
        x, added, _ = layer(x, added, layout)
    return x + added


def train_changes(
    shape: Shape,
    weights: Mapping[str, Stored],
    documents: Sequence[Pair],
    *,
    known: Sequence[Pair] = (),
    held_back: Sequence[Pair],
    how: Adapting,
    progress: Callable[[float, str], None] | None = None,
) -> LowRankChanges:
    """Changes of a model that make it better at `documents`, of which `known` is what it is not to forget."""
    if not documents or not held_back:
        raise UsageError("an adaptation needs documents to learn from, and some to hold back")
    begun = time.process_time()
    with torch.random.fork_rng():
        torch.manual_seed(how.seed)
        learner = _learner(shape, weights, how)
    looks = [Look(0, learner.look(held_back))]
    best = learner.tensors()
    drawn, steps = _Drawn(learner, documents, known, random.Random(how.seed)), 0
    for steps, share in _steps(drawn, how):
        if progress is not None:
            progress(share, f"{looks[-1].nats:.2f} nats a document held back")
        if share < len(looks) / how.looks and share < 1:
            continue
        looks.append(Look(steps, learner.look(held_back)))
        least = min(looks, key=lambda look: look.nats if math.isfinite(look.nats) else math.inf)
        if least is looks[-1]:
            best = learner.tensors()
        if not math.isfinite(looks[-1].nats) or len(looks) - 1 - looks.index(least) >= how.patience:
            break
    return LowRankChanges(best, steps, drawn.count, tuple(looks), time.process_time() - begun)


def _learner(shape: Shape, weights: Mapping[str, Stored], how: Adapting) -> _Learner:
    model = Trunk(shape)
    named = dict(model.named_parameters())
    for name, array in widened(weights).items():
        named[name].data.copy_(torch.tensor(array))
    model.requires_grad_(False)
    below = max(0, len(model.layers) - how.layers) if how.layers else 0
    parts = {}
    for number in range(below, len(model.layers)):
        for place in PLACES:
            side, _, name = place.partition(".")
            owner = getattr(model.layers[number], side)
            parts[f"layers.{number}.{place}"] = part = ChangedMatrix(getattr(owner, name), how.rank)
            setattr(owner, name, part)
    return _Learner(model, below, parts)


class _Drawn:
    """Documents in a drawn order, round after round; those that the model was sure of come in every other round."""

    def __init__(
        self, learner: _Learner, documents: Sequence[Pair], known: Sequence[Pair], rng: random.Random
    ) -> None:
        self.learner, self._documents, self._known, self._rng = learner, documents, known, rng
        self._waiting: list[Pair] = []
        self._sure: set[Pair] = set()
        self.count = 0

    def gradients(self, together: int) -> int:
        """Add up the gradients of some documents; how many bytes they are of."""
        size = 0
        for number in range(together):
            is_known = bool(self._known) and number == together - 1
            pair = self._rng.choice(self._known) if is_known else self._next()
            nats = self.learner.nats(pair)
            if float(nats.detach()) < SURE and not is_known:
                self._sure.add(pair)
                continue
            nats.backward()  # type: ignore[no-untyped-call]
            self.count += 1
            size += len(pair[1])
        return size

    def _next(self) -> Pair:
        if not self._waiting:
            self._waiting = [pair for pair in self._documents if pair not in self._sure] or [*self._documents]
            self._sure.clear()
            self._rng.shuffle(self._waiting)
        return self._waiting.pop()


def _steps(drawn: _Drawn, how: Adapting) -> Iterator[tuple[int, float]]:
    """Step after step of AdamW; how many there were, and the share of the budget that is used."""
    weights = [weight for part in drawn.learner.parts.values() for weight in (part.up, part.down)]
    optimizer = torch.optim.AdamW(weights, lr=how.rate, betas=(0.9, 0.95), weight_decay=0.0)
    clock, step = Clock(steps=how.steps, minutes=how.minutes), 0
    while (share := clock.progress(step)) < 1:
        optimizer.zero_grad(set_to_none=True)
        size = drawn.gradients(how.together)
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        if gradients:
            clip(gradients, torch.tensor(1 / size), 1.0)
            rate = how.rate * factor(share, step, warmup=how.warmup, cooldown=how.cooldown)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        step += 1
        yield step, clock.progress(step)
