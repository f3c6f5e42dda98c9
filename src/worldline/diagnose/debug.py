"""One program under the lens: the truth is recorded, the model imagines the run, and what parts them is explained.

`debug` combines what other packages know: the truth (`Interpreter`), the rollout with its confidences, the cause,
and the interventions, tried on this one sample as far as a bound on what they write allows. It prints nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.notation import StepSpan, notation
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.bounded import WORK, Bounds, interventions_within
from worldline.diagnose.branch import Nearest, OtherInput, WrongBranch, wrong_branch
from worldline.diagnose.cause import UNKNOWN, Cause
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence, aligned
from worldline.diagnose.drawn import draws
from worldline.diagnose.imagine import MOST, program_json, scratch_json, text_json
from worldline.diagnose.interventions import CONFIRMING, SLACK, parting
from worldline.diagnose.sample import Sample
from worldline.diagnose.scratch import ScratchStep, blamed, diagnosed, folds
from worldline.diagnose.trials import WHOLE, InterventionTrial
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import record_request as recorded_run
from worldline.predict.interpreter import recorder
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import Scratchpad, fold_text

ENDLESS = 1 << 12  # bytes of a run that was not recorded to its end, which no imagination can reach
STEPS = 10_000  # of the truth, unless more bytes are asked for: a step takes two bytes or more


@dataclass(frozen=True)
class AlignedRow:
    """A true step beside the found one, by their numbers (None: there is none), and what differs there."""

    truth: int | None
    found: int | None
    differs: tuple[Divergence, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What the model wrote where it parts from the truth, what it should have, and how likely each was to it.

    The probabilities are of the whole step behind the text before it; None where the model does not say.
    """

    step: int
    wrote: str
    wanted: str
    sure: float | None
    truth: float | None


@dataclass(frozen=True, kw_only=True)
class Debugged:
    """All that came of it. `confidences`: how sure the model was of each found step, where it says so.

    `tried`: the interventions, those that do not apply or for which there was no time among them. `scratch`: the scratchpad,
    where there was one, beside what the interpreter does of the same rewriting; then no intervention is tried. `branch`: where
    a condition decided that they part, and at which input the model would have been right.
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

    def __repr__(self) -> str:
        return f"<Debugged {self.model}: {self.diagnosis!r}>"

    @cached_property
    def folds(self) -> tuple[tuple[ScratchStep, ...], ...]:
        """What was imagined in place of each found step, where that was a scratchpad."""
        return folds(self.sample.ask, self.sample.found)

    @property
    def blamed(self) -> tuple[int, str, str] | None:
        """Where and why the scratchpad goes wrong first: a line of the program, one of the scratchpad, the cause."""
        return None if self.scratch is None else blamed(self.sample.ask, self.sample.found, self.scratch)

    @property
    def diverges(self) -> bool:
        """Whether the prediction is not the truth, from its first step to its end or as far as the truth is known."""
        return self.diagnosis.diverges

    @property
    def sample(self) -> Sample:
        """What was asked, what happened and what was imagined."""
        return self.diagnosis.sample

    @property
    def cause(self) -> Cause:
        """Why they part."""
        return self.diagnosis.cause

    @property
    def sure(self) -> tuple[float, ...]:
        """The log-probability of each found step; a text in Meta's format may have frames that are none."""
        places = self.diagnosis.found.places
        known = (
            self.confidences
            if places is None
            else [self.confidences[i] for i in places if i < len(self.confidences)]
        )
        return tuple(step.logprob for step in known)

    @property
    def helped(self) -> tuple[str, ...]:
        """The interventions under which this sample comes right."""
        return tuple(one.intervention for one in self.tried if one.outcome == "recovered")

    @property
    def is_confirmed(self) -> bool | None:
        """Whether an intervention of the cause that was found flipped the sample; None where none of them was tried."""
        interventions = CONFIRMING.get(self.cause.name, ())
        outcomes = [
            one.outcome for one in self.tried if one.intervention in interventions and one.status == "done"
        ]
        return "recovered" in outcomes if outcomes else None

    @property
    def is_right_given_its_draws(self) -> bool | None:
        """Whether the trace is right given the draws that the model made itself; None where it made none of its own."""
        own = self.diagnosis.own
        return None if own is None else own.is_whole

    def _hidden_json(self) -> dict[str, Any]:
        """The hidden inputs of both sides, where there are some."""
        ask, found = self.sample.ask, draws(self.diagnosis.found)
        if not ask.hidden and not found:
            return {}
        sides = {"truth": [asdict(one) for one in ask.hidden], "found": [asdict(one) for one in found]}
        return {"hidden": {**sides, "right_given_its_draws": self.is_right_given_its_draws}}

    def as_json(self) -> dict[str, Any]:
        """What `debug --json` prints."""
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
            "found": {
                **text_json(sample.found),
                "status": sample.found.status,
                "logprob": sample.found.logprob,
            },
            "divergences": [asdict(each) for each in self.diagnosis.divergences],
            "cause": {**asdict(self.cause), "confirmed": self.is_confirmed},
            **self._hidden_json(),
            "belief": None if self.belief is None else asdict(self.belief),
            "sure": list(self.sure),
            "interventions": [one.as_json() for one in self.tried],
            "helped": list(self.helped),
            "seconds": self.seconds,
            **scratch_json(sample.found, self.folds),
            **({"blamed": list(self.blamed)} if self.blamed else {}),
            **({"branch": self.branch.as_json()} if self.branch else {}),
        }


