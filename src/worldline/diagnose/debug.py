"""One program under the lens: the truth is recorded, the model imagines the run, and what parts them is explained.

`debug` puts together what the other rooms know: the truth (`Interpreter`), the rollout with its sureness, the cause,
and the cures, tried on this one sample as far as a bound on what they write allows. It prints nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.notation import StepSpan, notation
from worldline.codec.reading import Event, Reading
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace
from worldline.diagnose.bounded import WORK, Bounds, cured_within
from worldline.diagnose.branch import Nearest, WrongBranch, wrong_branch
from worldline.diagnose.cause import UNKNOWN, Cause
from worldline.diagnose.cures import CONFIRMING, SLACK, parting
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence, aligned
from worldline.diagnose.drawn import draws
from worldline.diagnose.reading import read
from worldline.diagnose.sample import Sample
from worldline.diagnose.scratch import ScratchStep, blamed, diagnosed, folds
from worldline.diagnose.trials import WHOLE, Tried
from worldline.predict.forcing.edit import Edit, edited
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import recorded as recorded_run
from worldline.predict.interpreter import recorder
from worldline.predict.models import DEFAULT, load_model
from worldline.predict.predictor import Ask, Prediction, Predictor, codec_of
from worldline.predict.scratchpad import Scratchpad, folded
from worldline.predict.sureness import Sure

MOST = 1 << 14  # bytes; a longer imagination must be asked for
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
class Imagined:
    """A prediction alone, as it reads; `sure` is the log-probability of each step, where the model says so."""

    model: str
    ask: Ask
    found: Prediction
    reading: Reading
    sure: tuple[float, ...]

    @cached_property
    def folds(self) -> tuple[tuple[ScratchStep, ...], ...]:
        """What was imagined in place of each step, where that was a scratchpad."""
        return folds(self.ask, self.found)

    def as_json(self) -> dict[str, Any]:
        """What `imagine --json` prints."""
        reading, program = self.reading, self.ask.program
        return {
            "model": self.model, "program": _program(program), "codec": self.found.codec, **_text(self.found),
            "status": self.found.status, "logprob": self.found.logprob, "ended": reading.ended,
            "malformed": None if reading.malformed is None else asdict(reading.malformed),
            "answer": reading.answer, "steps": [_event(event) for event in reading.events], "sure": list(self.sure),
            **_scratch(self.found, self.folds),
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Debugged:
    """All that came of it. `sureness`: how sure the model was of each found step, where it says so.

    `tried`: the cures, those that do not apply or for which there was no time among them. `scratch`: the scratchpad,
    where there was one, beside what the interpreter does of the same rewriting; then no cure is tried. `branch`: where
    a condition decided that they part, and at which input the model would have been right.
    """

    model: str
    diagnosis: Diagnosis
    rows: tuple[AlignedRow, ...]
    sureness: tuple[Sure, ...]
    belief: Belief | None
    tried: tuple[Tried, ...]
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
            self.sureness if places is None else [self.sureness[i] for i in places if i < len(self.sureness)]
        )
        return tuple(step.logprob for step in known)

    @property
    def helped(self) -> tuple[str, ...]:
        """The cures under which this sample comes right."""
        return tuple(one.cure for one in self.tried if one.outcome == "recovered")

    @property
    def is_confirmed(self) -> bool | None:
        """Whether a cure of the cause that was found flipped the sample; None where none of them was tried."""
        cures = CONFIRMING.get(self.cause.name, ())
        outcomes = [one.outcome for one in self.tried if one.cure in cures and one.status == "done"]
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
            "program": _program(sample.ask.program),
            "codec": sample.found.codec,
            "diverges": self.diverges,
            "answer": {
                "right": self.diagnosis.answer,
                "truth": self.diagnosis.truth.answer,
                "found": self.diagnosis.found.answer,
            },
            "truth": _text(sample.truth),
            "found": {**_text(sample.found), "status": sample.found.status, "logprob": sample.found.logprob},
            "divergences": [asdict(each) for each in self.diagnosis.divergences],
            "cause": {**asdict(self.cause), "confirmed": self.is_confirmed},
            **self._hidden_json(),
            "belief": None if self.belief is None else asdict(self.belief),
            "sure": list(self.sure),
            "cures": [one.as_json() for one in self.tried],
            "helped": list(self.helped),
            "seconds": self.seconds,
            **_scratch(sample.found, self.folds),
            **({"blamed": list(self.blamed)} if self.blamed else {}),
            **({"branch": self.branch.as_json()} if self.branch else {}),
        }


def _program(program: Program) -> dict[str, Any]:
    return {"name": program.name, "source": program.source, "call": program.call, "argv": list(program.argv)}


def _event(event: Event) -> dict[str, Any]:
    told = {"event": event.event, "frame": event.frame, "line": event.line, "values": dict(event.values)}
    return {**told, "gone": list(event.gone), "arg": event.arg}


def _text(prediction: Prediction) -> dict[str, str]:
    return {"text": prediction.text.decode("utf-8", "backslashreplace")}


def _scratch(found: Prediction, under: Sequence[Sequence[ScratchStep]]) -> dict[str, Any]:
    """The scratchpad, where there is one."""
    if found.scratch is None:
        return {}
    steps = [[step.as_json() for step in some] for some in under]
    text = found.scratch.text.decode("utf-8", "backslashreplace")
    return {
        "scratch": {
            "source": found.scratch.source,
            "lines": found.scratch.lines,
            "text": text,
            "steps": steps,
        }
    }


def imagine(
    program: Program,
    predictor: Predictor,
    *,
    options: Compact | None = None,
    limit: int | None = None,
    edit: Edit | None = None,
    scratchpad: str = "none",
    hidden: Sequence[Hidden] = (),
) -> Imagined:
    """Let a model imagine a run, or go on from what it imagined with other values. Nothing is run.

    `hidden` are hidden inputs of the run, which the mode `given` of the options puts into the prompt.
    """
    if edit is not None and scratchpad != "none":
        raise UsageError("what was imagined on a scratchpad cannot be gone on from with other values")
    pad = Scratchpad(predictor, scratchpad)
    ask = Ask(program=program, options=options or Compact(), limit=limit or MOST, hidden=tuple(hidden))
    rolled = next(iter(pad.roll([ask])))
    if edit is not None and rolled.prediction.status != "fault":
        text = edited(ask, rolled.prediction.text, edit, codec=rolled.prediction.codec)
        ask = replace(ask, given=text, limit=max(ask.limit, len(text)))
        rolled = next(iter(roll(predictor, [ask], force="free")))
    sure = tuple(step.logprob for step in rolled.sure)
    found = rolled.prediction
    return Imagined(model=pad.name, ask=ask, found=found, reading=read(ask, found), sure=sure)


def debug(
    program: Program,
    predictor: Predictor | str | Callable[..., Any] = DEFAULT,
    *,
    options: Compact | None = None,
    limit: int | None = None,
    cures: bool = True,
    work: int | None = WORK,
    budget: float | None = None,
    limits: Limits | None = None,
    scratchpad: str = "none",
    control: Control | None = None,
    progress: Callable[[str], None] | None = None,
    nearest: Nearest | None = None,
) -> Debugged:
    """Record a program, let a model imagine its run, and say where, why and how surely it goes wrong.

    The model is a predictor, or what `load_model` takes: the shipped one unless said.
    `limit`: the most bytes it may write, twice the truth's, and at most MOST (ENDLESS), unless said. `work`: the bytes
    that cures may have written, the cheapest first; one that is expected to write more than is left is not tried, nor
    one that is expected to take longer than the `budget`, the seconds for all of it. None: whatever they take. With a
    scratchpad both runs are told by statements. `control` decides the hidden inputs of the run. `progress` hears what
    is under way. `nearest` looks for the input at which a wrong branch would have been right.
    """
    if not isinstance(program, Program):
        raise UsageError(
            f'debug takes a Program, not {type(program).__name__}: Program(source=..., name="a.py")'
        )
    began, tell, predictor = time.perf_counter(), progress or _silent, load_model(predictor)
    tell("the program runs")
    pad, has_pad = Scratchpad(predictor, scratchpad), scratchpad != "none"
    limits = limits or Limits(steps=max(STEPS, limit or 0))
    ask = Ask(program=program, options=options or Compact(), limit=WHOLE, control=control)
    truth, trace = _truth(ask, predictor, limits)
    if has_pad:
        truth = replace(truth, text=folded(program, options or Compact(), truth.text))
    recorded = time.perf_counter()
    tell("the model imagines it")
    most = limit or min(2 * len(truth.text) + SLACK, MOST if truth.status == "ended" else ENDLESS)
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
    bounds = Bounds(work, budget, began)
    tried = (
        tuple(cured_within(predictor, diagnosis, bounds, limits, tell))
        if cures and not has_pad and diagnosis.diverges and diagnosis.cause.name != UNKNOWN
        else ()
    )
    seconds = {
        "truth": recorded - began, "model": imagined - recorded, "cause": explained - imagined,
        "cures": time.perf_counter() - explained,
    }  # fmt: skip
    return Debugged(
        model=pad.name, diagnosis=diagnosis, rows=tuple(rows(diagnosis)), sureness=rolled.sure, belief=belief,
        tried=tried, seconds=seconds, scratch=scratch, branch=branch,
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
    return replace(found, nearest=other, sought=True)


def _truth(ask: Ask, predictor: Predictor, limits: Limits) -> tuple[Prediction, Trace]:
    truth, trace = recorded_run(ask, limits, codec_of(predictor))
    if truth.note:
        raise UsageError(f"there is no run to compare with: {truth.note}")
    return truth, trace


def believed(
    predictor: Predictor, diagnosis: Diagnosis, sure: tuple[Sure, ...], *, has_pad: bool = False
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


def _likelihood(predictor: Predictor, ask: Ask, truth: Prediction) -> float | None:
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
