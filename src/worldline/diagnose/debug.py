"""Debug one program: record it, let a model predict it, and explain where and why the two diverge.

`debug` combines the truth (`Interpreter`), the prediction with its confidences, the cause, and the
interventions on this sample, as far as a bound on their cost allows. It prints nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from worldline.analyze.hints import run_hint
from worldline.codec.compact.prompt import Compact
from worldline.codec.notation import StepSpan, notation
from worldline.core.errors import NotStarted, UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.bounded import DEFAULT_WORK, Bounds, interventions_within
from worldline.diagnose.branch import Nearest, OtherInput, WrongBranch, wrong_branch
from worldline.diagnose.cause import UNKNOWN, Cause
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence, aligned
from worldline.diagnose.drawn import draws
from worldline.diagnose.imagine import MAX_PREDICTION_BYTES, program_json, scratch_json, text_json
from worldline.diagnose.interventions import CONFIRMING, SLACK, diverging_turn
from worldline.diagnose.sample import Sample
from worldline.diagnose.scratch import ScratchStep, blamed, diagnosed, folds
from worldline.diagnose.trials import MAX_TRUTH_BYTES, InterventionTrial
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import record_request as recorded_run
from worldline.predict.interpreter import recorder
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import Scratchpad, choose_scratchpad, fold_text
from worldline.predict.vote import load_vote

MAX_CUT_RUN_BYTES = 1 << 12  # of a prediction whose true trace was cut: no prediction can reach its end
# Of the true trace; more if more bytes may be predicted, since a step takes at least two.
DEFAULT_STEPS = 10_000
STAGES = ("truth", "model", "cause", "interventions")


@dataclass(frozen=True)
class AlignedRow:
    """A true step beside the predicted one (None: there is none), and what differs there."""

    truth: int | None
    found: int | None
    differs: tuple[Divergence, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What the model wrote at the first divergence, what is true, and the model's probability of each.

    The probabilities are of the whole step given the text before it; None if the model does not report them.
    """

    step: int
    wrote: str
    wanted: str
    sure: float | None
    truth: float | None


