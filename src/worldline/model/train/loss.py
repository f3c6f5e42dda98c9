"""Training loss, and evaluation on held-out documents: bits per byte, answers, whole traces.

Both are teacher-forced: each byte is predicted from the true bytes before it. Free-running prediction
is measured through the engine.
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

from worldline.data.batches import Batch, locate_answer, locate_documents, pack
from worldline.data.frames import DocumentPair
from worldline.model import kernels
from worldline.model.hybrid import LayerState, Trunk
from worldline.model.train.feed import BatchTensors, to_device, to_tensors

# Logits held at a time.
MAX_LOGITS = 1 << 26


def compile_layers(model: Trunk) -> None:
    """Compile each layer in place. Each layer kind, batch shape and mode is its own graph."""
    torch._dynamo.config.recompile_limit = 64
    for layer in model.layers:
        layer.compile(dynamic=False)


def _cross_entropy_sum(x: Tensor, head: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    logits = functional.linear(x, head.to(x.dtype)).float()
    return (functional.cross_entropy(logits, target, reduction="none") * weight).sum()


def loss_sum(model: Trunk, batch: BatchTensors, states: list[LayerState] | None = None, *, carry: int = 0) -> Tensor:
    """Sum the cross-entropies of the bytes to predict, in nats.

    Args:
        model: Model to train.
        batch: Tensors on the model's device.
        states: State of each layer after the previous rows; replaced in place.
        carry: Prompt bytes that stay visible in the next row.

    Returns:
        The sum, a scalar.
    """
    x = model.hidden(batch.data, batch.position, batch.prompt, states, carry=carry).flatten(0, 1)
    target, weight = batch.data.roll(-1, 1).flatten().long(), batch.weight.flatten()
    size = max(1, MAX_LOGITS // model.shape.vocabulary)
    summed: Any = kernels.compile_once(_cross_entropy_sum) if x.is_cuda else _cross_entropy_sum
    if len(x) <= size:
        return cast(Tensor, summed(x, model.head, target, weight))
    parts = zip(*(torch.split(tensor, size) for tensor in (x, target, weight)), strict=True)
    sums: list[Any] = [checkpoint(summed, a, model.head, b, c, use_reentrant=False) for a, b, c in parts]
    return torch.stack(sums).sum()


@dataclass(frozen=True)
class HeldOut:
    """Fixed set of packed documents. Documents longer than a row are left out and counted."""

    batches: tuple[Batch, ...]
    documents: int
    left_out: int


def pack_held_out(documents: list[DocumentPair], *, rows: int, time: int) -> HeldOut:
    """Pack documents for evaluation into batches of `rows` rows of `time` bytes."""
    fitting = [pair for pair in documents if len(pair[0]) + len(pair[1]) <= time and pair[0] and pair[1]]
    return HeldOut(tuple(pack(fitting, rows=rows, time=time)), len(fitting), len(documents) - len(fitting))


def evaluate(model: Trunk, held: HeldOut, device: torch.device, *, carry: int = 0) -> dict[str, float]:
    """Evaluate a model on held-out documents.

    Gradients stay enabled, and `carry` must be that of training: otherwise a GPU would compile the layers
    again.

    Args:
        model: Model to evaluate.
        held: Packed documents.
        device: Device of the model.
        carry: Carried prompt bytes, as in training.

    Returns:
        Bits per byte, and the shares of documents whose answer and whose whole trace are right.
        Empty if there are no documents.
    """
    verdicts: list[tuple[bool, bool]] = []
    total = count = 0.0
    for batch in held.batches:
        inputs = to_device(to_tensors(batch), device)
        logits = model(inputs.data, inputs.position, inputs.prompt, carry=carry).detach()
        target = inputs.data.roll(-1, 1).long()
        losses = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
        weight = inputs.weight.flatten()
        # Losses of filler rows are arbitrary and may be nan.
        counted = weight > 0
        total += float((losses[counted] * weight[counted]).sum())
        count += float(weight.sum())
        verdicts += _judge_documents(batch, (logits.argmax(-1) == target).cpu().numpy())
    if not verdicts:
        return {}
    answers, traces = zip(*verdicts, strict=True)
    return {
        "held_out_bits": total / count / math.log(2),
        "held_out_answer": sum(answers) / len(verdicts),
        "held_out_trace": sum(traces) / len(verdicts),
        "held_out_documents": len(verdicts),
    }


def _judge_documents(batch: Batch, hit: Any) -> list[tuple[bool, bool]]:
    """For each document: whether its answer is right, and whether every byte of its steps is."""
    verdicts = []
    for place in locate_documents(batch):
        steps = batch.data[place.row, place.steps : place.end].tobytes()
        # Each byte is predicted at the byte before it.
        hits = hit[place.row, place.steps - 1 : place.end - 1]
        start, end = locate_answer(steps)
        verdicts.append((bool(np.all(hits[start:end])), bool(np.all(hits))))
    return verdicts
