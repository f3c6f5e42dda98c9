"""What is minimised, and what is measured on documents held out: bits a byte, answers, whole traces.

Teacher-forced: each byte is predicted from the true ones before it. What the model does by itself is measured through
the engine, not here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from worldline.data.batches import Batch, answer, document_places, pack
from worldline.data.sources import Pair
from worldline.model import kernels
from worldline.model.hybrid import Carried, Trunk
from worldline.model.train.feed import Tensors, tensors, to_device

SLICE = 1 << 26  # logits held at a time


def compiled(model: Trunk) -> None:
    """Compile each layer where it stands; each kind of layer, each batch shape and each mode is a graph of its own."""
    torch._dynamo.config.recompile_limit = 64
    for layer in model.layers:
        layer.compile(dynamic=False)


def _summed(x: Tensor, head: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    logits = functional.linear(x, head.to(x.dtype)).float()
    return (functional.cross_entropy(logits, target, reduction="none") * weight).sum()


def loss_sum(model: Trunk, batch: Tensors, carried: list[Carried] | None = None, *, kept: int = 0) -> Tensor:
    """The sum of the cross-entropies (in nats) of the bytes to be predicted; rows go on as `Trunk.hidden` says."""
    x = model.hidden(batch.data, batch.position, batch.prompt, carried, kept=kept).flatten(0, 1)
    target, weight = batch.data.roll(-1, 1).flatten().long(), batch.weight.flatten()
    size = max(1, SLICE // model.shape.vocabulary)
    summed: Any = kernels.compiled(_summed) if x.is_cuda else _summed
    if len(x) <= size:
        return cast(Tensor, summed(x, model.head, target, weight))
    parts = zip(*(torch.split(each, size) for each in (x, target, weight)), strict=True)
    sums: list[Any] = [checkpoint(summed, a, model.head, b, c, use_reentrant=False) for a, b, c in parts]
    return torch.stack(sums).sum()


@dataclass(frozen=True)
class HeldOut:
    """A fixed set of documents, packed; those longer than a row are left out and counted."""

    batches: tuple[Batch, ...]
    documents: int
    left_out: int


def held_out(documents: list[Pair], *, rows: int, time: int) -> HeldOut:
    """Pack documents for measuring."""
    fitting = [pair for pair in documents if len(pair[0]) + len(pair[1]) <= time and pair[0] and pair[1]]
    return HeldOut(tuple(pack(fitting, rows=rows, time=time)), len(fitting), len(documents) - len(fitting))


def measure(model: Trunk, held: HeldOut, device: torch.device, *, kept: int = 0) -> dict[str, float]:
    """Bits a byte, the share of documents whose answer's bytes are all the likeliest, and of whole traces.

    Gradients are not turned off, and rows carry nothing where training's carry something (`kept`): on a GPU the layers
    would be compiled a second time otherwise.
    """
    right: list[tuple[bool, bool]] = []
    total = count = 0.0
    for batch in held.batches:
        given = to_device(tensors(batch), device)
        logits = model(given.data, given.position, given.prompt, kept=kept).detach()
        target = given.data.roll(-1, 1).long()
        losses = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
        weight = given.weight.flatten()
        counted = weight > 0  # rows that no document fills may be anything, also nan
        total += float((losses[counted] * weight[counted]).sum())
        count += float(weight.sum())
        right += _right(batch, (logits.argmax(-1) == target).cpu().numpy())
    if not right:
        return {}
    answers, traces = zip(*right, strict=True)
    return {
        "held_out_bits": total / count / math.log(2),
        "held_out_answer": sum(answers) / len(right),
        "held_out_trace": sum(traces) / len(right),
        "held_out_documents": len(right),
    }


def _right(batch: Batch, hit: Any) -> list[tuple[bool, bool]]:
    """For each document: is its answer right, is every byte of its steps."""
    found = []
    for place in document_places(batch):
        steps = batch.data[place.row, place.steps : place.end].tobytes()
        hits = hit[place.row, place.steps - 1 : place.end - 1]  # the byte before predicts
        start, end = answer(steps)
        found.append((bool(np.all(hits[start:end])), bool(np.all(hits))))
    return found
