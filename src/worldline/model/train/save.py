"""Save a training run as a checkpoint of whole tensors, from which any number of trainers can resume.

The first trainer gathers sharded tensors one by one and writes them. Each trainer writes the stream
state of its own lanes. The folder gets its name when everything is there.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from worldline.core.errors import DiskError, DivergedError, WorldlineError
from worldline.model import checkpoint, model_folder
from worldline.model.train import store
from worldline.model.train.run import TrainingRun
from worldline.model.train.sharded import LocalShard, local_shards
from worldline.model.train.start import stream_file
from worldline.storage import files


def save_and_publish(run: TrainingRun, *, last: bool = False) -> Path:
    """Save a checkpoint and upload it, if the run has a store.

    A failed upload does not stop training: only the last checkpoint must arrive.

    Args:
        run: Run to save, its pending losses checked.
        last: Whether this is the last checkpoint.

    Returns:
        Folder of the checkpoint.

    Raises:
        DiskError: The last checkpoint could not be uploaded.
        DivergedError: The weights are not finite or differ between trainers.
    """
    saved = save_checkpoint(run)
    if run.store is not None and run.ranks.is_first:
        try:
            store.publish_checkpoint(saved, run.store, keep=run.config.keep)
        except WorldlineError as error:
            if last:
                raise DiskError(
                    f"{saved} is complete but not on the store: {error}; run the command again to upload it"
                ) from error
            print(f"worldline: uploading {saved} failed; training continues: {error}", file=sys.stderr, flush=True)
    return saved


def save_checkpoint(run: TrainingRun) -> Path:
    """Save a checkpoint of finite weights that are equal on all trainers; return its folder."""
    _check_weights(run)
    out = checkpoint.checkpoint_path(run.out, run.step)
    draft = model_folder.create_draft(out) if run.ranks.is_first else model_folder.draft_path(out)
    run.ranks.barrier()
    for lane, state in run.stream_states.items():
        files.write(draft / stream_file(lane), state.to_bytes())
    used = sum(state.position.get("documents", 0) - len(state.waiting) for state in run.stream_states.values())
    documents = int(run.ranks.all_sum(used))
    parts = {
        model_folder.MODEL: local_shards(run.model),
        model_folder.EMA: run.average.local_shards(),
        model_folder.OPTIMIZER: run.optimizer.local_shards(),
    }
    for name, shards in parts.items():
        tensors = _gather(shards, is_writer=run.ranks.is_first)
        if run.ranks.is_first:
            files.write(draft / name, checkpoint.to_bytes(tensors))
    run.ranks.barrier()
    if run.ranks.is_first:
        facts = {"kind": "checkpoint", "shape": run.config.shape.to_json(), "step": run.step}
        facts |= {"modes": list(run.config.modes)} if run.config.modes else {}
        facts |= {"elapsed": run.clock.elapsed, "documents": documents, "config": run.config.to_json()}
        model_folder.commit_draft(draft, out, {**facts, "trained_on": run.trained_on})
        checkpoint.prune_checkpoints(run.out, run.config.keep)
    run.ranks.barrier()
    return out


def _check_weights(run: TrainingRun) -> None:
    """Raise DivergedError unless the weights are finite and, if every trainer has all, equal everywhere."""
    size = float(sum(part.local.double().abs().sum() for part in local_shards(run.model).values()))
    if run.sharded:
        size = run.ranks.all_sum(size)
    if not math.isfinite(sum(extremes := run.ranks.all_max(size, -size))) or sum(extremes) != 0.0:
        raise DivergedError(f"step {run.step}: the weights are not finite, or differ between trainers")


def _gather(shards: Mapping[str, LocalShard], *, is_writer: bool) -> dict[str, Tensor]:
    """Whole tensors on the CPU, for the trainer that writes them."""
    tensors = {}
    for name, part in shards.items():
        if is_writer or part.group is not None:
            tensor = part.gather()
            if is_writer:
                tensors[name] = tensor.cpu() if part.group is not None else tensor
    return tensors