def debug_limits(max_bytes: int | None = None) -> Limits:
    """Choose the limits of the execution that a prediction is compared with.

    Args:
        max_bytes: The most bytes that the model may write.

    Returns:
        The limits: 10,000 steps, or more where the prediction may be longer.
    """
    return Limits(steps=max(STEPS, max_bytes or 0))


def debug(
    program: Program,
    model: AnyModel = DEFAULT,
    *,
    extras: Mapping[str, str] | None = None,
    options: Compact | None = None,
    max_bytes: int | None = None,
    interventions: bool = True,
    work: int | None = WORK,
    seconds: float | None = None,
    limits: Limits | None = None,
    scratchpad: str = "none",
    control: Control | None = None,
    progress: Callable[[str], None] | None = None,
    nearest: Nearest | None = None,
) -> Debugged:
    """Record a program, let a model predict its run, and say where, why and how surely it goes wrong.

    Args:
        program: The program; `load_program` reads one from a file.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, where `model` is a name.
        options: How steps are written.
        max_bytes: The most bytes that the model may write; by default twice the length of the true trace, capped at
            16 KB, or at 4 KB where the run met a limit.
        interventions: Try which interventions would have fixed the prediction.
        work: Bytes that interventions may write, the cheapest first; None for no bound.
        seconds: Time for everything; an intervention that would take longer is not tried. None for no bound.
        limits: Limits of the execution; `debug_limits(max_bytes)` by default.
        scratchpad: The easier form in which the model predicts: none, flatten, chars or auto.
        control: Who decides the hidden inputs of the run.
        progress: Called with what is under way.
        nearest: Searches for the input at which a wrong branch would have been right (`nearest_within`).

    Returns:
        The divergence, its cause, the confidence of every step and what each intervention did.

    Raises:
        UsageError: There is no run to compare with.
    """
    if not isinstance(program, Program):
        raise UsageError(
            f'debug takes a Program, not {type(program).__name__}: Program(source=..., name="a.py")'
        )
    began, tell, predictor = time.perf_counter(), progress or _silent, load_model(model, extras)
    tell("the program runs")
    pad, has_pad = Scratchpad(predictor, scratchpad), scratchpad != "none"
    limits = limits or debug_limits(max_bytes)
    ask = PredictionRequest(program=program, options=options or Compact(), limit=WHOLE, control=control)
    truth, trace = _truth(ask, predictor, limits)
    if has_pad:
        truth = replace(truth, text=fold_text(program, options or Compact(), truth.text))
    recorded = time.perf_counter()
    tell("the model imagines it")
    most = max_bytes or min(2 * len(truth.text) + SLACK, MOST if truth.status == "ended" else ENDLESS)
    ask = replace(ask, limit=most, hidden=trace.hidden)
    rolled = next(iter(pad.roll([ask])))
    sample = Sample(ask=ask, truth=truth, found=rolled.prediction)
    imagined = time.perf_counter()
    tell("the cause is looked for")
    diagnosis = Diagnosis(sample, recorder(limits), recorder(limits, hash_seed=1))
    belief = believed(predictor, diagnosis, rolled.sure, has_pad=has_pad) if diagnosis.diverges else None
    scratch = diagnosed(ask, rolled.prediction, limits) if has_pad and diagnosis.diverges else None
    branch = _branched(diagnosis, nearest, tell) if diagnosis.diverges and not has_pad else None
    explained = time.perf_counter()
    bounds = Bounds(work, seconds, began)
    tried = (
        tuple(interventions_within(predictor, diagnosis, bounds, limits, tell))
        if interventions and not has_pad and diagnosis.diverges and diagnosis.cause.name != UNKNOWN
        else ()
    )
    spent = {
        "truth": recorded - began, "model": imagined - recorded, "cause": explained - imagined,
        "interventions": time.perf_counter() - explained,
    }  # fmt: skip
    return Debugged(
        model=pad.info.name, diagnosis=diagnosis, rows=tuple(rows(diagnosis)), confidences=rolled.sure, belief=belief,
        tried=tried, seconds=spent, scratch=scratch, branch=branch,
    )  # fmt: skip


