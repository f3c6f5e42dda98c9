"""Trains a model: `python -m worldline.model.train --recipe FILE --function NAME --out DIR`, under torchrun or not.

    batches (feed) -> loss -> gradients over all trainers (ranks) -> optimize -> checkpoint

On a CPU in float32 and, from files, to the bit the same after a resume; on a GPU activations are bfloat16 and layers
are compiled. SIGTERM saves and ends, at once even where documents are waited for; a loss that is no number stops the
run and names the batch. Needs torch, NumPy and safetensors alone.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from worldline import files
from worldline.data import batches, sources
from worldline.data.recipe import load_config
from worldline.errors import DivergedError, DryError, UsageError, WorldlineError
from worldline.model import checkpoint
from worldline.model.hybrid import Carried, Trunk
from worldline.model.train import folder
from worldline.model.train import loss as train_loss
from worldline.model.train.config import Training, begun_with, changed
from worldline.model.train.drilled import TutorProcess, scored
from worldline.model.train.feed import Fed, Feed, to_device
from worldline.model.train.metrics import Figures, MetricsFile, MetricsWriter, open_tracker
from worldline.model.train.optimize import Average, Optimizer, clip
from worldline.model.train.ranks import TrainerRank, join
from worldline.model.train.schedule import Clock, factor, phase_at
from worldline.model.train.start import Start, load_weights, restore, stream_name, trained_on, weights_of

PEAKS = {"H200": 990e12, "H100": 990e12, "A100": 312e12}  # bfloat16, dense
LAG = 2  # steps after which a loss is looked at: a GPU is never waited for


@dataclass(frozen=True)
class _Unseen:
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


class _Stop(Exception):
    """SIGTERM came while documents were waited for."""


@dataclass
class _Asked:
    """Whether SIGTERM has come. `waiting` says that it is to interrupt what is being done."""

    stop: bool = False
    waiting: bool = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler."""
        self.stop = True
        if self.waiting:
            self.waiting = False
            raise _Stop


@dataclass
class TrainingRun:
    """A training in progress."""

    config: Training
    out: Path
    ranks: TrainerRank
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
    drilled: float = 0.0  # when drills were last scored
    carried: list[Carried] | None = None  # out of the newest batch's rows, if they go on
    behind: batches.StreamState | None = None  # where the stream stands behind the newest batch trained on
    unseen: deque[_Unseen] = field(default_factory=deque)
    printed: float = field(default_factory=monotonic)  # when figures were last written
    summed: Figures = field(default_factory=dict)  # since then


def train(config: Training, out: Path, *, resume: bool = True, device: str | None = None) -> Path:
    """Train to the end, or until SIGTERM; the folder of the last checkpoint.

    With `resume` a run goes on from its newest checkpoint; without, those that are there are removed.
    """
    ranks = join(device)
    if ranks.device.type == "cpu":
        torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    with folder.held(out) if ranks.first else nullcontext():
        return _train(_begin(config, out, ranks, resume=resume))


def _train(run: TrainingRun) -> Path:
    ranks = run.ranks
    try:
        with _asked_to_stop() as asked:
            while True:
                fed = _drawn(run, asked)
                progress, stop = ranks.agree(run.clock.progress(run.step), float(asked.stop))
                if progress >= 1 or stop or fed is None:
                    break
                _habits(run, progress)
                _drill(run, progress)
                _advance(run, fed, progress)
        _look(run, 0)
        if progress >= 1:
            _tell(run, progress, evaluate=True)
        return _save(run)
    except DryError:  # what was learned until then is worth keeping
        if ranks.count == 1:
            _save(run)
        raise
    finally:
        run.feed.close()
        if run.tutor is not None:
            run.tutor.close()
        for writer in run.writers:
            writer.close()
        ranks.leave()


@contextmanager
def _asked_to_stop() -> Iterator[_Asked]:
    """Hears SIGTERM."""
    asked = _Asked()
    old = signal.signal(signal.SIGTERM, asked.hear)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGTERM, old)


