"""Saves a training run: a checkpoint of whole tensors, written by the first trainer, from which any number can go on.

Tensors that are dealt among trainers are gathered one by one and held by the first alone. Each trainer writes where its
lanes of documents stand; the folder gets its name when all is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from worldline.core.errors import DivergedError
from worldline.model import checkpoint
from worldline.model.train.run import TrainingRun
from worldline.model.train.sharded import Portion, portions
from worldline.model.train.start import stream_name
from worldline.storage import files


def save(run: TrainingRun) -> Path:
    """A checkpoint of this moment, of weights that are numbers and the same everywhere."""
    _check_weights(run)
    out = checkpoint.folder_of(run.out, run.step)
    draft = checkpoint.begin(out) if run.ranks.first else checkpoint.draft_of(out)
    run.ranks.meet()
    for lane, state in run.behind.items():
        files.write(draft / stream_name(lane), state.to_bytes())
    placed = sum(state.position.get("documents", 0) - len(state.waiting) for state in run.behind.values())
    documents = int(run.ranks.total(placed))
    parts = {
        checkpoint.MODEL: portions(run.model), checkpoint.EMA: run.average.portions(),
        checkpoint.OPTIMIZER: run.optimizer.portions(),
    }  # fmt: skip
    for name, several in parts.items():
        tensors = _gathered(several, keep=run.ranks.first)
        if run.ranks.first:
            files.write(draft / name, checkpoint.to_bytes(tensors))
    run.ranks.meet()
    if run.ranks.first:
        facts = {"kind": "checkpoint", "shape": run.config.shape.to_json(), "step": run.step}
        facts |= {"elapsed": run.clock.elapsed, "documents": documents, "config": run.config.to_json()}
        checkpoint.finish(draft, out, {**facts, "trained_on": run.trained_on})
        checkpoint.prune(run.out, run.config.keep)
    run.ranks.meet()
    return out


def _check_weights(run: TrainingRun) -> None:
    """DivergedError unless the weights are numbers and, where each trainer has all of them, everywhere the same."""
    size = float(sum(part.here.double().abs().sum() for part in portions(run.model).values()))
    if run.sharded:
        size = run.ranks.total(size)
    if not math.isfinite(sum(found := run.ranks.agree(size, -size))) or sum(found) != 0.0:
        raise DivergedError(f"step {run.step}: the trainers' weights are no longer the same, or no numbers")


def _gathered(several: Mapping[str, Portion], *, keep: bool) -> dict[str, Tensor]:
    """Whole tensors, on the CPU, for the one who keeps them."""
    kept = {}
    for name, part in several.items():
        if keep or part.group is not None:
            tensor = part.whole()
            if keep:
                kept[name] = tensor.cpu() if part.group is not None else tensor
    return kept
