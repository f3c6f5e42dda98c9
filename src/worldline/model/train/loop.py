"""Train a model: `python -m worldline.model.train --recipe FILE --function NAME --out DIR`.

    batches (feed) -> loss -> gradients over all trainers (ranks, sharded) -> optimizer -> checkpoints

On a CPU, training is in float32 and, from files, bit-identical after a resume. On a GPU, activations
are bfloat16 and layers are compiled. SIGTERM saves and stops, even while waiting for documents. A loss
that is not finite stops the run and names the batch. Needs only torch, NumPy and safetensors.
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

from worldline.core.errors import DivergedError, DryError, WorldlineError
from worldline.data import batches
from worldline.data.recipe import load_config
from worldline.model.hybrid import LayerState
from worldline.model.train import folder, store
from worldline.model.train import loss as train_loss
from worldline.model.train.config import Training, with_changes, with_curriculum
from worldline.model.train.drills import score_documents
from worldline.model.train.feed import FedBatch, to_device
from worldline.model.train.metrics import Metrics, format_line
from worldline.model.train.optimize import clip_gradients
from worldline.model.train.ranks import join_trainers
from worldline.model.train.run import PendingStep, TrainingRun, start_run
from worldline.model.train.save import save_and_publish
from worldline.model.train.schedule import find_phase, rate_factor
from worldline.model.train.sharded import local_shard
from worldline.storage import files, remote

# bfloat16, dense.
PEAK_FLOPS = {"H200": 990e12, "H100": 990e12, "A100": 312e12}
# Steps after which a loss is checked, so that training never waits for the GPU.
LOSS_LAG_STEPS = 2


class _Interrupted(Exception):
    """SIGTERM arrived while waiting for documents."""


@dataclass
class _StopSignal:
    """Whether SIGTERM has arrived. While `waiting`, it also interrupts."""

    stop: bool = False
    waiting: bool = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        self.stop = True
        if self.waiting:
            self.waiting = False
            raise _Interrupted


def train(
    config: Training, out: Path, *, resume: bool = True, device: str | None = None, store_url: str | None = None
) -> Path:
    """Train to the end of the budget, or until SIGTERM.

    Args:
        config: Configuration of the run.
        out: Folder of the run.
        resume: Whether to resume from the newest checkpoint; otherwise earlier checkpoints are removed.
        device: `cpu` or `cuda`; by default a GPU if there is one.
        store_url: URL where every checkpoint is also stored, and where a folder without a checkpoint as
            new gets the newest from.

    Returns:
        Folder of the last checkpoint.

    Raises:
        UsageError: The configuration or the folder does not fit.
        DivergedError: The loss is not finite.
        DryError: A source has no more documents.
    """
    remote_folder = None if store_url is None else remote.place(store_url)
    ranks = join_trainers(device)
    if ranks.device.type == "cpu":
        torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    with folder.lock_folder(out) if ranks.is_first else nullcontext():
        if remote_folder is not None and ranks.is_first:
            remote.make_directory(remote_folder)
            store.fetch_latest(remote_folder, out) if resume else store.prune_store(remote_folder)
        ranks.barrier()
        run = start_run(config, out, ranks, resume=resume)
        run.store = remote_folder
        return run_training(run)


def run_training(run: TrainingRun) -> Path:
    """Run the loop from the current step to the end; return the last checkpoint."""
    ranks = run.ranks
    try:
        with _watch_sigterm() as signal_state:
            while True:
                batch = _next_batch(run, signal_state)
                progress, stop = ranks.all_max(run.clock.progress(run.step), float(signal_state.stop))
                if progress >= 1 or stop or batch is None:
                    break
                run_periodic(run, progress)
                run_drill(run, progress)
                train_step(run, batch, progress)
        check_losses(run, 0)
        if progress >= 1:
            log_metrics(run, progress, evaluate=True)
        return save_and_publish(run, last=True)
    except DryError:
        # Keep what was learned until the documents ran out.
        if ranks.count == 1:
            check_losses(run, 0)
            save_and_publish(run)
        raise
    finally:
        run.feed.close()
        if run.tutor is not None:
            run.tutor.close()
        for writer in run.writers:
            writer.close()
        ranks.close_group()


@contextmanager
def _watch_sigterm() -> Iterator[_StopSignal]:
    """Record SIGTERM instead of exiting."""
    signal_state = _StopSignal()
    previous = signal.signal(signal.SIGTERM, signal_state.handle)
    try:
        yield signal_state
    finally:
        signal.signal(signal.SIGTERM, previous)


def _next_batch(run: TrainingRun, signal_state: _StopSignal) -> FedBatch | None:
    """Next batch; None if the run is finished or SIGTERM arrived first."""
    if run.clock.progress(run.step) >= 1:
        return None
    try:
        # From here on a signal raises.
        signal_state.waiting = True
        batch = None if signal_state.stop else next(run.feed)
        signal_state.waiting = False
        return batch
    except _Interrupted:
        return None


# A step


def train_step(run: TrainingRun, fed: FedBatch, progress: float) -> None:
    """Run one optimizer step on a batch.

    Args:
        run: Run to advance.
        fed: Batch of this trainer.
        progress: Share of the run completed, for the learning rates.
    """
    config = run.config
    inputs = to_device(fed.tensors, run.ranks.device)
    run.model.zero_grad(set_to_none=True)
    # Normalize by the bytes of the whole batch: trainers differ in how many they predict. The mean over
    # trainers is then what a single trainer would compute.
    size = fed.size / run.ranks.count
    states = _layer_states(run, len(inputs.data))
    loss = train_loss.loss_sum(run.model, inputs, states, carry=config.carry) / size
    loss.backward()  # type: ignore[no-untyped-call]
    stats = torch.stack([loss.detach(), inputs.weight.sum() / size])
    gradients = [local_shard(weight.grad).local for weight in run.model.parameters() if weight.grad is not None]
    run.ranks.all_mean_([stats] if run.sharded else [*gradients, stats])
    # If all rows are prompt there is nothing to predict: the gradient is 0 and must stay 0.
    mean_loss, share = stats[0], stats[1].clamp(min=1 / fed.size)
    norm = clip_gradients(gradients, 1 / share, config.rates.clip, shared=run.sharded)
    run.optimizer.step(rate_factor(progress, run.step, warmup=config.warmup, cooldown=config.cooldown))
    run.average.update(run.step)
    run.pending.append(_start_transfer(run.step, fed, torch.stack([mean_loss / share / math.log(2), norm, share])))
    run.step, run.stream_states = run.step + 1, fed.states
    check_losses(run, LOSS_LAG_STEPS)


def _layer_states(run: TrainingRun, rows: int) -> list[LayerState] | None:
    """Layer states after the previous batch, or initial ones if the number of rows changed."""
    if run.config.carry and (run.layer_states is None or len(run.layer_states[0][0]) != rows):
        run.layer_states = run.model.initial_state(rows, carry=run.config.carry)
    return run.layer_states


def _start_transfer(step: int, batch: FedBatch, stats: Tensor) -> PendingStep:
    """Copy the statistics of a step to the CPU without waiting."""
    on_cpu = stats.to("cpu", non_blocking=True)
    arrived = torch.cuda.Event() if stats.is_cuda else None  # type: ignore[no-untyped-call]
    if arrived is not None:
        arrived.record()
    return PendingStep(step, batch, on_cpu, arrived)


def run_periodic(run: TrainingRun, progress: float) -> None:
    """Log, evaluate and save at their intervals, except before the first step."""
    config = run.config
    if not run.pending:
        return
    should_evaluate = bool(config.eval_every) and run.step % config.eval_every == 0
    if should_evaluate or run.step % config.log_every == 0:
        log_metrics(run, progress, evaluate=should_evaluate)
    if config.save_every and run.step % config.save_every == 0:
        check_losses(run, 0)
        save_and_publish(run)


def run_drill(run: TrainingRun, progress: float) -> None:
    """Score the averaged weights on the tutor's next drills, if it is time and a set has arrived."""
    if run.tutor is None or monotonic() - run.drilled_at < run.config.drill_every:
        return
    documents = run.tutor.drills()
    if documents is not None:
        with run.average.swapped_in():
            phase = find_phase(run.config.schedule, progress)
            phase = replace(phase, rows=run.lanes.most_rows(phase.rows))
            run.tutor.report(score_documents(run.model, documents, phase, run.ranks.device, carry=run.config.carry))
        run.drilled_at = monotonic()


