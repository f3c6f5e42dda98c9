"""Test causes: failed samples, and as many passing ones, are predicted again under each intervention.

A cause is confirmed when its intervention fixes the sample. Effects on passing samples count as well: a gain
among failures alone is an upper bound. Samples to which an intervention does not apply, and tool faults, are
counted apart. `interventions` defines what each intervention changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault, iterate_or_fault
from worldline.core.limits import Limits
from worldline.core.stats import NetEffect, Paired, Share, net_effect
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import (
    AT_DIVERGENCE,
    CONFIRMING,
    INTERVENTIONS,
    QUERY_COUNT,
    InterventionPlan,
    Unfit,
    check_intervention,
    plan,
    with_truth,
)
from worldline.diagnose.reading import read
from worldline.diagnose.sample import Sample
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

MEASURES = ("answer", "trace")
MAX_TRUTH_BYTES = 1 << 24  # never reached: the limits of the recording are lower
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class InterventionTrial:
    """One intervention on one sample: whether it was right before and after, and the sample as predicted again.

    `status` is `done`, or why there is no verdict: `unfit` (does not apply), `untried` (beyond a bound) or
    `fault` (the tool failed); `why` gives the reason.
    """

    intervention: str
    sample: int
    before: bool
    after: bool = False
    status: str = "done"
    why: str = ""
    found: Sample | None = None

    @property
    def outcome(self) -> str:
        """`recovered`, `regressed`, or `right` or `wrong` as before; the status if there is no verdict."""
        if self.status != "done":
            return self.status
        if self.before == self.after:
            return "right" if self.after else "wrong"
        return "recovered" if self.after else "regressed"

    def as_json(self) -> dict[str, Any]:
        """Return the trial without its texts."""
        return {"intervention": self.intervention, "sample": self.sample, "outcome": self.outcome, "why": self.why}


@dataclass(frozen=True)
class Effect:
    """The effect of an intervention: flips among the samples it applies to, and to how many it does not.

    `expected` is the net effect extrapolated to all samples, of which only some were tried, with its interval. It is
    None if the intervention has no verdict, or if passing samples exist and none was tried.
    """

    intervention: str
    pairs: Paired
    unfit: int
    faults: int
    expected: NetEffect | None

    def as_json(self) -> dict[str, Any]:
        whole = self.expected
        return {
            "intervention": self.intervention,
            **self.pairs.as_json(),
            "unfit": self.unfit,
            "faults": self.faults,
            "expected": None if whole is None else whole.count,
            "expected_interval": None if whole is None else [whole.low, whole.high],
        }


@dataclass(frozen=True, kw_only=True)
class Trials:
    """Every intervention on every chosen sample.

    `by` says what counts as right: answer or trace. `chosen` passing samples were tried out of `passing`, and
    the `failed` ones out of `failing`. `unjudged` samples have no true answer or are faults. `causes` are
    those of the failed ones. `exposed` counts the passing samples whose trace is wrong: no other can change under an
    intervention that starts at a divergence. It is None in older runs.
    """

    model: str
    by: str
    seed: int
    failed: tuple[int, ...]
    causes: tuple[str, ...]
    chosen: tuple[int, ...]
    passing: int
    unjudged: int
    interventions: tuple[str, ...]
    tried: tuple[InterventionTrial, ...]
    failing: int = 0
    exposed: int | None = None

    def effect(self, intervention: str) -> Effect:
        """Return the effect of one intervention."""
        trials = [trial for trial in self.tried if trial.intervention == intervention]
        outcomes = [trial.outcome for trial in trials]
        pairs = Paired(*(outcomes.count(name) for name in ("right", "regressed", "recovered", "wrong")))
        expected = None
        if pairs.n:
            # One that does not apply to a sample leaves it as it is: it counts as tried without effect.
            known = Counter(trial.before for trial in trials if trial.status in ("done", "unfit"))
            broken, passing = Share(pairs.regressed, known[True]), self.passing
            if self.exposed is not None and intervention in AT_DIVERGENCE and (pairs.regression.n or not self.exposed):
                broken, passing = pairs.regression, self.exposed
            fixed, failing = Share(pairs.recovered, known[False]), max(self.failing, len(self.failed))
            expected = net_effect(fixed, failing, broken, passing)
        return Effect(intervention, pairs, outcomes.count("unfit"), outcomes.count("fault"), expected)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effect of each intervention."""
        return tuple(map(self.effect, self.interventions))

    def of(self, sample: int) -> tuple[InterventionTrial, ...]:
        """Return the trials of one sample."""
        return tuple(trial for trial in self.tried if trial.sample == sample)

    def flipped(self, sample: int) -> tuple[str, ...]:
        """Return the interventions that fixed a failed sample."""
        return tuple(trial.intervention for trial in self.of(sample) if trial.outcome == "recovered")

    @property
    def confirmed(self) -> dict[str, Share]:
        """The share of failed samples of each cause that its interventions fixed, the most frequent cause first."""
        flips = {
            i: bool(set(self.flipped(i)) & set(CONFIRMING.get(name, ())))
            for i, name in zip(self.failed, self.causes, strict=True)
        }
        shares = {}
        for name, n in Counter(self.causes).most_common():
            samples = (i for i, cause in zip(self.failed, self.causes, strict=True) if cause == name)
            shares[name] = Share(sum(flips[i] for i in samples), n)
        return shares

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "by": self.by,
            "seed": self.seed,
            "failed": list(self.failed),
            "causes": list(self.causes),
            "confirmed": {name: share.as_json() for name, share in self.confirmed.items()},
            "chosen": list(self.chosen),
            "passing": self.passing,
            "failing": self.failing,
            "exposed": self.exposed,
            "unjudged": self.unjudged,
            "effects": [effect.as_json() for effect in self.effects],
            "tried": [trial.as_json() for trial in self.tried],
        }