def _drawn(run: TrainingRun, asked: _Asked) -> Fed | None:
    """The next batch; None if no more is needed, or if SIGTERM came before it did."""
    if run.clock.progress(run.step) >= 1:
        return None
    try:
        asked.waiting = True  # from here on a signal raises
        fed = None if asked.stop else next(run.feed)
        asked.waiting = False
        return fed
    except _Stop:
        return None


# ---- the beginning


def _begin(config: Training, out: Path, ranks: TrainerRank, *, resume: bool) -> TrainingRun:
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = Trunk(config.shape).to(ranks.device)
    saved = checkpoint.latest(out) if resume else None
    if ranks.first and not resume:
        folder.clear(out)
    start = Start()
    if saved is None and config.init_from is not None:
        start = load_weights(model, Path(config.init_from) if config.init_from != "shipped" else None)
    optimizer, average = Optimizer(model, config.rates), Average(model, config.ema)
    if saved is not None:
        start = restore(saved, config, ranks.rank, model, optimizer, average)
    if ranks.device.type == "cuda" and config.compile:
        train_loss.compiled(model)
    clock = Clock(steps=config.steps, minutes=config.minutes, elapsed=start.elapsed)
    if ranks.first:
        files.write(out / folder.CONFIG, json.dumps(config.to_json(), indent=1).encode())
    held = _held_out(config, out, ranks)
    writers = _writers(config, out, start.step) if ranks.first else []
    seen = trained_on(config, start) if ranks.first else []
    feed = _open_feed(config, out, ranks, clock, start)
    return TrainingRun(
        config, out, ranks, model, optimizer, average, clock, feed, held, writers, start.step, seen,
        tutor=_tutor(config, out) if ranks.first else None, behind=start.state,
    )  # fmt: skip


def _tutor(config: Training, out: Path) -> TutorProcess | None:
    """The tutor that the configuration names, started."""
    place = str(out.resolve())
    return TutorProcess([word.replace("{run}", place) for word in config.tutor]) if config.tutor else None


def _open_feed(config: Training, out: Path, ranks: TrainerRank, clock: Clock, start: Start) -> Feed:
    state = start.state
    try:
        mixed = sources.Mixed(
            [sources.placed(source, out) for source in config.sources], seed=str(config.seed), rank=ranks.rank,
            ranks=ranks.count, begun=start.step, state=state.position if state else None,
        )  # fmt: skip
    except IndexError as error:  # the state names a shard that is no longer there
        raise UsageError(
            f"a source has fewer shards than at step {start.step}: begin anew (--fresh)"
        ) from error
    return Feed(
        mixed, lambda n: phase_at(config.schedule, clock.progress(n)), first=start.step,
        waiting=state.waiting if state else (), kept=config.carry, pinned=ranks.device.type == "cuda",
    )  # fmt: skip


def _held_out(config: Training, out: Path, ranks: TrainerRank) -> train_loss.HeldOut:
    """The documents held out: drawn once, kept beside the run, the same after a resume."""
    path = out / folder.HELD_OUT
    if config.held_out is None or not ranks.first:
        return train_loss.HeldOut((), 0, 0)
    if not path.exists():
        once = sources.placed(config.held_out, out)
        if isinstance(once, sources.Live):
            once = replace(once, repeat=1)
        stream = sources.open_source(once, seed=f"{config.seed}/held-out")
        try:
            drawn = [stream.draw() for _ in range(config.held_out_documents)]
        finally:
            stream.close()
        files.write(path, b"".join(sources.frame(pair) for pair in drawn))
    longest = max(config.schedule, key=lambda phase: phase.time)
    documents = sources.frames(files.read_plain(path, limit=checkpoint.LIMIT))
    return train_loss.held_out(documents, rows=longest.rows, time=longest.time)


def _writers(config: Training, out: Path, step: int) -> list[MetricsWriter]:
    trackers = (open_tracker(name, out, config.to_json()) for name in config.trackers)
    return [MetricsFile(out, step=step), *trackers]


# ---- a step