def _branched(
    diagnosis: Diagnosis, nearest: Nearest | None, tell: Callable[[str], None]
) -> WrongBranch | None:
    """The wrong branch, if it is one, with the input at which it would have been right, if somebody looks for it."""
    found = wrong_branch(diagnosis)
    if found is None or nearest is None:
        return found
    tell("an input is looked for at which the model is right")
    other = nearest(diagnosis.sample.ask.program, found.condition.step)
    known = None if other is None else OtherInput(call=other.call, exact=other.exact)
    return replace(found, nearest=known, sought=True)


def _truth(ask: PredictionRequest, predictor: Predictor, limits: Limits) -> tuple[Prediction, Trace]:
    truth, trace = recorded_run(ask, limits, predictor.info.notation)
    if truth.note:
        raise UsageError(f"there is no run to compare with: {truth.note}")
    return truth, trace


def believed(
    predictor: Predictor, diagnosis: Diagnosis, sure: tuple[StepConfidence, ...], *, has_pad: bool = False
) -> Belief | None:
    """What the model believed at the place where it parts; on a scratchpad the truth is not what it was asked for."""
    sample = diagnosis.sample
    written = notation(sample.found.codec)
    if not written.is_canonical or sample.found.status == "fault":
        return None
    place = parting(diagnosis)
    wanted, got = written.split(sample.truth.text), written.split(sample.found.text)
    end = wanted[place].end if place < len(wanted) else 0
    return Belief(
        step=place,
        wrote=_turn(sample.found.text, got, place),
        wanted=_turn(sample.truth.text, wanted, place),
        sure=math.exp(sure[place].logprob) if place < len(sure) else None,
        truth=_likelihood(predictor, replace(sample.ask, limit=max(end, 1)), sample.truth)
        if end and sure and not has_pad
        else None,
    )


def _turn(text: bytes, cut: Sequence[StepSpan], place: int) -> str:
    """A turn as text; nothing where there is none."""
    data = text[cut[place].start : cut[place].end] if place < len(cut) else b""
    return data.decode("utf-8", "backslashreplace")


def _likelihood(predictor: Predictor, ask: PredictionRequest, truth: Prediction) -> float | None:
    """How likely the last true step before the limit is to the model, all true text before it being read."""
    (read,) = roll(predictor, [ask], [truth], force="both")
    last = read.steps[-1] if read.steps else None
    if last is None or last.action is None or last.state is None:
        return None
    return math.exp(last.action + last.state)


def _silent(text: str) -> None:
    """Nobody listens."""


def rows(diagnosis: Diagnosis) -> Iterator[AlignedRow]:
    """Both sides, step beside step where they agree in what happens, one under the other where they do not."""
    wanted, got = diagnosis.truth.events, diagnosis.found.events
    differs: dict[tuple[int, int | None], list[Divergence]] = {}
    for one in diagnosis.divergences:
        differs.setdefault((one.step, one.found), []).append(one)
    for span in aligned(wanted, got):
        for k in range(max(span.wanted, span.got)):
            i = span.truth + k if k < span.wanted else None
            j = span.found + k if k < span.got else None
            here = [*differs.pop((i, j), ())] if i is not None else []
            if not span.agrees and k == 0:
                here += differs.pop((span.truth, span.found), ())
            yield AlignedRow(i, j, tuple(here))
    for (step, found), rest in differs.items():
        yield AlignedRow(step if step < len(wanted) else None, found, tuple(rest))
