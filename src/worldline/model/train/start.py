"""Where a training run starts: from a model's weights, or where one of its own checkpoints left it.

What the weights have seen so far comes along. What the run goes on with must be what it began with, as far as its place
in the stream of documents depends on it. Weights that nothing is known of are the trainer's to make.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from worldline.core.errors import FormatError, UsageError
from worldline.data import batches
from worldline.model import checkpoint
from worldline.model.hybrid import Trunk
from worldline.model.train.config import Training, described
from worldline.model.train.optimize import Average, Optimizer
from worldline.model.train.sharded import fill, portions
from worldline.model.weights import widened


@dataclass(frozen=True)
class Start:
    """Where a run begins or goes on: with nothing done, unless a checkpoint says otherwise."""

    step: int = 0
    elapsed: float = 0.0
    states: tuple[batches.StreamState, ...] = ()  # of every lane
    trained_on: tuple[dict[str, Any], ...] = ()


def load_weights(model: Trunk, path: Path | None) -> Start:
    """Start from a model's weights; None is the shipped one."""
    folder = checkpoint.resolve(path)
    manifest = checkpoint.read_manifest(folder)
    name = checkpoint.weights_name(manifest)
    _, stored = checkpoint.read_weights(folder)
    fill(portions(model), {name: torch.tensor(array) for name, array in widened(stored).items()})
    known: dict[str, Any] = {key: manifest[key] for key in ("step", "trained_on") if key in manifest}
    return Start(trained_on=({"kind": "Model", "sha256": manifest["files"][name]["sha256"], **known},))


def restore(saved: Path, config: Training, model: Trunk, optimizer: Optimizer, average: Average) -> Start:
    """Go on from a checkpoint: weights, averages, optimizer, the place of every lane in the documents."""
    manifest = checkpoint.read_manifest(saved)
    if manifest.get("kind") != "checkpoint":
        raise UsageError(f"{saved} is a model to use, not a run to go on with: `init_from` starts from it")
    if missing := {"step", "elapsed", "config"} - manifest.keys():
        raise FormatError(f"{saved}: its manifest has no {', '.join(sorted(missing))}")
    _check_sources(saved, manifest["config"].get("sources", []), config)
    fill(portions(model), checkpoint.read_tensors(saved, checkpoint.MODEL, manifest))
    fill(average.portions(), checkpoint.read_tensors(saved, checkpoint.EMA, manifest))
    optimizer.restore(checkpoint.read_tensors(saved, checkpoint.OPTIMIZER, manifest), manifest["step"])
    count = sum(name.startswith("stream-") for name in manifest["files"])
    lanes = (checkpoint.read_file(saved, stream_name(n), manifest) for n in range(count))
    states = tuple(batches.state_from_bytes(data) for data in lanes)
    if states and config.lanes not in (0, count):
        raise UsageError(
            f"{saved} has {count} lanes of documents, not {config.lanes}: "
            "go on with as many, or begin anew (--fresh)"
        )
    return Start(manifest["step"], manifest["elapsed"], states, tuple(manifest.get("trained_on", ())))


def _check_sources(saved: Path, before: list[dict[str, Any]], config: Training) -> None:
    """UsageError if a run cannot go on with these sources: where it stands would mean nothing."""
    now, anew = config.to_json()["sources"], "go on with all of them, or begin anew (--fresh)"
    if len(before) != len(now):
        raise UsageError(f"{saved} was trained on {len(before)} sources, not on {len(now)}: {anew}")
    for n, (old, new) in enumerate(zip(before, now, strict=True), 1):
        had, has = len(old.get("paths", ())), len(new.get("paths", ()))
        if "paths" in new and has < had:
            raise UsageError(f"{saved}: source {n} had {had} files, not {has}: {anew}")


def stream_name(lane: int) -> str:
    """The file that says where a lane of documents stands."""
    return f"stream-{lane}.bin"


def trained_on(config: Training, start: Start) -> list[dict[str, Any]]:
    """What the weights have seen: what those that the run starts from had, and its own sources."""
    before = start.trained_on
    return [*before, *(source for source in described(config.to_json()) if source not in before)]