def _advance(run: TrainingRun, fed: Fed, progress: float) -> None:
    config = run.config
    given = to_device(fed.tensors, run.ranks.device)
    run.model.zero_grad(set_to_none=True)
    size = given.data.numel()
    # Of every byte: trainers differ in how many they predict.
    carried = _carried(run, len(given.data))
    loss = train_loss.loss_sum(run.model, given, carried, kept=config.carry) / size
    loss.backward()  # type: ignore[no-untyped-call]
    # With rows that are all prompt there may be nothing to predict: then the gradient is 0, and stays it.
    facts = torch.stack([loss.detach(), given.weight.sum().clamp(min=1) / size])
    gradients = [weight.grad for weight in run.model.parameters() if weight.grad is not None]
    run.ranks.mean_([*gradients, facts])
    mean, share = facts.unbind()
    norm = clip(gradients, 1 / share, config.rates.clip)
    run.optimizer.step(factor(progress, run.step, warmup=config.warmup, cooldown=config.cooldown))
    run.average.update(run.step)
    run.unseen.append(_unseen(run.step, fed, torch.stack([mean / share / math.log(2), norm, share])))
    run.step, run.behind = run.step + 1, fed.state
    _look(run, LAG)


def _carried(run: TrainingRun, rows: int) -> list[Carried] | None:
    """What the rows of the batch before carry into as many rows of this one."""
    if run.config.carry and (run.carried is None or len(run.carried[0][0]) != rows):
        run.carried = run.model.nothing(rows, kept=run.config.carry)
    return run.carried


def _unseen(step: int, fed: Fed, facts: Tensor) -> _Unseen:
    there = facts.to("cpu", non_blocking=True)
    arrived = torch.cuda.Event() if facts.is_cuda else None  # type: ignore[no-untyped-call]
    if arrived is not None:
        arrived.record()
    return _Unseen(step, fed, there, arrived)


def _habits(run: TrainingRun, progress: float) -> None:
    """What is done every so many steps, but for the first and the last."""
    config = run.config
    if not run.unseen:
        return
    measure = bool(config.eval_every) and run.step % config.eval_every == 0
    if measure or run.step % config.log_every == 0:
        _tell(run, progress, evaluate=measure)
    if config.save_every and run.step % config.save_every == 0:
        _save(run)


def _drill(run: TrainingRun, progress: float) -> None:
    """Let the average of the weights do the tutor's next set, if it is time and there is one."""
    if run.tutor is None or monotonic() - run.drilled < run.config.drill_every:
        return
    documents = run.tutor.drills()
    if documents is not None:
        with run.average.in_place():
            phase = phase_at(run.config.schedule, progress)
            run.tutor.tell(scored(run.model, documents, phase, run.ranks.device, kept=run.config.carry))
        run.drilled = monotonic()


def _look(run: TrainingRun, lag: int) -> None:
    """Look at the losses that are `lag` steps old: by now they are there."""
    while len(run.unseen) > lag:
        oldest = run.unseen.popleft()
        loss, norm, share = oldest.read()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise DivergedError(_name_batch(run, oldest, loss, norm))
        size = oldest.fed.batch.data.size * run.ranks.count
        news = {"loss": loss, "norm": norm, "share": share, "bytes": size, "seen": 1}
        run.summed = {name: run.summed.get(name, 0.0) + value for name, value in news.items()}


def _name_batch(run: TrainingRun, bad: _Unseen, loss: float, norm: float) -> str:
    """Write down which documents the batch held; what to say."""
    found = {
        "step": bad.step, "loss": str(loss), "norm": str(norm), "rank": run.ranks.rank,
        "documents": batches.digests(bad.fed.batch),
    }  # fmt: skip
    path = run.out / ("diverged.json" if run.ranks.first else f"diverged-{run.ranks.rank}.json")
    files.write(path, json.dumps(found, indent=1).encode())
    return f"step {bad.step}: the loss is {loss}, its gradient's norm {norm}; the batch's documents are in {path}"


# ---- telling and saving


