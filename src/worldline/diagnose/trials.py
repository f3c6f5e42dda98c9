"""Causes put to the test: failed samples, and as many passing ones, are asked again under each intervention.

A cause is confirmed when its intervention flips the sample. What an intervention does to passing samples counts as well: a gain among
failures alone is an upper bound. Samples that an intervention does not apply to, and faults of the tool, are counted apart.
Which interventions there are, and what each changes, is `interventions`.
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
from worldline.core.stats import Paired, Share
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import (
    CONFIRMING,
    INTERVENTIONS,
    QUERIES,
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
WHOLE = 1 << 24  # bytes of a true text; the recording's own limits cut it before
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class InterventionTrial:
    """One intervention on one sample: right before, right after, and the sample as it was asked again.

    `status`: `done`; or not judged, and `why`: `unfit` (it would have changed nothing), `untried` (beyond a bound),
    `fault` (the tool failed).
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
        """`recovered`, `regressed`, `right` or `wrong` as before; the status where it was not judged."""
        if self.status != "done":
            return self.status
        if self.before == self.after:
            return "right" if self.after else "wrong"
        return "recovered" if self.after else "regressed"

    def as_json(self) -> dict[str, Any]:
        """Without the texts."""
        return {
            "intervention": self.intervention,
            "sample": self.sample,
            "outcome": self.outcome,
            "why": self.why,
        }


@dataclass(frozen=True)
class Effect:
    """What an intervention did: flips among the samples that it applies to, and how many it does not apply to.

    `expected` is the net effect on all samples, of which only some were tried.
    """

    intervention: str
    pairs: Paired
    unfit: int
    faults: int
    expected: float

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        told = {"unfit": self.unfit, "faults": self.faults, "expected": self.expected}
        return {"intervention": self.intervention, **self.pairs.as_json(), **told}


@dataclass(frozen=True, kw_only=True)
class Trials:
    """Every intervention on every chosen sample. `by`: what counts as right. `passing`: how many there were to choose from,
    and `failing`: how many failed, where not all of those were tried.

    `unjudged` samples have no true answer or were faults: they were not tried. `causes` are of the failed ones.
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

    def effect(self, intervention: str) -> Effect:
        """What one intervention did."""
        outcomes = [one.outcome for one in self.tried if one.intervention == intervention]
        pairs = Paired(*(outcomes.count(name) for name in ("right", "regressed", "recovered", "wrong")))
        up = max(self.failing, len(self.failed)) / len(self.failed) if self.failed else 0.0
        down = self.passing / len(self.chosen) if self.chosen else 0.0
        expected = up * pairs.recovered - down * pairs.regressed
        return Effect(intervention, pairs, outcomes.count("unfit"), outcomes.count("fault"), expected)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What each intervention did."""
        return tuple(map(self.effect, self.interventions))

    def of(self, sample: int) -> tuple[InterventionTrial, ...]:
        """What each intervention did to one sample."""
        return tuple(one for one in self.tried if one.sample == sample)

    def flipped(self, sample: int) -> tuple[str, ...]:
        """The interventions that a failed sample recovered under."""
        return tuple(one.intervention for one in self.of(sample) if one.outcome == "recovered")

    @property
    def confirmed(self) -> dict[str, Share]:
        """Of the failed samples of each cause, how many an intervention of that cause flipped; the commonest cause first."""
        flips = {
            i: bool(set(self.flipped(i)) & set(CONFIRMING.get(name, ())))
            for i, name in zip(self.failed, self.causes, strict=True)
        }
        found = {}
        for name, n in Counter(self.causes).most_common():
            of = [i for i, each in zip(self.failed, self.causes, strict=True) if each == name]
            found[name] = Share(sum(flips[i] for i in of), n)
        return found

    def as_json(self) -> dict[str, Any]:
        """The counts, and what became of each sample."""
        return {
            "model": self.model, "by": self.by, "seed": self.seed, "failed": list(self.failed),
            "causes": list(self.causes), "confirmed": {name: share.as_json() for name, share in self.confirmed.items()},
            "chosen": list(self.chosen), "passing": self.passing, "failing": self.failing, "unjudged": self.unjudged,
            "effects": [effect.as_json() for effect in self.effects],
            "tried": [one.as_json() for one in self.tried],
        }  # fmt: skip


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
    """Try each intervention on every failed sample and on as many passing ones, chosen by the seed.

    `samples` were found by the same predictor. `progress` hears an intervention, how many of its asks are done, and of how many.
    """
    if by not in MEASURES:
        raise UsageError(f"right is measured by {' or '.join(MEASURES)}, not {by!r}")
    diagnoses = [Diagnosis(sample) for sample in samples]
    rights, faults = list[bool | None](), list[InterventionTrial]()
    for i, diagnosis in enumerate(diagnoses):
        right = call_or_fault(_right, diagnosis, by)
        if isinstance(right, RowFault):
            faults += [
                InterventionTrial(
                    intervention=intervention, sample=i, before=False, status="fault", why=right.note
                )
                for intervention in interventions
            ]
        rights.append(None if isinstance(right, RowFault) else right)
    failed = [i for i, right in enumerate(rights) if right is False]
    passing = [i for i, right in enumerate(rights) if right]
    chosen = sorted(Random(seed).sample(passing, min(len(failed), len(passing))))
    tried: list[InterventionTrial] = []
    for intervention in interventions:
        pairs = [(intervention, i) for i in sorted(failed + chosen)]
        jobs, unfit = prepare(
            pairs, dict(enumerate(diagnoses)), predictor.info.notation, by=by, limits=limits
        )
        done = [*unfit, *(one for one in faults if one.intervention == intervention)]
        before = len(done)
        for one in carry_out(jobs, predictor, by=by):
            done.append(one)
            if progress is not None:
                progress(intervention, len(done) - before, len(jobs))
        tried += sorted(done, key=lambda one: one.sample)
    return Trials(
        model=predictor.info.name, by=by, seed=seed, failed=tuple(failed),
        causes=tuple(diagnoses[i].cause.name for i in failed), chosen=tuple(chosen), passing=len(passing),
        unjudged=rights.count(None), interventions=tuple(interventions), tried=tuple(tried),
    )  # fmt: skip


