"""Read the answer to a question from a trace or a prediction: canonical text, `yes`, `no`, or None if it is unknown.

Both are read the same way, so they can be compared by text. Nothing is evaluated, and nothing is executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.turns import turns
from worldline.codec.notation import notation
from worldline.core.events import ENDED, FINAL
from worldline.core.trace import Frame, Step, Trace
from worldline.plan.futures.subject import Subject, read_from_prediction, read_from_trace
from worldline.plan.question import Question
from worldline.predict.prediction import Prediction, PredictionRequest

YES, NO = "yes", "no"


@dataclass(frozen=True)
class ImaginedAnswer:
    """The answer in a predicted text, and how many of its bytes decide it: all, or those up to a line."""

    value: str | None
    end: int


@dataclass(frozen=True)
class _PartialRun:
    """The part of a run that is known."""

    steps: Sequence[Step]
    frames: Sequence[Frame]
    has_ended: bool


def read_answer(question: Question, trace: Trace) -> str | None:
    """Read the answer from a trace; None if it was stopped too early."""
    has_ended = trace.outcome.kind in ENDED
    if question.what in ("return", "name"):
        return read_from_trace(_subject(question), trace) if has_ended else None
    value, _ = _plain(question, _PartialRun(trace.steps, trace.frames, has_ended))
    return value


def read_imagined(question: Question, ask: PredictionRequest, prediction: Prediction) -> ImaginedAnswer:
    """Read the answer from a prediction; no value if the text is malformed or ends too early."""
    parsed, whole = parse(prediction.text, ask.prompt, loose=True), len(prediction.text)
    if not notation(prediction.codec).is_canonical or parsed.malformed is not None or not parsed.steps:
        return ImaginedAnswer(None, whole)
    if question.what in ("return", "name"):
        return ImaginedAnswer(
            read_from_prediction(_subject(question), ask, prediction) if parsed.ended else None, whole
        )
    value, step = _plain(question, _PartialRun(parsed.steps, parsed.frames, parsed.ended))
    return ImaginedAnswer(value, whole if step is None else _end_of(step, parsed, prediction.text))


def _subject(question: Question) -> Subject:
    return Subject(line=question.line, name=question.name) if question.what == "name" else Subject()


def _plain(question: Question, run: _PartialRun) -> tuple[str | None, int | None]:
    """Return the answer, and the step that decides it if that is not the last one."""
    if question.what == "line":
        return _reaches(question.line, run)
    if question.what == "ends":
        return _ends(question.steps, run)
    if not run.has_ended:
        return None, None
    event, arg = _end(run)
    if question.what == "raises":
        return (arg.partition("(")[0] if event == "raise" else NO), None
    return (YES if event == "return" or (event == "exit" and arg == "0") else NO), None


def _reaches(line: int, run: _PartialRun) -> tuple[str | None, int | None]:
    """Whether a line of the program's own file is executed."""
    own = run.frames[0].file if run.frames else ""
    for i, step in enumerate(run.steps):
        if step.event == "line" and step.line == line and run.frames[step.frame].file == own:
            return YES, i
    return (NO if run.has_ended else None), None


def _ends(steps: int, run: _PartialRun) -> tuple[str | None, int | None]:
    """Whether it ends within N steps."""
    if len(run.steps) > steps:
        return NO, steps
    return (YES, None) if run.has_ended else (None, None)


def _end(run: _PartialRun) -> tuple[str, str]:
    """Return the event that ends the outermost frame, and its value."""
    last = next((s for s in reversed(run.steps) if s.event in FINAL and run.frames[s.frame].parent < 0), None)
    return ("return", "") if last is None else (last.event, last.arg or "")


def _end_of(step: int, parsed: Parsed, text: bytes) -> int:
    """Return where the turn of a step ends in the text."""
    ends = turns(text)
    return ends[step].end if step < len(ends) else parsed.end
