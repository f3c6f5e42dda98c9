"""How long the runs of some tables will take: bytes that are still to be predicted, and the model's measured speed.

The lengths are those of true traces of the first programs of each run. The speed is that of stored predictions; without
any, two programs are predicted first and stored. A server that answers several requests at once is faster than this.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from worldline.evaluation import suites
from worldline.evaluation.run.directory import is_measured_run, is_run, read_records
from worldline.evaluation.run.measurements import read_measurements
from worldline.evaluation.run.run import known_tasks
from worldline.evaluation.suites.measurement import SKIPPED
from worldline.predict.predictor import Predictor
from worldline.ui.report.data import read_trials
from worldline.ui.report.paper.record import PaperRun

PROBE_PROGRAMS = 2  # predicted to measure the speed of a model that has no stored predictions
SAMPLED_PROGRAMS = 10  # recorded to know how long the programs of a run are
REWRITTEN_GROWTH = 2.0  # bytes that the shipped model writes for a rewritten program, by those of the program as it is
BENCH_ONLY = ("force", "scratchpad")  # options of a run that are not its suite's


@dataclass(frozen=True, kw_only=True)
class RunEstimate:
    """The work that is left of a run: programs, bytes to predict, and seconds; how many programs are stored."""

    run: PaperRun
    stored: int
    programs: int
    bytes: float = 0.0
    overhead: float = 0.0
    speed: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds of predicting and recording; only those of recording if the speed is not known."""
        return self.overhead + (self.bytes / self.speed if self.speed else 0.0)


@dataclass(frozen=True, kw_only=True)
class PaperEstimate:
    """The work that is left of all runs."""

    runs: tuple[RunEstimate, ...]

    @property
    def seconds(self) -> float:
        """Seconds of all runs."""
        return sum(run.seconds for run in self.runs)

    @property
    def programs(self) -> int:
        """Programs of all runs."""
        return sum(run.programs for run in self.runs)

    def fitted(self, minutes: float) -> dict[str, int]:
        """Return how many programs each run may have so that all of them take at most this long."""
        part = min(1.0, 60 * minutes / self.seconds) if self.seconds else 1.0
        return {run.run.name: max(run.run.cells, run.stored + int(part * run.programs)) for run in self.runs}


@dataclass(frozen=True)
class StoredWork:
    """The predictions of a run that are stored: programs, bytes and seconds, and how many answers are not right."""

    programs: int = 0
    bytes: float = 0.0
    seconds: float = 0.0
    failing: int = 0


def stored_work(folder: Path) -> StoredWork:
    """Return what a run holds already. Programs without a true answer count; faults do not: they are repeated."""
    if is_measured_run(folder):
        rows = [row for row in read_measurements(folder) if row.is_final]
        return StoredWork(len(rows), 0.0, sum(row.seconds for row in rows if row.kind != SKIPPED))
    if not is_run(folder):
        return StoredWork()
    newest = {record.at: record for record in read_records(folder)}
    records = [record for record in newest.values() if not record.is_fault]
    return StoredWork(
        programs=len(records),
        bytes=sum(len(record.found.text) for record in records),
        seconds=sum(record.found.seconds for record in records),
        failing=sum(record.counts and record.judged["answer"] != "right" for record in records),
    )


def must_intervene(run: PaperRun, folder: Path, failing: int, predictor: Predictor) -> bool:
    """Return whether interventions are still to be tried on the failed samples of a run."""
    if not run.interventions or not failing or predictor.info.is_replay:
        return False
    trials = read_trials(folder) if folder.exists() else None
    return trials is None or max(trials.failing, len(trials.failed)) != failing


def estimate(
    runs: Sequence[PaperRun], counts: Mapping[str, int], folders: Mapping[str, Path], predictor: Predictor
) -> PaperEstimate:
    """Estimate the work that is left. Programs are recorded to know their lengths; nothing is predicted.

    Args:
        runs: The runs.
        counts: The number of programs that each run shall have.
        folders: Where each run is stored.
        predictor: The model.

    Returns:
        The work of each run. A run that has all its programs is not recorded.
    """
    stored = {run.name: stored_work(folders[run.name]) for run in runs}
    spent = [work for work in stored.values() if work.bytes]
    seconds = sum(work.seconds for work in spent)
    usual = sum(work.bytes for work in spent) / seconds if seconds else None
    return PaperEstimate(
        runs=tuple(
            _estimate_run(run, counts[run.name], stored[run.name], usual, folders[run.name], predictor) for run in runs
        )
    )


def _estimate_run(
    run: PaperRun, count: int, work: StoredWork, usual: float | None, folder: Path, predictor: Predictor
) -> RunEstimate:
    total = min(count, _size(run))
    missing = max(0, total - work.programs)
    failing = work.failing + missing // 2  # of the programs that are missing, how many fail is not known
    tried = min(run.tried, failing) if must_intervene(run, folder, failing, predictor) else 0
    if not missing and not tried:
        return RunEstimate(run=run, stored=work.programs, programs=0)
    mean, overhead = _sampled(run, min(SAMPLED_PROGRAMS, total), predictor)
    growth = 1.0 if "scratchpad" in run.options or run.suite != "crux" else REWRITTEN_GROWTH
    speed = work.bytes / work.seconds if work.bytes and work.seconds else usual
    # As many passing samples as failed ones are tried.
    predicted = mean * (growth * missing + REWRITTEN_GROWTH * 2 * tried * len(run.interventions))
    return RunEstimate(
        run=run, stored=work.programs, programs=missing, bytes=predicted, overhead=overhead * missing, speed=speed
    )


def _size(run: PaperRun) -> int:
    """The number of tasks of a suite; that of an endless one is its run's."""
    suite = suites.load(run.suite, **suite_options(run))
    return ceil(1e9) if suite.count is not None else sum(1 for _ in suite.tasks)


def suite_options(run: PaperRun) -> dict[str, object]:
    """Return the options of a run that are its suite's."""
    return {name: value for name, value in run.options.items() if name not in BENCH_ONLY}


def _sampled(run: PaperRun, count: int, predictor: Predictor) -> tuple[float, float]:
    """The mean number of bytes of a true trace of a run, and the seconds to record it."""
    codec = predictor.info.notation
    suite = suites.load(run.suite, **suite_options(run)).in_modes_of(predictor.info).posed_in(codec)
    began = time.perf_counter()
    truths = [known.true for known in known_tasks(suite, limit=count) if known.true is not None]
    spent = time.perf_counter() - began
    sizes = [len(true.text_in(codec)) for true in truths]
    return (sum(sizes) / len(sizes), spent / len(sizes)) if sizes else (0.0, 0.0)


def in_words(work: PaperEstimate) -> str:
    """Return an estimate as one sentence."""
    if not any(run.programs or run.bytes for run in work.runs):
        return "every run is stored: no program is executed or predicted"
    total = sum(run.bytes for run in work.runs)
    speeds = [run.bytes / run.speed for run in work.runs if run.speed]
    if not speeds:
        return f"{work.programs:,} programs, about {total:,.0f} bytes to predict; the model's speed is not known"
    mean = sum(run.bytes for run in work.runs if run.speed) / sum(speeds) if sum(speeds) else 0.0
    parts = ", ".join(f"{run.run.name} {duration(run.seconds)}" for run in work.runs if run.programs or run.bytes)
    return (
        f"{work.programs:,} programs, about {total:,.0f} bytes to predict at {mean:,.0f} per second: "
        f"about {duration(work.seconds)} ({parts})"
    )


def duration(seconds: float) -> str:
    """Return a duration in seconds or whole minutes."""
    return f"{ceil(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"
