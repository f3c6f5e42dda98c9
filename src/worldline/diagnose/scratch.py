"""The steps on a model's scratchpad, by step of the program, and the first one that goes wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from worldline.codec.reading import Event
from worldline.core.limits import Limits
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.reading import read
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.scratchpad import rewritten_request, unfold_scratch


class ScratchStep(NamedTuple):
    """A step on the scratchpad: the line of the rewriting, and its event."""

    code: str
    event: Event

    def as_json(self) -> dict[str, Any]:
        event = self.event
        return {"code": self.code, "event": event.event, "values": dict(event.values), "arg": event.arg}


def folds(ask: PredictionRequest, prediction: Prediction) -> tuple[tuple[ScratchStep, ...], ...]:
    """List the scratchpad steps behind each step of the program; empty for a step that was predicted as it is."""
    if prediction.scratch is None:
        return ()
    lines = prediction.scratch.source.split("\n")
    reading = read(
        rewritten_request(ask, prediction.scratch), replace(prediction, text=prediction.scratch.text, scratch=None)
    )
    _, folded = unfold_scratch(ask, prediction.scratch)

    def step(event: Event) -> ScratchStep:
        at = (event.line or 0) - 1
        return ScratchStep(lines[at].strip() if event.file is None and 0 <= at < len(lines) else "", event)

    several = (under if len(under) > 1 else [] for under in folded.under)
    return tuple(tuple(step(reading.events[i]) for i in under) for under in several)


def diagnosed(ask: PredictionRequest, prediction: Prediction, limits: Limits) -> Diagnosis | None:
    """Diagnose the scratchpad against an execution of the rewriting; None if there is no scratchpad."""
    if prediction.scratch is None:
        return None
    own = replace(
        rewritten_request(ask, prediction.scratch), limit=max(ask.limit, len(prediction.scratch.text) + SLACK)
    )
    (truth,) = Interpreter(limits=limits).predict([replace(own, limit=1 << 30)])
    text = replace(prediction, text=prediction.scratch.text, scratch=None)
    return Diagnosis(Sample(ask=own, truth=truth, found=text))


def blamed(ask: PredictionRequest, prediction: Prediction, diagnosis: Diagnosis) -> tuple[int, str, str] | None:
    """Return the line of the program, the line of the scratchpad and the cause where that first goes wrong."""
    first, scratch = diagnosis.first, prediction.scratch
    if first is None or scratch is None or first.line is None or not 0 < first.line <= len(scratch.lines):
        return None
    cause = diagnosis.cause
    about = ", ".join(filter(None, (cause.detail, cause.blamed, cause.type)))
    evidence = cause.name + (f" ({about})" if about else "") + (f": {cause.evidence}" if cause.evidence else "")
    return scratch.lines[first.line - 1], scratch.source.split("\n")[first.line - 1].strip(), evidence
