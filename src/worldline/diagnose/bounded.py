"""The interventions of one sample within bounds: on the bytes that they write, the same everywhere, and on seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldline.core.limits import Limits
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import INTERVENTIONS, QUERIES
from worldline.diagnose.trials import InterventionTrial, Trial, carry_out, prepare
from worldline.predict.predictor import Predictor

WORK = 1 << 14  # bytes that interventions may have written, all together
SHARED = 0.6  # of the time that texts take one by one, when they are written together


@dataclass
class Bounds:
    """What is left for interventions: bytes to be written, and seconds where somebody said how many."""

    work: int | None
    seconds: float | None
    began: float
    spent: int = 0
    waited: float = 0.0

    def refused(self, size: int, seconds: float) -> str:
        """Why an intervention that is expected to write and to take so much is not tried; empty where it is, and counted."""
        if self.work is not None and self.spent + size > self.work:
            return f"would write {size} bytes, more than is left of --work {self.work}"
        if (
            self.seconds is not None
            and time.perf_counter() - self.began + self.waited + seconds > self.seconds
        ):
            return f"more than --seconds {self.seconds:g}"
        self.spent += size
        self.waited += seconds
        return ""


def interventions_within(
    predictor: Predictor,
    diagnosis: Diagnosis,
    bounds: Bounds,
    limits: Limits | None,
    tell: Callable[[str], None],
) -> list[InterventionTrial]:
    """Every intervention, in the order of CURES: done, not fit, or beyond the bounds."""
    by = "trace" if diagnosis.answer is not False else "answer"
    codec = predictor.info.notation
    jobs, done = prepare(
        [(intervention, 0) for intervention in INTERVENTIONS], {0: diagnosis}, codec, by=by, limits=limits
    )
    rate = diagnosis.sample.found.seconds / max(len(diagnosis.sample.found.text), 1)
    left, count = len(jobs), 0
    for group in _groups(jobs):
        share, fits = SHARED if len(group) > 1 else 1.0, list[Trial]()
        bounds.waited = 0.0
        for job in group:
            why = bounds.refused(_size(job), rate * share * _size(job))
            if why:
                done.append(replace(job.tried, status="untried", why=why))
                left -= 1
            else:
                fits.append(job)
        tell(f"interventions: {count} of {left} tried")
        for one in carry_out(fits, predictor, by=by):
            done.append(one)
            count += 1
            tell(f"interventions: {count} of {left} tried")
    order = list(INTERVENTIONS)
    return sorted(done, key=lambda one: order.index(one.intervention))


def _groups(jobs: Sequence[Trial]) -> list[list[Trial]]:
    """Jobs that are done together, the cheapest first: those without forcing, then each of the others."""
    ordered = sorted(jobs, key=_size)
    free = [job for job in ordered if job.plan.force == "free"]
    return ([free] if free else []) + [[job] for job in ordered if job.plan.force != "free"]


def _size(job: Trial) -> int:
    """The bytes that an intervention is expected to have written."""
    rounds = QUERIES + 1 if job.plan.force == "queries" else 1
    return rounds * max(min(len(job.truth.text), job.plan.ask.limit) - len(job.plan.ask.given), 1)
