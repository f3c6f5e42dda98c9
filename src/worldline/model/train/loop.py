"""Trains a model: `python -m worldline.model.train --recipe FILE --function NAME --out DIR`, under torchrun or not.

    batches (feed) -> loss -> gradients over all trainers (ranks, sharded) -> optimize -> save

On a CPU in float32 and, from files, to the bit the same after a resume; on a GPU activations are bfloat16 and layers
are compiled. SIGTERM saves and ends, at once even where documents are waited for; a loss that is no number stops the
run and names the batch. Needs torch, NumPy and safetensors alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from types import FrameType

import torch
from torch import Tensor

from worldline.core.errors import DiskError, DivergedError, DryError, WorldlineError
from worldline.data import batches
from worldline.data.recipe import load_config
from worldline.model.hybrid import Carried
from worldline.model.train import folder, store
from worldline.model.train import loss as train_loss
from worldline.model.train.config import Training, begun_with, changed
from worldline.model.train.drilled import scored
from worldline.model.train.feed import Fed, to_device
from worldline.model.train.metrics import Figures, line
from worldline.model.train.optimize import clip
from worldline.model.train.ranks import join
from worldline.model.train.run import TrainingRun, UnseenStep, begin
from worldline.model.train.save import save
from worldline.model.train.schedule import factor, phase_at
from worldline.model.train.sharded import portion
from worldline.storage import files, remote

PEAKS = {"H200": 990e12, "H100": 990e12, "A100": 312e12}  # bfloat16, dense
LAG = 2  # steps after which a loss is looked at: a GPU is never waited for


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


def train(
    config: Training, out: Path, *, resume: bool = True, device: str | None = None, kept: str | None = None
) -> Path:
    """Train to the end, or until SIGTERM; the folder of the last checkpoint.

    With `resume` a run goes on from its newest checkpoint; without, those that are there are removed. `kept`: a URL
    where every checkpoint is put too, and whence the newest is brought to a folder that has none as new.
    """
    at = None if kept is None else remote.place(kept)
    ranks = join(device)
    if ranks.device.type == "cpu":
        torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    with folder.held(out) if ranks.first else nullcontext():
        if at is not None and ranks.first:
            remote.make_directory(at)
            store.bring(at, out) if resume else store.clear(at)
        ranks.meet()
        run = begin(config, out, ranks, resume=resume)
        run.store = at
        return _train(run)


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
        return _save(run, last=True)
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


# ---- a step


def _advance(run: TrainingRun, fed: Fed, progress: float) -> None:
    config = run.config
    given = to_device(fed.tensors, run.ranks.device)
    run.model.zero_grad(set_to_none=True)
    # Of every byte of the whole batch: trainers differ in how many they have and predict. The mean over them is then
    # what one trainer would have.
    size = fed.size / run.ranks.count
    carried = _carried(run, len(given.data))
    loss = train_loss.loss_sum(run.model, given, carried, kept=config.carry) / size
    loss.backward()  # type: ignore[no-untyped-call]
    facts = torch.stack([loss.detach(), given.weight.sum() / size])
    gradients = [portion(weight.grad).here for weight in run.model.parameters() if weight.grad is not None]
    run.ranks.mean_([facts] if run.sharded else [*gradients, facts])
    # With rows that are all prompt there may be nothing to predict: then the gradient is 0, and stays it.
    mean, share = facts[0], facts[1].clamp(min=1 / fed.size)
    norm = clip(gradients, 1 / share, config.rates.clip, shared=run.sharded)
    run.optimizer.step(factor(progress, run.step, warmup=config.warmup, cooldown=config.cooldown))
    run.average.update(run.step)
    run.unseen.append(_unseen(run.step, fed, torch.stack([mean / share / math.log(2), norm, share])))
    run.step, run.behind = run.step + 1, fed.states
    _look(run, LAG)


def _carried(run: TrainingRun, rows: int) -> list[Carried] | None:
    """What the rows of the batch before carry into as many rows of this one."""
    if run.config.carry and (run.carried is None or len(run.carried[0][0]) != rows):
        run.carried = run.model.nothing(rows, kept=run.config.carry)
    return run.carried


def _unseen(step: int, fed: Fed, facts: Tensor) -> UnseenStep:
    there = facts.to("cpu", non_blocking=True)
    arrived = torch.cuda.Event() if facts.is_cuda else None  # type: ignore[no-untyped-call]
    if arrived is not None:
        arrived.record()
    return UnseenStep(step, fed, there, arrived)


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
            phase = replace(phase, rows=run.lanes.most_rows(phase.rows))
            run.tutor.tell(scored(run.model, documents, phase, run.ranks.device, kept=run.config.carry))
        run.drilled = monotonic()


def _look(run: TrainingRun, lag: int) -> None:
    """Look at the losses that are `lag` steps old: by now they are there."""
    while len(run.unseen) > lag:
        oldest = run.unseen.popleft()
        loss, norm, share = oldest.read()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise DivergedError(_name_batch(run, oldest, loss, norm))
        news = {"loss": loss, "norm": norm, "share": share, "bytes": oldest.fed.size, "seen": 1}
        run.summed = {name: run.summed.get(name, 0.0) + value for name, value in news.items()}


def _name_batch(run: TrainingRun, bad: UnseenStep, loss: float, norm: float) -> str:
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
    measured: Figures = {}
    if (
        figures and evaluate and run.held.batches
    ):  # which all trainers have, if each has a part of the weights
        with run.average.in_place():
            measured = train_loss.measure(run.model, run.held, run.ranks.device, kept=run.config.carry)
    if not run.ranks.first or not figures:
        return
    speed = figures["bytes"] / (now - run.printed)
    seen = figures["seen"]
    row = {
        "progress": progress, "loss": figures["loss"] / seen, "norm": figures["norm"] / seen,
        "share": figures["share"] / seen, "bytes_per_second": speed, "mfu": _mfu(run, speed),
        "elapsed": run.clock.elapsed, **run.feed.counts,
        **measured,
    }  # fmt: skip
    for writer in run.writers:
        writer.write(run.step, row)
    print(line(run.step, row), flush=True)
    run.printed = monotonic()


def _mfu(run: TrainingRun, speed: float) -> float:
    peak = run.config.peak
    if not peak and run.ranks.device.type == "cuda":
        name = torch.cuda.get_device_name(run.ranks.device)
        peak = next((value for known, value in PEAKS.items() if known in name), 0.0)
    size = sum(weight.numel() for weight in run.model.parameters())
    return 6 * size * speed / (peak * run.ranks.count) if peak else 0.0


def _save(run: TrainingRun, *, last: bool = False) -> Path:
    """A checkpoint of this moment. A store that is away ends no training: only the last one must have arrived."""
    _look(run, 0)
    saved = save(run)
    if run.store is not None and run.ranks.first:
        try:
            store.send(saved, run.store, keep=run.config.keep)
        except WorldlineError as error:
            if last:
                raise DiskError(
                    f"{saved} is whole, but not on the store: {error}; run again to send it"
                ) from error
            print(
                f"worldline: {saved} is not on the store, and the run goes on: {error}",
                file=sys.stderr,
                flush=True,
            )
    return saved


# ---- the command


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.model.train", description="train a model by a recipe"
    )
    parser.add_argument("--recipe", required=True, help="a recipe's name or file")
    parser.add_argument("--function", default="training", help="the function in it that returns a Training")
    parser.add_argument("--out", required=True, help="the run's folder")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--minutes", type=float, help="instead of the recipe's")
    parser.add_argument("--curriculum", help="what the recipe's tutor begins with: `worldline learn -o FILE`")
    parser.add_argument("--sharded", action="store_true", help="deal the weights among the trainers (FSDP2)")
    parser.add_argument("--store", help="a URL where checkpoints are put too, and whence a run goes on")
    parser.add_argument("--fresh", action="store_true", help="begin anew even if the folder has a checkpoint")
    asked = parser.parse_args(argv)
    try:
        config = load_config(asked.recipe, asked.function, Training)
        if asked.steps or asked.minutes:
            config = changed(config, steps=asked.steps or 0, minutes=asked.minutes or 0.0)
        if asked.sharded:
            config = changed(config, sharded=True)
        if asked.curriculum:
            config = begun_with(config, asked.curriculum)
        out = store.require_disk(asked.out)
        last = train(config, out, resume=not asked.fresh, device=asked.device, kept=asked.store)
        if os.environ.get("RANK", "0") == "0":  # one line, of however many trainers
            print(last)
    except WorldlineError as error:
        print(f"error[{error.slug}]: {error}", file=sys.stderr)
        return error.exit_code
    return 0
