"""A training run under way, and how it begins: with new weights, a model's, or where its own checkpoint left it."""

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
from worldline.data import batches, sources
from worldline.data.lanes import Lanes
from worldline.model import checkpoint
from worldline.model.hybrid import Carried, Trunk
from worldline.model.train import folder, sharded
from worldline.model.train import loss as train_loss
from worldline.model.train.config import Training
from worldline.model.train.drilled import TutorProcess
from worldline.model.train.feed import Fed, Feed
from worldline.model.train.metrics import Figures, MetricsFile, MetricsWriter, open_tracker
from worldline.model.train.optimize import Average, Optimizer
from worldline.model.train.ranks import TrainerRank
from worldline.model.train.schedule import Clock, phase_at
from worldline.model.train.start import Start, load_weights, restore, trained_on
from worldline.storage import files
from worldline.storage.remote import Folder


@dataclass(frozen=True)
class UnseenStep:
    """A step whose loss has not been looked at: the facts are on their way to the CPU until `arrived`."""

    step: int
    fed: Fed
    facts: Tensor
    arrived: torch.cuda.Event | None

    def read(self) -> list[float]:
        """Loss in bits a byte, gradient's norm, share of bytes to predict."""
        if self.arrived is not None:
            self.arrived.synchronize()
        return [float(value) for value in self.facts]


@dataclass
class TrainingRun:
    """A training in progress."""

    config: Training
    out: Path
    ranks: TrainerRank
    lanes: Lanes
    model: Trunk
    optimizer: Optimizer
    average: Average
    clock: Clock
    feed: Feed
    held: train_loss.HeldOut
    writers: list[MetricsWriter]
    step: int
    trained_on: list[dict[str, Any]]
    tutor: TutorProcess | None = None
    store: Folder | None = None  # where checkpoints are sent besides
    drilled: float = 0.0  # when drills were last scored
    carried: list[Carried] | None = None  # out of the newest batch's rows, if they go on
    # Where own lanes stand behind the newest batch.
    behind: dict[int, batches.StreamState] = field(default_factory=dict)
    unseen: deque[UnseenStep] = field(default_factory=deque)
    printed: float = field(default_factory=monotonic)  # when figures were last written
    summed: Figures = field(default_factory=dict)  # since then

    @property
    def sharded(self) -> bool:
        """Whether the weights are dealt among several trainers."""
        return _is_sharded(self.config, self.ranks)


def begin(config: Training, out: Path, ranks: TrainerRank, *, resume: bool) -> TrainingRun:
    """Begin a run, or go on with it."""
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = Trunk(config.shape).to(ranks.device)
    saved = checkpoint.latest(out) if resume else None
    if ranks.first and not resume:
        folder.clear(out)
    start = Start()
    if saved is None and config.init_from is not None:
        start = load_weights(model, Path(config.init_from) if config.init_from != "shipped" else None)
    if ranks.device.type == "cuda" and config.compile:
        train_loss.compiled(model)
    if _is_sharded(config, ranks):
        sharded.shard(model, ranks.device, ranks.count)
    optimizer, average = Optimizer(model, config.rates), Average(model, config.ema)
    if saved is not None:
        start = restore(saved, config, model, optimizer, average)
    if sum(ranks.agree(start.step, -start.step)) != 0:
        raise UsageError(f"trainers find other checkpoints in {out}: let it be a folder that they all share")
    clock = Clock(steps=config.steps, minutes=config.minutes, elapsed=start.elapsed)
    if ranks.first:
        files.write(out / folder.CONFIG, json.dumps(config.to_json(), indent=1).encode())
    count = config.lanes or len(start.states) or ranks.count
    lanes = Lanes(count=count, rank=ranks.rank, ranks=ranks.count)
    lanes.check(phase.rows for phase in config.schedule)
    held = _held_out(config, out, ranks, lanes)
    writers = _writers(config, out, start.step) if ranks.first else []
    seen = trained_on(config, start) if ranks.first else []
    feed = _open_feed(config, out, ranks, lanes, clock, start)
    behind = {n: start.states[n] for n in lanes.own} if start.states else {}
    return TrainingRun(
        config, out, ranks, lanes, model, optimizer, average, clock, feed, held, writers, start.step, seen,
        tutor=_tutor(config, out) if ranks.first else None, behind=behind,
    )  # fmt: skip


def _is_sharded(config: Training, ranks: TrainerRank) -> bool:
    return config.sharded and ranks.count > 1


def _tutor(config: Training, out: Path) -> TutorProcess | None:
    """The tutor that the configuration names, started."""
    place = str(out.resolve())
    return TutorProcess([word.replace("{run}", place) for word in config.tutor]) if config.tutor else None


def _open_feed(
    config: Training, out: Path, ranks: TrainerRank, lanes: Lanes, clock: Clock, start: Start
) -> Feed:
    try:
        return Feed(
            [sources.placed(source, out) for source in config.sources],
            lambda n: phase_at(config.schedule, clock.progress(n)), seed=str(config.seed), lanes=lanes,
            first=start.step, states=start.states, kept=config.carry, pinned=ranks.device.type == "cuda",
        )  # fmt: skip
    except IndexError as error:  # the state names a shard that is no longer there
        raise UsageError(
            f"a source has fewer shards than at step {start.step}: begin anew (--fresh)"
        ) from error


def _held_out(config: Training, out: Path, ranks: TrainerRank, lanes: Lanes) -> train_loss.HeldOut:
    """The documents held out: drawn once, kept beside the run, the same after a resume.

    The first trainer measures by them; where each has a part of the weights, all do so together.
    """
    path = out / folder.HELD_OUT
    if config.held_out is None:
        return train_loss.HeldOut((), 0, 0)
    if ranks.first and not path.exists():
        once = sources.placed(config.held_out, out)
        if isinstance(once, sources.Live):
            once = replace(once, repeat=1)
        stream = sources.open_source(once, seed=f"{config.seed}/held-out")
        try:
            drawn = [stream.draw() for _ in range(config.held_out_documents)]
        finally:
            stream.close()
        files.write(path, b"".join(sources.frame(pair) for pair in drawn))
    if _is_sharded(config, ranks):
        ranks.meet()
    elif not ranks.first:
        return train_loss.HeldOut((), 0, 0)
    longest = max(config.schedule, key=lambda phase: phase.time)
    documents = sources.frames(files.read_plain(path, limit=checkpoint.LIMIT))
    return train_loss.held_out(documents, rows=lanes.most_rows(longest.rows), time=longest.time)


def _writers(config: Training, out: Path, step: int) -> list[MetricsWriter]:
    trackers = (open_tracker(name, out, config.to_json()) for name in config.trackers)
    return [MetricsFile(out, step=step), *trackers]
