"""A prediction alone: a model continues the trace of a program that is not executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.notation import notation
from worldline.codec.reading import Event, Reading
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.diagnose.reading import read
from worldline.diagnose.scratch import ScratchStep, folds
from worldline.predict.forcing.edit import Edit, apply_edit, read_edit
from worldline.predict.forcing.forced import rollouts
from worldline.predict.interpreter import recorder
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.scratchpad import Scratchpad, choose_scratchpad
from worldline.predict.vote import load_vote

MAX_PREDICTION_BYTES = 1 << 14  # by default; `max_bytes` allows more


@dataclass(frozen=True, kw_only=True)
class Imagined:
    """The result of `imagine()`. `sure`: the log-probability of each step, if the model reports it."""

    model: str
    ask: PredictionRequest
    found: Prediction
    reading: Reading
    sure: tuple[float, ...]

    @cached_property
    def folds(self) -> tuple[tuple[ScratchStep, ...], ...]:
        """The scratchpad steps behind each step, if there is a scratchpad."""
        return folds(self.ask, self.found)

    def as_json(self) -> dict[str, Any]:
        """Return what `imagine --json` prints."""
        prediction, reading = self.found, self.reading
        return {
            "model": self.model,
            "program": program_json(self.ask.program),
            "codec": prediction.codec,
            **text_json(prediction),
            "status": prediction.status,
            "logprob": prediction.logprob,
            "ended": reading.ended,
            "malformed": None if reading.malformed is None else asdict(reading.malformed),
            "answer": reading.answer,
            "steps": [event_json(event) for event in reading.events],
            "sure": list(self.sure),
            **scratch_json(prediction, self.folds),
        }


def imagine(
    program: Program,
    model: AnyModel = DEFAULT,
    *,
    extras: Mapping[str, str] | None = None,
    options: Compact | None = None,
    max_bytes: int | None = None,
    edit: Edit | str | None = None,
    samples: int = 1,
    voters: Sequence[AnyModel] = (),
    scratchpad: str | None = None,
    control: Control | None = None,
    hidden: Sequence[Hidden] = (),
) -> Imagined:
    """Let a model predict an execution. The program is executed only under a `control`, for its hidden inputs.

    Args:
        program: The program; `load_program` reads one from a file.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, if `model` is a name.
        options: How steps are written.
        max_bytes: The maximum length of the prediction; 16 KB by default.
        edit: Continue from the prediction with other values: an `Edit`, or `STEP:NAME=VALUE`.
        samples: Maximum number of predictions by each model, whose answers vote; the first one if it is sure.
        voters: Other models that vote, loaded with the same `extras`.
        scratchpad: The simpler form in which the model predicts: none, flatten, chars or auto. By default auto
            wherever it applies (`choose_scratchpad`).
        control: Decides the hidden inputs that the mode `given` of `options` puts into the prompt.
        hidden: Those hidden inputs, if they are known already.

    Returns:
        The prediction with its reading.

    Raises:
        UsageError: The arguments exclude each other.
    """
    if edit is not None and scratchpad not in (None, "none"):
        raise UsageError("an edit cannot continue a prediction on a scratchpad: leave out one of them")
    edit = read_edit(edit) if isinstance(edit, str) else edit
    bare = load_model(model, extras)
    predictor = load_vote(bare, extras, samples=samples, voters=voters)
    program = notation(bare.info.notation).posed(program)
    options = bare.info.options_for(program, options)
    mode = choose_scratchpad(scratchpad, bare, options=options, program=program, resumes=edit is not None)
    pad = Scratchpad(predictor, mode)
    known = tuple(hidden) or _hidden_inputs(program, control, options)
    ask = PredictionRequest(program=program, options=options, limit=max_bytes or MAX_PREDICTION_BYTES, hidden=known)
    rolled = next(iter(pad.roll([ask])))
    if edit is not None and rolled.prediction.status != "fault":
        text = apply_edit(ask, rolled.prediction.text, edit, codec=rolled.prediction.codec)
        ask = replace(ask, given=text, limit=max(ask.limit, len(text)))
        rolled = next(iter(rollouts(predictor, [ask])))
    sure = tuple(step.logprob for step in rolled.sure)
    prediction = rolled.prediction
    return Imagined(model=pad.info.name, ask=ask, found=prediction, reading=read(ask, prediction), sure=sure)


def _hidden_inputs(program: Program, control: Control | None, options: Compact) -> tuple[Hidden, ...]:
    """The hidden inputs of an execution under a control, for the prompt."""
    if control is None:
        return ()
    if options.hidden != "given":
        raise UsageError(
            "imagine does not execute the program, so a control has no effect: pass --hidden given as well"
        )
    if control.whole:
        return control.given
    trace = recorder()(program, control)
    if trace.outcome.kind in ("unsupported", "host-fault"):
        raise UsageError(f"the program has no hidden inputs to give: {trace.outcome.kind} {trace.outcome.detail}")
    return trace.hidden


def program_json(program: Program) -> dict[str, Any]:
    """Return a program as `--json` prints it."""
    return {"name": program.name, "source": program.source, "call": program.call, "argv": list(program.argv)}


def event_json(event: Event) -> dict[str, Any]:
    """Return a step as `--json` prints it."""
    return {
        "event": event.event,
        "frame": event.frame,
        "line": event.line,
        "values": dict(event.values),
        "gone": list(event.gone),
        "arg": event.arg,
    }


def text_json(prediction: Prediction) -> dict[str, str]:
    """Return the text of a prediction as `--json` prints it."""
    return {"text": prediction.text.decode("utf-8", "backslashreplace")}


def scratch_json(prediction: Prediction, under: Sequence[Sequence[ScratchStep]]) -> dict[str, Any]:
    """Return the scratchpad as `--json` prints it; empty if there is none."""
    if prediction.scratch is None:
        return {}
    steps = [[step.as_json() for step in group] for group in under]
    text = prediction.scratch.text.decode("utf-8", "backslashreplace")
    return {
        "scratch": {
            "source": prediction.scratch.source,
            "lines": prediction.scratch.lines,
            "text": text,
            "steps": steps,
        }
    }