@dataclass(frozen=True, kw_only=True)
class Debugged:
    """The result of `debug()`. `confidences`: the model's confidence in each predicted step, if it reports it.

    `tried`: the interventions, including those that do not apply or were not tried. `scratch`: the diagnosis
    of the scratchpad, if there is one; then the interventions are those on the scratchpad. `branch`: the condition
    that the model misjudged, if that is where they diverge. `hint`: what would have helped the execution, if anything.
    """

    model: str
    diagnosis: Diagnosis
    rows: tuple[AlignedRow, ...]
    confidences: tuple[StepConfidence, ...]
    belief: Belief | None
    tried: tuple[InterventionTrial, ...]
    seconds: dict[str, float]
    scratch: Diagnosis | None = None
    branch: WrongBranch | None = None
    hint: str = ""

    def __repr__(self) -> str:
        return f"<Debugged {self.model}: {self.diagnosis!r}>"

    @cached_property
    def folds(self) -> tuple[tuple[ScratchStep, ...], ...]:
        """The scratchpad steps behind each predicted step, if there is a scratchpad."""
        return folds(self.sample.ask, self.sample.found)

    @property
    def blamed(self) -> tuple[int, str, str] | None:
        """Where the scratchpad first goes wrong: a line of the program, one of the scratchpad, and the cause."""
        return None if self.scratch is None else blamed(self.sample.ask, self.sample.found, self.scratch)

    @property
    def diverges(self) -> bool:
        """Whether the prediction is wrong, as far as the truth is known."""
        return self.diagnosis.diverges

    @property
    def sample(self) -> Sample:
        """The request, the truth and the prediction."""
        return self.diagnosis.sample

    @property
    def cause(self) -> Cause:
        """Why the prediction diverges."""
        return self.diagnosis.cause

    @property
    def sure(self) -> tuple[float, ...]:
        """The log-probability of each predicted step. Frames that are not steps are left out."""
        places = self.diagnosis.found.places
        known = (
            self.confidences if places is None else [self.confidences[i] for i in places if i < len(self.confidences)]
        )
        return tuple(step.logprob for step in known)

    @property
    def helped(self) -> tuple[str, ...]:
        """The interventions that fix this sample."""
        return tuple(trial.intervention for trial in self.tried if trial.outcome == "recovered")

    @property
    def is_confirmed(self) -> bool | None:
        """Whether an intervention of the cause fixed the sample; None if none of them was tried."""
        interventions = CONFIRMING.get(self.cause.name, ())
        outcomes = [
            trial.outcome for trial in self.tried if trial.intervention in interventions and trial.status == "done"
        ]
        return "recovered" in outcomes if outcomes else None

    @property
    def is_right_given_its_draws(self) -> bool | None:
        """Whether the trace is right given the model's own draws; None if it has none."""
        own = self.diagnosis.own
        return None if own is None else own.is_whole

    def _hidden_json(self) -> dict[str, Any]:
        """The hidden inputs of both sides, if there are any."""
        true, predicted = self.sample.ask.hidden, draws(self.diagnosis.found)
        if not true and not predicted:
            return {}
        return {
            "hidden": {
                "truth": [asdict(draw) for draw in true],
                "found": [asdict(draw) for draw in predicted],
                "right_given_its_draws": self.is_right_given_its_draws,
            }
        }

    def as_json(self) -> dict[str, Any]:
        """Return what `debug --json` prints."""
        sample = self.sample
        return {
            "model": self.model,
            "program": program_json(sample.ask.program),
            "codec": sample.found.codec,
            "diverges": self.diverges,
            "answer": {
                "right": self.diagnosis.answer,
                "truth": self.diagnosis.truth.answer,
                "found": self.diagnosis.found.answer,
            },
            "truth": text_json(sample.truth),
            "found": {**text_json(sample.found), "status": sample.found.status, "logprob": sample.found.logprob},
            "divergences": [asdict(divergence) for divergence in self.diagnosis.divergences],
            "cause": {**_cause_json(self.cause), "confirmed": self.is_confirmed},
            **self._hidden_json(),
            "belief": None if self.belief is None else asdict(self.belief),
            "sure": list(self.sure),
            "interventions": [trial.as_json() for trial in self.tried],
            "helped": list(self.helped),
            "seconds": self.seconds,
            **scratch_json(sample.found, self.folds),
            **({"blamed": list(self.blamed)} if self.blamed else {}),
            **({"branch": self.branch.as_json()} if self.branch else {}),
        }


def _cause_json(cause: Cause) -> dict[str, Any]:
    """A cause as JSON; candidates only if its operation is ambiguous."""
    return {key: value for key, value in asdict(cause).items() if value or key != "candidates"}


def debug_limits(max_bytes: int | None = None) -> Limits:
    """Return the limits of the execution that a prediction is compared with.

    Args:
        max_bytes: The maximum length of the prediction.

    Returns:
        Limits with 10,000 steps, or more if the prediction may be longer.
    """
    return Limits(steps=max(DEFAULT_STEPS, max_bytes or 0))


