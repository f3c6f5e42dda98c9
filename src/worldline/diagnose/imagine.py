"""A prediction alone: a model continues the trace of a program that is not executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.reading import Event, Reading
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.diagnose.reading import read
from worldline.diagnose.scratch import ScratchStep, folds
from worldline.predict.forcing.edit import Edit, apply_edit, read_edit
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import recorder
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.scratchpad import Scratchpad

MOST = 1 << 14  # bytes; a longer imagination must be asked for


@dataclass(frozen=True, kw_only=True)
class Imagined:
    """A prediction alone, as it reads; `sure` is the log-probability of each step, where the model says so."""

    model: str
    ask: PredictionRequest
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
            "model": self.model, "program": program_json(program), "codec": self.found.codec, **text_json(self.found),
            "status": self.found.status, "logprob": self.found.logprob, "ended": reading.ended,
            "malformed": None if reading.malformed is None else asdict(reading.malformed),
            "answer": reading.answer, "steps": [event_json(event) for event in reading.events], "sure": list(self.sure),
            **scratch_json(self.found, self.folds),
        }  # fmt: skip


def imagine(
    program: Program,
    model: AnyModel = DEFAULT,
    *,
    extras: Mapping[str, str] | None = None,
    options: Compact | None = None,
    max_bytes: int | None = None,
    edit: Edit | str | None = None,
    scratchpad: str = "none",
    control: Control | None = None,
    hidden: Sequence[Hidden] = (),
) -> Imagined:
    """Let a model predict a run. The program is executed only to learn its hidden inputs, with a `control`.

    Args:
        program: The program; `load_program` reads one from a file.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, where `model` is a name.
        options: How steps are written.
        max_bytes: The most bytes that the model may write; 16 KB by default.
        edit: Continue from the prediction with other values: an `Edit`, or `STEP:NAME=VALUE`.
        scratchpad: The easier form in which the model predicts: none, flatten, chars or auto.
        control: Who decides the hidden inputs that the mode `given` of `options` puts into the prompt.
        hidden: Those hidden inputs, where they are known already.

    Returns:
        The prediction, as it reads.

    Raises:
        UsageError: The arguments exclude each other.
    """
    if edit is not None and scratchpad != "none":
        raise UsageError("what was imagined on a scratchpad cannot be gone on from with other values")
    edit = read_edit(edit) if isinstance(edit, str) else edit
    options = options or Compact()
    predictor = load_model(model, extras)
    pad = Scratchpad(predictor, scratchpad)
    known = tuple(hidden) or _hidden_inputs(program, control, options)
    ask = PredictionRequest(program=program, options=options, limit=max_bytes or MOST, hidden=known)
    rolled = next(iter(pad.roll([ask])))
    if edit is not None and rolled.prediction.status != "fault":
        text = apply_edit(ask, rolled.prediction.text, edit, codec=rolled.prediction.codec)
        ask = replace(ask, given=text, limit=max(ask.limit, len(text)))
        rolled = next(iter(roll(predictor, [ask], force="free")))
    sure = tuple(step.logprob for step in rolled.sure)
    found = rolled.prediction
    return Imagined(model=pad.info.name, ask=ask, found=found, reading=read(ask, found), sure=sure)


def _hidden_inputs(program: Program, control: Control | None, options: Compact) -> tuple[Hidden, ...]:
    """The hidden inputs that go into the prompt: those of the run under a control."""
    if control is None:
        return ()
    if options.hidden != "given":
        raise UsageError(
            "nothing is run, and so nothing controlled: hidden inputs are told with --hidden given"
        )
    if control.whole:
        return control.given
    trace = recorder()(program, control)
    if trace.outcome.kind in ("unsupported", "host-fault"):
        raise UsageError(f"there are no hidden inputs to give: {trace.outcome.kind} {trace.outcome.detail}")
    return trace.hidden


def program_json(program: Program) -> dict[str, Any]:
    """A program as `--json` shows it."""
    return {"name": program.name, "source": program.source, "call": program.call, "argv": list(program.argv)}


def event_json(event: Event) -> dict[str, Any]:
    """A step as `--json` shows it."""
    told = {"event": event.event, "frame": event.frame, "line": event.line, "values": dict(event.values)}
    return {**told, "gone": list(event.gone), "arg": event.arg}


def text_json(prediction: Prediction) -> dict[str, str]:
    """The text of a prediction as `--json` shows it."""
    return {"text": prediction.text.decode("utf-8", "backslashreplace")}


def scratch_json(found: Prediction, under: Sequence[Sequence[ScratchStep]]) -> dict[str, Any]:
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
