"""Run the interventions of one sample within a budget of bytes, the same on every machine, and of seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldline.core.limits import Limits
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import INTERVENTIONS, QUERY_COUNT
from worldline.diagnose.trials import InterventionTrial, PreparedTrial, prepare_trials, run_trials
from worldline.predict.predictor import Predictor

DEFAULT_WORK = 1 << 14  # bytes that all interventions together may let the model write
BATCH_SPEEDUP = 0.6  # time of texts written in one batch, relative to one by one


@dataclass
class Bounds:
    """What is left for interventions: bytes to write and, optionally, seconds."""

    work: int | None
    seconds: float | None
    began: float
    spent: int = 0
    waited: float = 0.0

    def refused(self, size: int, seconds: float) -> str:
        """Return why an intervention of this expected cost is not tried; empty if it fits, and then count it."""
        if self.work is not None and self.spent + size > self.work:
            return f"would write {size} bytes, more than is left of --work {self.work}"
        elapsed = time.perf_counter() - self.began + self.waited
        if self.seconds is not None and elapsed + seconds > self.seconds:
            return f"would take longer than --seconds {self.seconds:g}"
        self.spent += size
        self.waited += seconds
        return ""


def interventions_within(
    predictor: Predictor, diagnosis: Diagnosis, bounds: Bounds, limits: Limits | None, tell: Callable[[str], None]
) -> list[InterventionTrial]:
    """Try every intervention on one sample, the cheapest first; `tell` is called with the progress.

    Returns:
        One trial for each of `INTERVENTIONS`, in its order: done, not applicable, or beyond the bounds.
    """
    by = "trace" if diagnosis.answer is not False else "answer"
    codec = predictor.info.notation
    jobs, done = prepare_trials(
        [(intervention, 0) for intervention in INTERVENTIONS], {0: diagnosis}, codec, by=by, limits=limits
    )
    rate = diagnosis.sample.found.seconds / max(len(diagnosis.sample.found.text), 1)
    left, count = len(jobs), 0
    for group in _groups(jobs):
        share, fits = BATCH_SPEEDUP if len(group) > 1 else 1.0, list[PreparedTrial]()
        bounds.waited = 0.0
        for job in group:
            why = bounds.refused(_size(job), rate * share * _size(job))
            if why:
                done.append(replace(job.tried, status="untried", why=why))
                left -= 1
            else:
                fits.append(job)
        tell(f"interventions: {count} of {left} tried")
        for trial in run_trials(fits, predictor, by=by):
            done.append(trial)
            count += 1
            tell(f"interventions: {count} of {left} tried")
    order = list(INTERVENTIONS)
    return sorted(done, key=lambda trial: order.index(trial.intervention))


def _groups(jobs: Sequence[PreparedTrial]) -> list[list[PreparedTrial]]:
    """Group jobs that can run together, the cheapest first: those without forcing, then each other one alone."""
    ordered = sorted(jobs, key=_size)
    free = [job for job in ordered if job.plan.force == "free"]
    return ([free] if free else []) + [[job] for job in ordered if job.plan.force != "free"]


def _size(job: PreparedTrial) -> int:
    """The bytes that the model is expected to write."""
    rounds = QUERY_COUNT + 1 if job.plan.force == "queries" else 1
    return rounds * max(min(len(job.truth.text), job.plan.ask.limit) - len(job.plan.ask.given), 1)
