"""A running training: its state, and how it starts from new weights, a model or a checkpoint."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from torch import Tensor

from worldline.core.errors import UsageError
from worldline.data import batches, frames, sources
from worldline.data.lanes import Lanes
from worldline.model import checkpoint
from worldline.model.hybrid import LayerState, Trunk
from worldline.model.train import folder, sharded
from worldline.model.train import loss as train_loss
from worldline.model.train.config import Training
from worldline.model.train.drills import TutorProcess
from worldline.model.train.feed import FedBatch, Feed
from worldline.model.train.metrics import Metrics, MetricsFile, MetricsWriter, open_tracker
from worldline.model.train.optimize import Average, Optimizer
from worldline.model.train.ranks import TrainerRank
from worldline.model.train.schedule import Clock, find_phase
from worldline.model.train.start import StartPoint, list_training_data, load_weights, restore_checkpoint
from worldline.storage import files
from worldline.storage.remote import Folder


@dataclass(frozen=True)
class PendingStep:
    """A step whose loss is still on its way to the CPU, until `arrived`."""

    step: int
    fed: FedBatch
    facts: Tensor
    arrived: torch.cuda.Event | None

    def read(self) -> list[float]:
        """Return the loss in bits per byte, the gradient norm and the share of bytes to predict."""
        if self.arrived is not None:
            self.arrived.synchronize()
        return [float(value) for value in self.facts]


@dataclass
class TrainingRun:
    """State of a training run.

    Attributes:
        store: Where checkpoints are uploaded, if anywhere.
        drilled_at: When drills were last scored.
        layer_states: Layer states after the newest batch, if rows continue.
        stream_states: State of this trainer's lanes after the newest batch.
        pending: Steps whose losses have not been checked.
        logged_at: When metrics were last logged.
        metric_sums: Sums of metrics since then.
    """

    config: Training
    out: Path
    ranks: TrainerRank
    lanes: Lanes
    model: Trunk
    optimizer: Optimizer
    average: Average
    clock: Clock
    feed: Feed
    held_out: train_loss.HeldOut
    writers: list[MetricsWriter]
    step: int
    trained_on: list[dict[str, Any]]
    tutor: TutorProcess | None = None
    store: Folder | None = None
    drilled_at: float = 0.0
    layer_states: list[LayerState] | None = None
    stream_states: dict[int, batches.StreamState] = field(default_factory=dict)
    pending: deque[PendingStep] = field(default_factory=deque)
    logged_at: float = field(default_factory=monotonic)
    metric_sums: Metrics = field(default_factory=dict)

    @property
    def sharded(self) -> bool:
        """Whether the weights are sharded among several trainers."""
        return _is_sharded(self.config, self.ranks)


def start_run(config: Training, out: Path, ranks: TrainerRank, *, resume: bool) -> TrainingRun:
    """Start a run or resume it.

    Args:
        config: Configuration of the run.
        out: Folder of the run.
        ranks: This trainer's rank.
        resume: Whether to resume from the newest checkpoint; otherwise earlier checkpoints are removed.

    Returns:
        The run, ready for its first step.

    Raises:
        UsageError: The trainers see different checkpoints, or the checkpoint does not fit the configuration.
    """
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = Trunk(config.shape).to(ranks.device)
    saved = checkpoint.latest_checkpoint(out) if resume else None
    if ranks.is_first and not resume:
        folder.clear_folder(out)
    start = StartPoint()
    if saved is None and config.init_from is not None:
        start = load_weights(model, Path(config.init_from) if config.init_from != "shipped" else None)
    if ranks.device.type == "cuda" and config.compile:
        train_loss.compile_layers(model)
    if _is_sharded(config, ranks):
        sharded.shard_model(model, ranks.device, ranks.count)
    optimizer, average = Optimizer(model, config.rates), Average(model, config.ema)
    if saved is not None:
        start = restore_checkpoint(saved, config, model, optimizer, average)
    if sum(ranks.all_max(start.step, -start.step)) != 0:
        raise UsageError(f"trainers see different checkpoints in {out}: use a folder that all of them share")
    clock = Clock(steps=config.steps, minutes=config.minutes, elapsed=start.elapsed)
    if ranks.is_first:
        files.write(out / folder.CONFIG_FILE, json.dumps(config.to_json(), indent=1).encode())
    count = config.lanes or len(start.states) or ranks.count
    lanes = Lanes(count=count, rank=ranks.rank, ranks=ranks.count)
    lanes.check(phase.rows for phase in config.schedule)
    held_out = _load_held_out(config, out, ranks, lanes)
    writers = _open_writers(config, out, start.step) if ranks.is_first else []
    seen = list_training_data(config, start) if ranks.is_first else []
    feed = _open_feed(config, out, ranks, lanes, clock, start)
    stream_states = {n: start.states[n] for n in lanes.own} if start.states else {}
    return TrainingRun(
        config,
        out,
        ranks,
        lanes,
        model,
        optimizer,
        average,
        clock,
        feed,
        held_out,
        writers,
        start.step,
        seen,
        tutor=_start_tutor(config, out) if ranks.is_first else None,
        stream_states=stream_states,
    )


def _is_sharded(config: Training, ranks: TrainerRank) -> bool:
    return config.sharded and ranks.count > 1


def _start_tutor(config: Training, out: Path) -> TutorProcess | None:
    """Start the configured tutor, if any."""
    folder_path = str(out.resolve())
    return TutorProcess([word.replace("{run}", folder_path) for word in config.tutor]) if config.tutor else None


def _open_feed(config: Training, out: Path, ranks: TrainerRank, lanes: Lanes, clock: Clock, start: StartPoint) -> Feed:
    try:
        return Feed(
            [sources.fill_run_folder(source, out) for source in config.sources],
            lambda n: find_phase(config.schedule, clock.progress(n)),
            seed=str(config.seed),
            lanes=lanes,
            first=start.step,
            states=start.states,
            carry=config.carry,
            pinned=ranks.device.type == "cuda",
        )
    # The state names a shard that no longer exists.
    except IndexError as error:
        raise UsageError(
            f"a source has fewer shards than at step {start.step}: restore them, or start over (--fresh)"
        ) from error


def _load_held_out(config: Training, out: Path, ranks: TrainerRank, lanes: Lanes) -> train_loss.HeldOut:
    """Load the held-out documents: drawn once, stored with the run, the same after a resume.

    The first trainer evaluates on them. With sharded weights, all trainers do so together.
    """
    path = out / folder.HELD_OUT_FILE
    if config.held_out is None:
        return train_loss.HeldOut((), 0, 0)
    if ranks.is_first and not path.exists():
        source = sources.fill_run_folder(config.held_out, out)
        if isinstance(source, sources.Live):
            source = replace(source, repeat=1)
        stream = sources.open_source(source, seed=f"{config.seed}/held-out")
        try:
            documents_drawn = [stream.draw() for _ in range(config.held_out_documents)]
        finally:
            stream.close()
        files.write(path, b"".join(frames.encode_frame(pair) for pair in documents_drawn))
    if _is_sharded(config, ranks):
        ranks.barrier()
    elif not ranks.is_first:
        return train_loss.HeldOut((), 0, 0)
    longest = max(config.schedule, key=lambda phase: phase.time)
    documents = frames.parse_frames(files.read_plain(path, limit=checkpoint.MAX_FILE_BYTES))
    return train_loss.pack_held_out(documents, rows=lanes.most_rows(longest.rows), time=longest.time)


def _open_writers(config: Training, out: Path, step: int) -> list[MetricsWriter]:
    trackers = (open_tracker(name, out, config.to_json()) for name in config.trackers)
    return [MetricsFile(out, step=step), *trackers]
