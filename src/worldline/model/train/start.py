"""Start of a training run: from a model's weights, or from the run's own checkpoint.

A checkpoint also records what the weights were trained on. A resumed run must have the same sources,
as far as the position in the document stream depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from worldline.core.errors import FormatError, UsageError
from worldline.data import batches
from worldline.model import checkpoint, model_folder
from worldline.model.hybrid import Trunk
from worldline.model.train.config import Training, describe_sources
from worldline.model.train.optimize import Average, Optimizer
from worldline.model.train.sharded import copy_tensors, local_shards
from worldline.model.weights import dequantize


@dataclass(frozen=True)
class StartPoint:
    """Where a run starts; by default with nothing done.

    Attributes:
        step: Steps done.
        elapsed: Seconds trained.
        states: Stream state of every lane.
        trained_on: What the weights were trained on so far.
    """

    step: int = 0
    elapsed: float = 0.0
    states: tuple[batches.StreamState, ...] = ()
    trained_on: tuple[dict[str, Any], ...] = ()


def load_weights(model: Trunk, path: Path | None) -> StartPoint:
    """Load a model's weights; None means the shipped model."""
    folder = checkpoint.resolve(path)
    manifest = checkpoint.read_manifest(folder)
    name = checkpoint.weights_file(manifest)
    _, stored = checkpoint.read_weights(folder)
    copy_tensors(local_shards(model), {name: torch.tensor(array) for name, array in dequantize(stored).items()})
    known: dict[str, Any] = {key: manifest[key] for key in ("step", "trained_on") if key in manifest}
    return StartPoint(trained_on=({"kind": "Model", "sha256": manifest["files"][name]["sha256"], **known},))


def restore_checkpoint(
    saved: Path, config: Training, model: Trunk, optimizer: Optimizer, average: Average
) -> StartPoint:
    """Restore weights, averages, optimizer and stream positions from a checkpoint.

    Args:
        saved: Folder of the checkpoint.
        config: Configuration of the run.
        model: Model to fill.
        optimizer: Optimizer to fill.
        average: Average to fill.

    Returns:
        Where the run continues.

    Raises:
        UsageError: The folder is not a checkpoint, or its sources or lanes differ from the configuration's.
        FormatError: The checkpoint is damaged.
    """
    manifest = checkpoint.read_manifest(saved)
    if manifest.get("kind") != "checkpoint":
        raise UsageError(f"{saved} is a model, not a checkpoint to resume: set `init_from` to start from it")
    if missing := {"step", "elapsed", "config"} - manifest.keys():
        raise FormatError(f"{saved}: its manifest lacks {', '.join(sorted(missing))}")
    _check_sources(saved, manifest["config"].get("sources", []), config)
    copy_tensors(local_shards(model), checkpoint.read_tensors(saved, model_folder.MODEL, manifest))
    copy_tensors(average.local_shards(), checkpoint.read_tensors(saved, model_folder.EMA, manifest))
    optimizer.restore(checkpoint.read_tensors(saved, model_folder.OPTIMIZER, manifest), manifest["step"])
    count = sum(name.startswith("stream-") for name in manifest["files"])
    lanes = (checkpoint.read_file(saved, stream_file(n), manifest) for n in range(count))
    states = tuple(batches.parse_stream_state(data) for data in lanes)
    if states and config.lanes not in (0, count):
        raise UsageError(
            f"{saved} has {count} lanes of documents, not {config.lanes}: "
            "resume with the same number, or start over (--fresh)"
        )
    return StartPoint(manifest["step"], manifest["elapsed"], states, tuple(manifest.get("trained_on", ())))


def _check_sources(saved: Path, before: list[dict[str, Any]], config: Training) -> None:
    """Raise UsageError if the sources changed so that the position in the stream is meaningless."""
    now, advice = config.to_json()["sources"], "resume with all of them, or start over (--fresh)"
    if len(before) != len(now):
        raise UsageError(f"{saved} was trained on {len(before)} sources, not on {len(now)}: {advice}")
    for n, (old, new) in enumerate(zip(before, now, strict=True), 1):
        old_count, new_count = len(old.get("paths", ())), len(new.get("paths", ()))
        if "paths" in new and new_count < old_count:
            raise UsageError(f"{saved}: source {n} had {old_count} files, not {new_count}: {advice}")


def stream_file(lane: int) -> str:
    """Return the name of the file with a lane's stream state."""
    return f"stream-{lane}.bin"


def list_training_data(config: Training, start: StartPoint) -> list[dict[str, Any]]:
    """List what the weights were trained on: the data of the start model and the run's own sources."""
    before = start.trained_on
    return [*before, *(source for source in describe_sources(config.to_json()) if source not in before)]