def debug(
    program: Program,
    model: AnyModel = DEFAULT,
    *,
    extras: Mapping[str, str] | None = None,
    options: Compact | None = None,
    max_bytes: int | None = None,
    interventions: bool = True,
    work: int | None = DEFAULT_WORK,
    seconds: float | None = None,
    limits: Limits | None = None,
    samples: int = 1,
    voters: Sequence[AnyModel] = (),
    scratchpad: str | None = None,
    control: Control | None = None,
    progress: Callable[[str], None] | None = None,
    nearest: Nearest | None = None,
) -> Debugged:
    """Record a program, let a model predict it, and find out where, why and how confidently it is wrong.

    Args:
        program: The program; `load_program` reads one from a file.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, if `model` is a name.
        options: How steps are written.
        max_bytes: The maximum length of the prediction; by default twice the length of the true trace, capped at
            16 KB, or at 4 KB if the execution reached a limit.
        interventions: Try which interventions fix the prediction.
        work: Bytes that interventions may let the model write, the cheapest first; None for no bound.
        seconds: Time for everything; an intervention that would take longer is not tried. None for no bound.
        limits: Limits of the execution; `debug_limits(max_bytes)` by default.
        samples: Maximum number of predictions by each model, whose answers vote; the first one if it is sure.
            Interventions use the first model alone.
        voters: Other models that vote, loaded with the same `extras`.
        scratchpad: The simpler form in which the model predicts: none, flatten, chars or auto. By default auto
            wherever it applies (`choose_scratchpad`).
        control: Decides the hidden inputs of the execution.
        progress: Called with the stage that starts.
        nearest: Searches for the input for which a wrong branch would have been right (`nearest_within`).

    Returns:
        The divergence, its cause, the confidence of every step and the result of each intervention.

    Raises:
        UsageError: There is no execution to compare with.
    """
    if not isinstance(program, Program):
        raise UsageError(f'debug takes a Program, not {type(program).__name__}: Program(source=..., name="a.py")')
    times, tell, predictor = [time.perf_counter()], progress or _ignore, load_model(model, extras)
    tell("recording the program")
    limits, program = limits or debug_limits(max_bytes), notation(predictor.info.notation).posed(program)
    options = predictor.info.options_for(program, options)
    ask = PredictionRequest(program=program, options=options, limit=MAX_TRUTH_BYTES, control=control)
    voting = load_vote(predictor, extras, samples=samples, voters=voters)
    pad = Scratchpad(voting, choose_scratchpad(scratchpad, predictor, options=options, program=program))
    truth, trace = _truth(ask, predictor, limits)
    truth = truth if pad.mode == "none" else replace(truth, text=fold_text(program, ask.options, truth.text))
    times.append(time.perf_counter())
    tell("predicting")
    ask = replace(ask, limit=max_bytes or default_budget(truth), hidden=trace.hidden)
    rolled = next(iter(pad.roll([ask])))
    times.append(time.perf_counter())
    tell("searching for the cause")
    sample = Sample(ask=ask, truth=truth, found=rolled.prediction)
    diagnosis = Diagnosis(sample, recorder(limits), recorder(limits, hash_seed=1))
    is_wrong = diagnosis.diverges
    # A program with nothing to rewrite was predicted as it is.
    has_pad = rolled.prediction.scratch is not None
    belief = believed(predictor, diagnosis, rolled.sure, has_pad=has_pad) if is_wrong else None
    scratch = diagnosed(ask, rolled.prediction, limits) if is_wrong else None
    branch = _branched(diagnosis, nearest, tell) if is_wrong and not has_pad else None
    times.append(time.perf_counter())
    tried, predicted = list[InterventionTrial](), scratch or diagnosis
    if interventions and is_wrong and predicted.diverges and predicted.cause.name != UNKNOWN:
        tried = interventions_within(predictor, predicted, Bounds(work, seconds, times[0]), limits, tell)
    times.append(time.perf_counter())
    return Debugged(
        model=pad.info.name,
        diagnosis=diagnosis,
        rows=tuple(rows(diagnosis)),
        confidences=rolled.sure,
        belief=belief,
        tried=tuple(tried),
        seconds=dict(zip(STAGES, (end - start for start, end in pairwise(times)), strict=True)),
        scratch=scratch,
        branch=branch,
        hint=run_hint(trace),
    )


def default_budget(truth: Prediction) -> int:
    """Return the default maximum length of a prediction: twice the true trace, capped."""
    cap = MAX_PREDICTION_BYTES if truth.status == "ended" else MAX_CUT_RUN_BYTES
    return min(2 * len(truth.text) + SLACK, cap)