def _tell(run: TrainingRun, progress: float, *, evaluate: bool) -> None:
    """Figures since the last time; with `evaluate` those of the held-out documents too."""
    figures, run.summed = run.summed, {}
    now = monotonic()
    if not run.ranks.first or not figures:
        return
    speed = figures["bytes"] / (now - run.printed)
    seen = figures["seen"]
    row = {
        "progress": progress, "loss": figures["loss"] / seen, "norm": figures["norm"] / seen,
        "share": figures["share"] / seen, "bytes_per_second": speed, "mfu": _mfu(run, speed),
        "elapsed": run.clock.elapsed, **run.feed.counts,
    }  # fmt: skip
    if evaluate and run.held.batches:
        with run.average.in_place():
            row |= train_loss.measure(run.model, run.held, run.ranks.device, kept=run.config.carry)
    for writer in run.writers:
        writer.write(run.step, row)
    print(_line(run.step, row), flush=True)
    run.printed = monotonic()


def _mfu(run: TrainingRun, speed: float) -> float:
    peak = run.config.peak
    if not peak and run.ranks.device.type == "cuda":
        name = torch.cuda.get_device_name(run.ranks.device)
        peak = next((value for known, value in PEAKS.items() if known in name), 0.0)
    size = sum(weight.numel() for weight in run.model.parameters())
    return 6 * size * speed / (peak * run.ranks.count) if peak else 0.0


def _line(step: int, row: Figures) -> str:
    line = (
        f"step {step:6d}  {row['progress']:6.1%}  loss {row['loss']:.4f} bits  norm {row['norm']:.3f}  "
        f"{row['bytes_per_second'] / 1e3:,.0f} kB/s  mfu {row['mfu']:.1%}"
    )
    if "fresh" in row:
        line += (
            f"  again {row['again'] / max(1, row['fresh'] + row['again']):.0%} waited {row['waited']:.0f}s"
        )
    if "held_out_bits" in row:
        line += (
            f"  | held out {row['held_out_bits']:.4f} bits  answer {row['held_out_answer']:.1%}  "
            f"trace {row['held_out_trace']:.1%}"
        )
    return line


def _save(run: TrainingRun) -> Path:
    """A checkpoint of this moment, of weights that are numbers and the same everywhere."""
    _look(run, 0)
    size = float(sum(weight.detach().double().abs().sum() for weight in run.model.parameters()))
    if sum(run.ranks.agree(size, -size)) != 0.0:
        raise DivergedError(f"step {run.step}: the trainers' weights are no longer the same")
    out = checkpoint.folder_of(run.out, run.step)
    draft = checkpoint.begin(out) if run.ranks.first else checkpoint.draft_of(out)
    run.ranks.meet()
    if run.behind is not None:
        files.write(draft / stream_name(run.ranks.rank), run.behind.to_bytes())
    run.ranks.meet()
    if run.ranks.first:
        parts = {
            checkpoint.MODEL: weights_of(run.model), checkpoint.EMA: run.average.state(),
            checkpoint.OPTIMIZER: run.optimizer.state(),
        }  # fmt: skip
        for name, tensors in parts.items():
            files.write(draft / name, checkpoint.to_bytes(tensors))
        facts = {"kind": "checkpoint", "shape": run.config.shape.to_json(), "step": run.step}
        facts |= {"elapsed": run.clock.elapsed, "config": run.config.to_json(), "trained_on": run.trained_on}
        checkpoint.finish(draft, out, facts)
        checkpoint.prune(run.out, run.config.keep)
    run.ranks.meet()
    return out


# ---- the command


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.model.train", description="train a model by a recipe"
    )
    parser.add_argument("--recipe", required=True, help="a recipe's name or file")
    parser.add_argument("--function", default="training", help="the function in it that returns a Training")
    parser.add_argument("--out", required=True, type=Path, help="the run's folder")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--minutes", type=float, help="instead of the recipe's")
    parser.add_argument("--curriculum", help="what the recipe's tutor begins with: `worldline learn -o FILE`")
    parser.add_argument("--fresh", action="store_true", help="begin anew even if the folder has a checkpoint")
    asked = parser.parse_args(argv)
    try:
        config = load_config(asked.recipe, asked.function, Training)
        if asked.steps or asked.minutes:
            config = changed(config, steps=asked.steps or 0, minutes=asked.minutes or 0.0)
        if asked.curriculum:
            config = begun_with(config, asked.curriculum)
        print(train(config, asked.out, resume=not asked.fresh, device=asked.device))
    except WorldlineError as error:
        print(f"error[{error.slug}]: {error}", file=sys.stderr)
        return error.exit_code
    return 0
