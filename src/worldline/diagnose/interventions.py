"""The interventions: for each, how a sample is asked again so that one suspected cause is gone, or why it does not apply.

It plans and judges, and asks nobody: that is `trials`. An intervention that would change nothing of what a model is given or
may write is not applied, so that it is never counted as one that failed. A rewritten program has other steps: its truth
is recorded anew, and it counts only if it ends as the original does.
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

LARGER = 4  # how many times the budget
SLACK = 512  # bytes that a budget has beyond twice the truth: what is cut there was not about to end
QUERIES = 3  # steps that the interpreter is asked for
INTERVENTIONS = {
    "budget": f"{LARGER} times the budget",
    "repair": "the state repaired at the divergence",
    "guard": "lines held to the control flow",
    "actions": "the true next lines given, the model's own state kept",
    "format": "another format",
    "flatten": "expressions decomposed, one operation a line",
    "chars": "string methods decomposed into loops over characters",
    "queries": f"{QUERIES} steps told by the interpreter, where the model is least sure",
}
"""Every intervention, the cheapest first."""
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
"""The interventions that take a cause away: one that flips a sample confirms its cause. Other causes have none."""


@dataclass(frozen=True)
class InterventionPlan:
    """How a sample is asked again: the ask, what is forced, and whether the ask has a truth of its own."""

    ask: PredictionRequest
    force: str = "free"
    fresh: bool = False


class Unfit(Exception):
    """An intervention does not apply to a sample, and why."""


def check_intervention(intervention: str) -> None:
    """UsageError of a name that no intervention has."""
    if intervention not in INTERVENTIONS:
        raise UsageError(f"no intervention {intervention!r}; there are {', '.join(INTERVENTIONS)}")


def plan(intervention: str, diagnosis: Diagnosis, *, codec: str = DEFAULT_NOTATION) -> InterventionPlan:
    """How an intervention is tried on a sample by a predictor of this codec; `Unfit` where it would change nothing."""
    check_intervention(intervention)
    return _PLANS[intervention](diagnosis, codec)


def _budget(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    ask, found = diagnosis.sample.ask, diagnosis.sample.found
    if found.status != "budget":
        raise Unfit("the budget did not cut it")
    # What a model wrote it would write again, as far as it can continue a text of its own.
    given = max(notation(found.codec).resumable(found.text), ask.given, key=len)
    larger = replace(ask, limit=LARGER * max(ask.limit, len(given)), given=given)
    return InterventionPlan(larger, fresh=not diagnosis.truth.ended)


def _repair(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    ask = diagnosis.sample.ask
    given = repaired(diagnosis)
    if len(given) >= ask.limit:
        raise Unfit("it parts where the budget ends")
    if (
        diagnosis.truth.ended
        and read(ask, replace(diagnosis.sample.truth, text=given)).steps > diagnosis.truth.outcome
    ):
        raise Unfit("the answer itself is what is wrong")
    return InterventionPlan(replace(ask, given=given))


def repaired(diagnosis: Diagnosis) -> bytes:
    """The true text up to and including the step where the prediction parts from it."""
    first = diagnosis.first
    if first is None:
        raise Unfit("nothing to repair")
    if first.is_cut and diagnosis.found.malformed is None:
        raise Unfit("right up to its cut")
    truth = diagnosis.sample.truth
    steps, place = notation(truth.codec).split(truth.text), parting(diagnosis)
    return truth.text[: steps[place].end] if place < len(steps) else truth.text


def parting(diagnosis: Diagnosis) -> int:
    """The step of the text in which it parts: changes may stand in a later one than the step they belong to."""
    truth, found = diagnosis.sample.truth, diagnosis.sample.found
    step = diagnosis.first.step if diagnosis.first is not None else 0
    return notation(truth.codec).differing_step(found.text, truth.text, step)


def _guard(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    sample = diagnosis.sample
    _check_codec(sample, codec)
    at = notation(codec).first_refused(context_of(sample.ask), sample.found.text)
    if at is None:
        raise Unfit("it never left the control flow")
    return InterventionPlan(_going_on(sample, at), "guard")


def _check_codec(sample: Sample, codec: str) -> None:
    """Whether a model can be forced on the way of a sample."""
    if sample.found.codec != codec:
        raise Unfit(f"it is in {sample.found.codec}, and this model writes {codec}")


def _actions(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    sample = diagnosis.sample
    _check_codec(sample, codec)
    at = notation(codec).first_other_action(sample.found.text, sample.truth.text)
    if at is None:
        raise Unfit("its actions are the true ones")
    return InterventionPlan(_going_on(sample, at), "actions")


def _going_on(sample: Sample, at: int) -> PredictionRequest:
    """The ask with the found text given up to where an intervention makes the first difference."""
    return replace(sample.ask, given=max(sample.ask.given, sample.found.text[:at], key=len))


def _queries(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    _check_codec(diagnosis.sample, codec)
    return InterventionPlan(diagnosis.sample.ask, "queries")


def _format(diagnosis: Diagnosis, codec: str) -> InterventionPlan:
    if not notation(codec).has_modes:
        raise Unfit(f"this model writes {codec} alone")
    sample = diagnosis.sample
    options = other_format(sample)
    return InterventionPlan(replace(sample.ask, options=options, given=b""), fresh=True)


def other_format(sample: Sample) -> Compact:
    """Dense compact text for whatever is not; a shorter prompt or other deltas for what is."""
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
    done = rewrite(program.source, flatten=flatten, chars=chars, call=program.call, language=program.language)
    if not done.changed:
        raise Unfit(f"not rewritten, because {done.why}")
    return InterventionPlan(replace(ask, program=replace(program, source=done.source), given=b""), fresh=True)


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
    """A plan whose truth was recorded anew: its budget holds that truth twice; `Unfit` where it ends otherwise."""
    reading = read(planned.ask, truth)
    if not reading.ended:
        raise Unfit("its true run is not recorded to its end")
    if diagnosis.truth.ended and not ends_alike(diagnosis.truth, reading):
        raise Unfit("it ends otherwise than the original")
    limit = max(planned.ask.limit, 2 * len(truth.text) + SLACK)
    return replace(planned, ask=replace(planned.ask, limit=limit))