def _branched(diagnosis: Diagnosis, nearest: Nearest | None, tell: Callable[[str], None]) -> WrongBranch | None:
    """The wrong branch, if there is one, with the input for which it would have been right, if one is found."""
    branch = wrong_branch(diagnosis)
    if branch is None or nearest is None:
        return branch
    tell("searching for an input for which the model is right")
    other = nearest(diagnosis.sample.ask.program, branch.condition.step)
    turning = None if other is None else OtherInput(call=other.call, exact=other.exact)
    return replace(branch, nearest=turning, sought=True)


def _truth(ask: PredictionRequest, predictor: Predictor, limits: Limits) -> tuple[Prediction, Trace]:
    truth, trace = recorded_run(ask, limits, predictor.info.notation)
    if trace.outcome.kind == "unsupported":
        raise NotStarted(f"{ask.program.name} was not executed: {trace.outcome.detail}")
    if truth.note:
        raise UsageError(f"there is no execution to compare with: {truth.note}")
    return truth, trace


def believed(
    predictor: Predictor, diagnosis: Diagnosis, sure: tuple[StepConfidence, ...], *, has_pad: bool = False
) -> Belief | None:
    """Return what the model wrote at the first divergence, with its probability and that of the truth.

    On a scratchpad the model predicts another program, so the probability of the truth is not known. None for
    a notation with several spellings, and for a fault.
    """
    sample = diagnosis.sample
    written = notation(sample.found.codec)
    if not written.is_canonical or sample.found.status == "fault":
        return None
    place = diverging_turn(diagnosis)
    wanted, got = written.split(sample.truth.text), written.split(sample.found.text)
    end = wanted[place].end if place < len(wanted) else 0
    predicted, actual = _turn(sample.found.text, got, place), _turn(sample.truth.text, wanted, place)
    decision, newline, rest = actual.partition("\n")
    # A decision that both share says nothing about the difference.
    if rest and decision.startswith("^") and predicted.startswith(decision + newline):
        predicted, actual = predicted.removeprefix(decision + newline), rest
    return Belief(
        step=place,
        wrote=predicted,
        wanted=actual,
        sure=math.exp(sure[place].logprob) if place < len(sure) else None,
        truth=_likelihood(predictor, replace(sample.ask, limit=max(end, 1)), sample.truth)
        if end and sure and not has_pad
        else None,
    )


def _turn(text: bytes, cut: Sequence[StepSpan], place: int) -> str:
    """A step as text; empty if there is none."""
    data = text[cut[place].start : cut[place].end] if place < len(cut) else b""
    return data.decode("utf-8", "backslashreplace")


def _likelihood(predictor: Predictor, ask: PredictionRequest, truth: Prediction) -> float | None:
    """The model's probability of the last true step before the limit, given all true text before it."""
    (read,) = roll(predictor, [ask], [truth], force="both")
    last = read.steps[-1] if read.steps else None
    if last is None or last.action is None or last.state is None:
        return None
    return math.exp(last.action + last.state)


def _ignore(text: str) -> None:
    pass


def rows(diagnosis: Diagnosis) -> Iterator[AlignedRow]:
    """Yield both traces aligned: matching steps in one row, others in rows of their own."""
    wanted, got = diagnosis.truth.events, diagnosis.found.events
    differs: dict[tuple[int, int | None], list[Divergence]] = {}
    for divergence in diagnosis.divergences:
        differs.setdefault((divergence.step, divergence.found), []).append(divergence)
    for span in aligned(wanted, got):
        for k in range(max(span.wanted, span.got)):
            i = span.truth + k if k < span.wanted else None
            j = span.found + k if k < span.got else None
            differing = [*differs.pop((i, j), ())] if i is not None else []
            if not span.agrees and k == 0:
                differing += differs.pop((span.truth, span.found), ())
            yield AlignedRow(i, j, tuple(differing))
    for (step, at), rest in differs.items():
        yield AlignedRow(step if step < len(wanted) else None, at, tuple(rest))