def _right(diagnosis: Diagnosis, by: str) -> bool | None:
    """Whether a sample is right; None of a fault. Why one is not is found out as well: that may fail too."""
    if diagnosis.sample.found.status == "fault":
        return None
    right = diagnosis.right(by)
    if right is False:
        diagnosis.cause  # noqa: B018 - which it keeps
    return right


@dataclass(frozen=True)
class Trial:
    """An intervention that applies to a sample: what is asked, what is forced, and the truth."""

    tried: InterventionTrial
    plan: InterventionPlan
    truth: Prediction


def prepare(
    pairs: Sequence[tuple[str, int]],
    diagnoses: Mapping[int, Diagnosis],
    codec: str,
    *,
    by: str,
    limits: Limits | None,
) -> tuple[list[Trial], list[InterventionTrial]]:
    """What each intervention asks of each sample, the truths of what is new recorded together; and those that do not apply."""
    plans: dict[tuple[str, int], InterventionPlan] = {}
    unfit: list[InterventionTrial] = []

    def settle(pair: tuple[str, int], made: InterventionPlan | Unfit | RowFault) -> None:
        if isinstance(made, InterventionPlan):
            plans[pair] = made
        else:
            plans.pop(pair, None)
            unfit.append(_begun(*pair, diagnoses, by, made))

    for intervention, i in pairs:
        check_intervention(intervention)
        settle(
            (intervention, i), call_or_fault(_fitting, partial(plan, intervention, diagnoses[i], codec=codec))
        )
    fresh = [pair for pair, one in plans.items() if one.fresh]
    truths = {pair: diagnoses[pair[1]].sample.truth for pair in plans}
    asks = [plans[pair].ask for pair in fresh]
    recorded = iterate_or_fault(lambda at: _recorded(asks[at:], codec, limits), len(fresh))
    for pair, true in zip(fresh, recorded, strict=True):
        if isinstance(true, RowFault):
            settle(pair, true)
        else:
            truths[pair] = true
            settle(pair, call_or_fault(_fitting, partial(with_truth, plans[pair], diagnoses[pair[1]], true)))
    return [Trial(_begun(*pair, diagnoses, by), one, truths[pair]) for pair, one in plans.items()], unfit


