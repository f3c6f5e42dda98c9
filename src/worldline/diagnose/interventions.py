"""Interventions: how a sample is predicted again without one suspected cause, or why an intervention does not apply.

This module only plans; `trials` runs the plans. An intervention that would not change what a model is given
or may write does not apply, so it never counts as failed. A rewritten program has other steps: its truth is
recorded anew, and it must end as the original does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from worldline.analyze.flow.idle import idle_lines
from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.reading import ends_alike, read
from worldline.diagnose.sample import Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import context_of

BUDGET_FACTOR = 4
SLACK = 512  # bytes of a budget beyond twice the truth; a text cut there was not about to end
QUERY_COUNT = 3  # true steps requested from the interpreter
INTERVENTIONS = {
    "budget": f"{BUDGET_FACTOR} times the budget",
    "repair": "the true state given at the first divergence",
    "guard": "next lines restricted to the control flow",
    "actions": "the true next lines given, the values predicted",
    "format": "another trace format",
    "flatten": "expressions decomposed, one operation per line",
    "chars": "string methods decomposed into loops over characters",
    "queries": f"{QUERY_COUNT} true steps given where the model is least confident",
}
"""Every intervention, the cheapest first."""
AT_DIVERGENCE = ("budget", "repair", "guard", "actions")
"""Interventions that start where a prediction diverges or was cut. They do not apply to a right trace."""
CONFIRMING = {
    "wrong action": ("actions", "guard"),
    "wrong value": ("repair", "flatten", "chars"),
    "missed change": ("repair", "flatten", "chars"),
    "invented change": ("repair",),
    "lost variable": ("repair",),
    "forgotten aliasing": ("repair",),
    "copied from the wrong step": ("repair", "flatten"),
    "malformed": ("format", "guard", "repair"),
    "degenerate repetition": ("format", "repair"),
    "empty": ("format",),
    "budget": ("budget",),
}
"""The interventions that remove a cause; one that fixes a sample confirms its cause. Other causes have none."""


@dataclass(frozen=True)
class InterventionPlan:
    """How a sample is predicted again: the request, what is forced, and whether the truth must be recorded anew."""

    ask: PredictionRequest
    force: str = "free"
    fresh: bool = False


class Unfit(Exception):
    """Why an intervention does not apply to a sample."""


def check_intervention(intervention: str) -> None:
    """Raise a UsageError for an unknown intervention."""
    if intervention not in INTERVENTIONS:
        raise UsageError(f"unknown intervention {intervention!r}: choose from {', '.join(INTERVENTIONS)}")


def plan(intervention: str, diagnosis: Diagnosis, *, codec: str = DEFAULT_NOTATION) -> InterventionPlan:
    """Plan an intervention on a sample for a predictor of this notation.

    Raises:
        Unfit: The intervention would change nothing.
        UsageError: There is no such intervention.
    """
    check_intervention(intervention)
    return _PLANS[intervention](diagnosis, codec)


def _budget(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    ask, prediction = diagnosis.sample.ask, diagnosis.sample.found
    if prediction.status != "budget":
        raise Unfit("the budget did not cut the prediction")
    # The model would write the same text again, so it continues from there if it can.
    prefix = max(notation(prediction.codec).resumable(prediction.text), ask.given, key=len)
    larger = replace(ask, limit=BUDGET_FACTOR * max(ask.limit, len(prefix)), given=prefix)
    return InterventionPlan(larger, fresh=not diagnosis.truth.ended)


def _repair(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    ask = diagnosis.sample.ask
    prefix = repaired(diagnosis)
    if len(prefix) >= ask.limit:
        raise Unfit("the first divergence is where the budget ends")
    if (
        diagnosis.truth.ended
        and read(ask, replace(diagnosis.sample.truth, text=prefix)).steps > diagnosis.truth.outcome
    ):
        raise Unfit("only the answer is wrong")
    return InterventionPlan(replace(ask, given=prefix))


def repaired(diagnosis: Diagnosis) -> bytes:
    """Return the true text up to and including the first divergent step."""
    first = diagnosis.first
    if first is None:
        raise Unfit("nothing diverges")
    if first.is_cut and diagnosis.found.malformed is None:
        raise Unfit("right up to the cut")
    truth = diagnosis.sample.truth
    steps, place = notation(truth.codec).split(truth.text), diverging_turn(diagnosis)
    return truth.text[: steps[place].end] if place < len(steps) else truth.text


def diverging_turn(diagnosis: Diagnosis) -> int:
    """Return the step of the text that diverges. Changes may be written in a later step than their own."""
    truth, prediction = diagnosis.sample.truth, diagnosis.sample.found
    step = diagnosis.first.step if diagnosis.first is not None else 0
    return notation(truth.codec).differing_step(prediction.text, truth.text, step)


def _guard(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    sample = diagnosis.sample
    _check_codec(sample, codec)
    at = notation(codec).first_refused(context_of(sample.ask), sample.found.text)
    if at is None:
        raise Unfit("the prediction never leaves the control flow")
    return InterventionPlan(_continue_from(sample, at), "guard")


def _check_codec(sample: Sample, codec: str) -> None:
    if sample.found.codec != codec:
        raise Unfit(f"the prediction is in {sample.found.codec}, this model writes {codec}")


def _actions(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    sample = diagnosis.sample
    _check_codec(sample, codec)
    at = notation(codec).first_other_action(sample.found.text, sample.truth.text)
    if at is None:
        raise Unfit("all predicted actions are right")
    return InterventionPlan(_continue_from(sample, at), "actions")


def _continue_from(sample: Sample, at: int) -> PredictionRequest:
    """The request with the predicted text given up to where the intervention first makes a difference."""
    return replace(sample.ask, given=max(sample.ask.given, sample.found.text[:at], key=len))


def _queries(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    _check_codec(diagnosis.sample, codec)
    return InterventionPlan(diagnosis.sample.ask, "queries")


def _format(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    if not notation(codec).has_modes:
        raise Unfit(f"this model writes only {codec}")
    sample = diagnosis.sample
    options = other_format(sample)
    return InterventionPlan(replace(sample.ask, options=options, given=b""), fresh=True)


def other_format(sample: Sample) -> Compact:
    """Return another format: dense compact text, or a variant of it if the sample is dense already."""
    options, dense = sample.ask.options, Compact()
    if not notation(sample.found.codec).has_modes or options != dense:
        return dense
    program = sample.ask.program
    is_longer = program.lang.has_syntax_tree and idle_lines(program.source)
    return Compact(bare=True) if is_longer else Compact(delta="element")


def _rewrite(diagnosis: Diagnosis, codec: str, *, flatten: bool, chars: bool) -> InterventionPlan:
    from worldline.analyze.rewrite import rewrite

    ask = diagnosis.sample.ask
    program = ask.program
    rewriting = rewrite(program.source, flatten=flatten, chars=chars, call=program.call, language=program.language)
    if not rewriting.changed:
        raise Unfit(f"nothing to rewrite: {rewriting.why}")
    return InterventionPlan(replace(ask, program=replace(program, source=rewriting.source), given=b""), fresh=True)


_PLANS: dict[str, Callable[[Diagnosis, str], InterventionPlan]] = {
    "budget": _budget,
    "repair": _repair,
    "guard": _guard,
    "actions": _actions,
    "format": _format,
    "queries": _queries,
    "flatten": partial(_rewrite, flatten=True, chars=False),
    "chars": partial(_rewrite, flatten=False, chars=True),
}


def with_truth(planned: InterventionPlan, diagnosis: Diagnosis, truth: Prediction) -> InterventionPlan:
    """Adapt a plan to a truth that was recorded anew: the budget is at least twice its length.

    Raises:
        Unfit: That execution ends differently from the original, or not at all.
    """
    reading = read(planned.ask, truth)
    if not reading.ended:
        raise Unfit("the true trace was not recorded to its end")
    if diagnosis.truth.ended and not ends_alike(diagnosis.truth, reading):
        raise Unfit("the rewritten program ends differently from the original")
    limit = max(planned.ask.limit, 2 * len(truth.text) + SLACK)
    return replace(planned, ask=replace(planned.ask, limit=limit))