def run_interventions(
    samples: Sequence[Sample],
    predictor: Predictor,
    *,
    interventions: Sequence[str] = tuple(INTERVENTIONS),
    seed: int = 0,
    by: str = "answer",
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Trials:
    """Try interventions on every failed sample and on as many passing ones, chosen by the seed.

    Args:
        samples: Predictions of the same predictor.
        predictor: The model that predicts again.
        interventions: Their names.
        seed: Chooses the passing samples.
        by: What counts as right: `answer` or `trace`.
        limits: Limits of new recordings.
        progress: Called with an intervention, how many of its predictions are done, and of how many.

    Returns:
        Every trial.

    Raises:
        UsageError: `by` or the name of an intervention is unknown.
    """
    if by not in MEASURES:
        raise UsageError(f"unknown measure {by!r}: choose {' or '.join(MEASURES)}")
    diagnoses = [Diagnosis(sample) for sample in _with_whole_truths(samples, limits)]
    verdicts = [call_or_fault(_right, diagnosis, by) for diagnosis in diagnoses]
    faults = {i: verdict.note for i, verdict in enumerate(verdicts) if isinstance(verdict, RowFault)}
    rights = [None if isinstance(verdict, RowFault) else verdict for verdict in verdicts]
    failed = [i for i, right in enumerate(rights) if right is False]
    passing = [i for i, right in enumerate(rights) if right]
    chosen = sorted(Random(seed).sample(passing, min(len(failed), len(passing))))
    tried: list[InterventionTrial] = []
    for intervention in interventions:
        pairs = [(intervention, i) for i in sorted(failed + chosen)]
        jobs, unfit = prepare_trials(pairs, dict(enumerate(diagnoses)), predictor.info.notation, by=by, limits=limits)
        done = [*unfit, *(_fault(intervention, i, why) for i, why in faults.items())]
        for count, trial in enumerate(run_trials(jobs, predictor, by=by), 1):
            done.append(trial)
            if progress is not None:
                progress(intervention, count, len(jobs))
        tried += sorted(done, key=lambda trial: trial.sample)
    return Trials(
        model=predictor.info.name,
        by=by,
        seed=seed,
        failed=tuple(failed),
        causes=tuple(diagnoses[i].cause.name for i in failed),
        chosen=tuple(chosen),
        passing=len(passing),
        unjudged=rights.count(None),
        interventions=tuple(interventions),
        tried=tuple(tried),
        exposed=sum(not diagnoses[i].right("trace") for i in passing),
    )


def _with_whole_truths(samples: Sequence[Sample], limits: Limits | None) -> list[Sample]:
    """Record the truths again that a run stores only as far as the prediction needs: they show no answer."""
    whole = list(samples)
    cut = [i for i, sample in enumerate(samples) if sample.truth.status == "budget"]
    for codec in sorted({samples[i].truth.codec for i in cut}):
        places = [i for i in cut if samples[i].truth.codec == codec]
        asks = [samples[i].ask for i in places]
        recorded = iterate_or_fault(partial(_recorded_from, asks, codec, limits), len(asks))
        for i, truth in zip(places, recorded, strict=True):
            if not isinstance(truth, RowFault) and truth.text.startswith(samples[i].truth.text):
                whole[i] = replace(samples[i], truth=truth)
    return whole


def _fault(intervention: str, sample: int, why: str) -> InterventionTrial:
    return InterventionTrial(intervention=intervention, sample=sample, before=False, status="fault", why=why)


def _right(diagnosis: Diagnosis, by: str) -> bool | None:
    """Whether a sample is right; None for a fault. Also finds the cause of a wrong one, since that may fail too."""
    if diagnosis.sample.found.status == "fault":
        return None
    right = diagnosis.right(by)
    if right is False:
        diagnosis.cause  # noqa: B018 - it is cached
    return right


@dataclass(frozen=True)
class PreparedTrial:
    """An intervention that applies to a sample: its plan and the truth to compare with."""

    tried: InterventionTrial
    plan: InterventionPlan
    truth: Prediction


def prepare_trials(
    pairs: Sequence[tuple[str, int]], diagnoses: Mapping[int, Diagnosis], codec: str, *, by: str, limits: Limits | None
) -> tuple[list[PreparedTrial], list[InterventionTrial]]:
    """Plan interventions on samples, and record the truths that rewritten programs need, in one batch.

    Returns:
        The trials to run, and those that do not apply.
    """
    plans: dict[tuple[str, int], InterventionPlan] = {}
    unfit: list[InterventionTrial] = []

    def settle(pair: tuple[str, int], planned: InterventionPlan | Unfit | RowFault) -> None:
        if isinstance(planned, InterventionPlan):
            plans[pair] = planned
        else:
            plans.pop(pair, None)
            unfit.append(_new_trial(*pair, diagnoses, by, planned))

    for intervention, i in pairs:
        check_intervention(intervention)
        settle((intervention, i), call_or_fault(_fitting, partial(plan, intervention, diagnoses[i], codec=codec)))
    fresh = [pair for pair, planned in plans.items() if planned.fresh]
    truths = {pair: diagnoses[pair[1]].sample.truth for pair in plans}
    asks = [plans[pair].ask for pair in fresh]
    recorded = iterate_or_fault(partial(_recorded_from, asks, codec, limits), len(fresh))
    for pair, true in zip(fresh, recorded, strict=True):
        if isinstance(true, RowFault):
            settle(pair, true)
        else:
            truths[pair] = true
            settle(pair, call_or_fault(_fitting, partial(with_truth, plans[pair], diagnoses[pair[1]], true)))
    return [
        PreparedTrial(_new_trial(*pair, diagnoses, by), planned, truths[pair]) for pair, planned in plans.items()
    ], unfit


def _fitting(make_plan: Callable[[], InterventionPlan]) -> InterventionPlan | Unfit:
    try:
        return make_plan()
    except Unfit as why:
        return why


def _new_trial(
    intervention: str, i: int, diagnoses: Mapping[int, Diagnosis], by: str, why: Unfit | RowFault | None = None
) -> InterventionTrial:
    return InterventionTrial(
        intervention=intervention,
        sample=i,
        before=bool(diagnoses[i].right(by)),
        status="fault" if isinstance(why, RowFault) else "unfit" if why else "done",
        why=why.note if isinstance(why, RowFault) else str(why or ""),
    )


def run_trials(jobs: Sequence[PreparedTrial], predictor: Predictor, *, by: str) -> Iterator[InterventionTrial]:
    """Run trials that are forced alike, in order. What the predictor cannot do becomes not applicable."""
    count, reason = 0, ""
    if predictor.info.is_replay:
        yield from (_refused(job, "a replay cannot predict again") for job in jobs)
        return
    try:
        for trial in _carried(jobs, predictor, by):
            yield trial
            count += 1
        return
    except UsageError as error:
        reason = str(error)
    rest, refused = jobs[count:], 0
    for job in rest:  # one request may have failed the batch, or the predictor refuses all
        try:
            tried = _refused(job, reason) if len(rest) == 1 or refused > 1 else next(_carried([job], predictor, by))
        except UsageError as error:
            refused, reason = (refused + 1 if str(error) == reason else 0), str(error)
            tried = _refused(job, reason)
        yield tried


def _refused(job: PreparedTrial, reason: str) -> InterventionTrial:
    return replace(job.tried, status="unfit", why=reason)


def _carried(jobs: Sequence[PreparedTrial], predictor: Predictor, by: str) -> Iterator[InterventionTrial]:
    asks, truths = [job.plan.ask for job in jobs], [job.truth for job in jobs]
    force = next((job.plan.force for job in jobs), "free")
    answers = iterate_or_fault(lambda at: _answers(predictor, asks[at:], truths[at:], force), len(jobs))
    for job, answer in zip(jobs, answers, strict=True):
        tried = answer if isinstance(answer, RowFault) else call_or_fault(_judged, job, *answer, by)
        yield replace(job.tried, status="fault", why=tried.note) if isinstance(tried, RowFault) else tried


def _recorded_from(
    asks: Sequence[PredictionRequest], codec: str, limits: Limits | None, at: int
) -> Iterator[Prediction]:
    return _recorded(asks[at:], codec, limits)


def _recorded(asks: Sequence[PredictionRequest], codec: str, limits: Limits | None) -> Iterator[Prediction]:
    whole = [replace(ask, given=b"", limit=MAX_TRUTH_BYTES) for ask in asks]
    return Interpreter(limits=limits or Limits(), codec=codec).predict(whole)


def _answers(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[tuple[Prediction, bool]]:
    """Yield each prediction, and whether its end was given and not predicted."""
    if force == "free":
        yield from ((answer, False) for answer in predictor.predict(asks))
        return
    for ask, rolled in zip(asks, roll(predictor, asks, truths, force=force, budget=QUERY_COUNT), strict=True):
        yield rolled.prediction, force == "queries" and _is_dictated(ask, rolled)


def _is_dictated(ask: PredictionRequest, rolled: ForcedRollout) -> bool:
    """Whether the step that ends the outermost frame was given."""
    at = read(ask, rolled.prediction).outcome
    steps = notation(rolled.prediction.codec).split(rolled.prediction.text)
    if not 0 <= at < len(steps):
        return False
    return any(start <= steps[at].state_start < end for start, end in rolled.dictated)


def _judged(job: PreparedTrial, answer: Prediction, is_dictated: bool, by: str) -> InterventionTrial:
    if answer.status == "fault":
        return replace(job.tried, status="fault", why=answer.note or "the tool failed")
    if answer.codec != job.truth.codec:
        return replace(job.tried, status="unfit", why=f"this model writes only {answer.codec}")
    if is_dictated:
        return replace(job.tried, status="unfit", why="the answer was among the given steps")
    again = Sample(ask=job.plan.ask, truth=job.truth, found=answer)
    return replace(job.tried, after=bool(Diagnosis(again).right(by)), found=again)