def _fitting(made: Callable[[], InterventionPlan]) -> InterventionPlan | Unfit:
    """A plan, or why it does not apply."""
    try:
        return made()
    except Unfit as why:
        return why


def _begun(
    intervention: str,
    i: int,
    diagnoses: Mapping[int, Diagnosis],
    by: str,
    why: Unfit | RowFault | None = None,
) -> InterventionTrial:
    return InterventionTrial(
        intervention=intervention,
        sample=i,
        before=bool(diagnoses[i].right(by)),
        status="fault" if isinstance(why, RowFault) else "unfit" if why else "done",
        why=why.note if isinstance(why, RowFault) else str(why or ""),
    )


def carry_out(jobs: Sequence[Trial], predictor: Predictor, *, by: str) -> Iterator[InterventionTrial]:
    """Jobs that are forced alike, done and judged, in their order; what a predictor cannot be asked is unfit."""
    done, reason = 0, ""
    if predictor.info.is_replay:
        yield from (_refused(job, "its outputs were made before: it cannot be asked again") for job in jobs)
        return
    try:
        for one in _carried(jobs, predictor, by):
            yield one
            done += 1
        return
    except UsageError as error:
        reason = str(error)
    rest, refused = jobs[done:], 0
    for job in rest:  # one may have spoilt it for all, or nobody can be asked
        try:
            tried = (
                _refused(job, reason)
                if len(rest) == 1 or refused > 1
                else next(_carried([job], predictor, by))
            )
        except UsageError as error:
            refused, reason = (refused + 1 if str(error) == reason else 0), str(error)
            tried = _refused(job, reason)
        yield tried


def _refused(job: Trial, reason: str) -> InterventionTrial:
    return replace(job.tried, status="unfit", why=reason)


def _carried(jobs: Sequence[Trial], predictor: Predictor, by: str) -> Iterator[InterventionTrial]:
    asks, truths = [job.plan.ask for job in jobs], [job.truth for job in jobs]
    force = next((job.plan.force for job in jobs), "free")
    answers = iterate_or_fault(lambda at: _answers(predictor, asks[at:], truths[at:], force), len(jobs))
    for job, answer in zip(jobs, answers, strict=True):
        tried = answer if isinstance(answer, RowFault) else call_or_fault(_judged, job, *answer, by)
        yield replace(job.tried, status="fault", why=tried.note) if isinstance(tried, RowFault) else tried


def _recorded(asks: Sequence[PredictionRequest], codec: str, limits: Limits | None) -> Iterator[Prediction]:
    """The truths of asks, whole."""
    whole = [replace(ask, given=b"", limit=WHOLE) for ask in asks]
    return Interpreter(limits=limits or Limits(), codec=codec).predict(whole)


def _answers(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[tuple[Prediction, bool]]:
    """Each answer, and whether its end was dictated and not the model's own."""
    if force == "free":
        yield from ((answer, False) for answer in predictor.predict(asks))
        return
    for ask, rolled in zip(asks, roll(predictor, asks, truths, force=force, budget=QUERIES), strict=True):
        yield rolled.prediction, force == "queries" and _is_dictated(ask, rolled)


def _is_dictated(ask: PredictionRequest, rolled: ForcedRollout) -> bool:
    """Whether the step with which the outermost frame ends is among what was dictated."""
    at = read(ask, rolled.prediction).outcome
    steps = notation(rolled.prediction.codec).split(rolled.prediction.text)
    if not 0 <= at < len(steps):
        return False
    return any(start <= steps[at].state_start < end for start, end in rolled.dictated)


def _judged(job: Trial, answer: Prediction, is_dictated: bool, by: str) -> InterventionTrial:
    if answer.status == "fault":
        return replace(job.tried, status="fault", why=answer.note or "the tool failed")
    if answer.codec != job.truth.codec:
        return replace(job.tried, status="unfit", why=f"this model writes {answer.codec} alone")
    if is_dictated:
        return replace(job.tried, status="unfit", why="it was told the answer")
    again = Sample(ask=job.plan.ask, truth=job.truth, found=answer)
    return replace(job.tried, after=bool(Diagnosis(again).right(by)), found=again)
