"""What stands on a model's scratchpad: its steps under those of the program, and what first went wrong among them."""

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
    """One step on the scratchpad: the rewriting's own line as it reads, and what happens there."""

    code: str
    event: Event

    def as_json(self) -> dict[str, Any]:
        """The line, the event, and the values."""
        event = self.event
        return {"code": self.code, "event": event.event, "values": dict(event.values), "arg": event.arg}


def folds(ask: PredictionRequest, found: Prediction) -> tuple[tuple[ScratchStep, ...], ...]:
    """For each step of the program, those that were imagined in its place; none where it is as it was imagined."""
    if found.scratch is None:
        return ()
    lines = found.scratch.source.split("\n")
    reading = read(
        rewritten_request(ask, found.scratch), replace(found, text=found.scratch.text, scratch=None)
    )
    _, made = unfold_scratch(ask, found.scratch)

    def step(event: Event) -> ScratchStep:
        at = (event.line or 0) - 1
        return ScratchStep(lines[at].strip() if event.file is None and 0 <= at < len(lines) else "", event)

    several = (under if len(under) > 1 else [] for under in made.under)
    return tuple(tuple(step(reading.events[i]) for i in under) for under in several)


def diagnosed(ask: PredictionRequest, found: Prediction, limits: Limits) -> Diagnosis | None:
    """The scratchpad beside what the interpreter does of the rewriting; None where the program was imagined itself."""
    if found.scratch is None:
        return None
    own = replace(
        rewritten_request(ask, found.scratch), limit=max(ask.limit, len(found.scratch.text) + SLACK)
    )
    (truth,) = Interpreter(limits=limits).predict([replace(own, limit=1 << 30)])
    text = replace(found, text=found.scratch.text, scratch=None)
    return Diagnosis(Sample(ask=own, truth=truth, found=text))


def blamed(ask: PredictionRequest, found: Prediction, diagnosis: Diagnosis) -> tuple[int, str, str] | None:
    """The line of the program, the scratchpad's own line, and why, where that first goes wrong."""
    first, scratch = diagnosis.first, found.scratch
    if first is None or scratch is None or first.line is None or not 0 < first.line <= len(scratch.lines):
        return None
    why = diagnosis.cause
    about = ", ".join(filter(None, (why.detail, why.operation, why.type)))
    said = why.name + (f" ({about})" if about else "") + (f": {why.evidence}" if why.evidence else "")
    return scratch.lines[first.line - 1], scratch.source.split("\n")[first.line - 1].strip(), said