def check_losses(run: TrainingRun, lag: int) -> None:
    """Check the losses that are at least `lag` steps old; they have arrived by now.

    Args:
        run: Run whose pending steps are checked.
        lag: Newest steps to leave unchecked.

    Raises:
        DivergedError: A loss or gradient norm is not finite.
    """
    while len(run.pending) > lag:
        oldest = run.pending.popleft()
        loss, norm, share = oldest.read()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise DivergedError(_write_diverged_batch(run, oldest, loss, norm))
        step_metrics = {"loss": loss, "norm": norm, "share": share, "bytes": oldest.fed.size, "seen": 1}
        run.metric_sums = {name: run.metric_sums.get(name, 0.0) + value for name, value in step_metrics.items()}


def _write_diverged_batch(run: TrainingRun, bad: PendingStep, loss: float, norm: float) -> str:
    """Write the batch's document digests to a file; return the error message."""
    record = {
        "step": bad.step,
        "loss": str(loss),
        "norm": str(norm),
        "rank": run.ranks.rank,
        "documents": batches.document_digests(bad.fed.batch),
    }
    path = run.out / ("diverged.json" if run.ranks.is_first else f"diverged-{run.ranks.rank}.json")
    files.write(path, json.dumps(record, indent=1).encode())
    return (
        f"step {bad.step}: training diverged: loss {loss}, gradient norm {norm}; "
        f"the documents of the batch are in {path}"
    )


# Metrics


def log_metrics(run: TrainingRun, progress: float, *, evaluate: bool) -> None:
    """Log the metrics since the last call.

    Args:
        run: Run to log.
        progress: Share of the run completed.
        evaluate: Whether to evaluate on the held-out documents too.
    """
    sums, run.metric_sums = run.metric_sums, {}
    now = monotonic()
    evaluation: Metrics = {}
    # With sharded weights every trainer has the held-out documents and takes part.
    if sums and evaluate and run.held_out.batches:
        with run.average.swapped_in():
            evaluation = train_loss.evaluate(run.model, run.held_out, run.ranks.device, carry=run.config.carry)
    if not run.ranks.is_first or not sums:
        return
    speed = sums["bytes"] / (now - run.logged_at)
    seen = sums["seen"]
    row = {
        "progress": progress,
        "loss": sums["loss"] / seen,
        "norm": sums["norm"] / seen,
        "share": sums["share"] / seen,
        "bytes_per_second": speed,
        "mfu": _model_flops_utilization(run, speed),
        "elapsed": run.clock.elapsed,
        **run.feed.counts,
        **evaluation,
    }
    for writer in run.writers:
        writer.write(run.step, row)
    print(format_line(run.step, row), flush=True)
    run.logged_at = monotonic()


def _model_flops_utilization(run: TrainingRun, speed: float) -> float:
    peak = run.config.peak
    if not peak and run.ranks.device.type == "cuda":
        name = torch.cuda.get_device_name(run.ranks.device)
        peak = next((value for known, value in PEAK_FLOPS.items() if known in name), 0.0)
    size = sum(weight.numel() for weight in run.model.parameters())
    return 6 * size * speed / (peak * run.ranks.count) if peak else 0.0


# Command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m worldline.model.train", description="Train a model from a recipe.")
    parser.add_argument("--recipe", required=True, help="recipe name or file")
    parser.add_argument("--function", default="training", help="function of the recipe that returns a Training")
    parser.add_argument("--out", required=True, help="folder of the run")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--steps", type=int, help="number of steps, instead of the recipe's")
    parser.add_argument("--minutes", type=float, help="minutes to train, instead of the recipe's")
    parser.add_argument("--curriculum", help="curriculum the tutor starts from: `worldline learn -o FILE`")
    parser.add_argument("--sharded", action="store_true", help="shard the weights among the trainers (FSDP2)")
    parser.add_argument("--store", help="URL where checkpoints are also stored and resumed from")
    parser.add_argument("--fresh", action="store_true", help="start over even if the folder has a checkpoint")
    options = parser.parse_args(argv)
    try:
        config = load_config(options.recipe, options.function, Training)
        if options.steps or options.minutes:
            config = with_changes(config, steps=options.steps or 0, minutes=options.minutes or 0.0)
        if options.sharded:
            config = with_changes(config, sharded=True)
        if options.curriculum:
            config = with_curriculum(config, options.curriculum)
        out = store.require_disk(options.out)
        last = train(config, out, resume=not options.fresh, device=options.device, store_url=options.store)
        # One line, however many trainers there are.
        if os.environ.get("RANK", "0") == "0":
            print(last)
    except WorldlineError as error:
        print(f"error[{error.slug}]: {error}", file=sys.stderr)
        return error.exit_code
    return 0
