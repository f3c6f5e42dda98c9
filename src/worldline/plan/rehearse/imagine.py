"""If a script cannot be executed: which calls in its text a model predicts to be reached, labelled as predictions.

A call on a line of the predicted trace is `imagined`, with the model's probability of its text (not calibrated: models
are overconfident on such code). Any other call is `text`: it is in the source, and may never be reached.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp
from pathlib import Path

from worldline.codec.compact.parse import parse
from worldline.core.program import Program
from worldline.plan.rehearse.effect import IMAGINED, ScriptEffect
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, source_of
from worldline.plan.rehearse.visible import visible
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor

MAX_SOURCE_BYTES = 20_000  # longer scripts are not predicted, only read
_IMAGINED = "nothing was executed: PREDICTED effects are on lines that a model predicts to be reached"
_REST = "the rest was not executed: PREDICTED effects are on lines that a model predicts to be reached"
_TEXT = "calls IN THE SOURCE are found by name; calls under other names, in libraries or in generated code are not"


def imagined(
    file: Path, staging: Staging, predictor: Predictor | None, *, why: str, limit: int = 2048
) -> Rehearsal:
    """List what a script could touch by its text, and what a model predicts; `why` it was not executed."""
    source = source_of(file)
    program = Program(source=source, name=file.name, argv=staging.argv, stdin=staging.stdin)
    return Rehearsal(
        script=str(file),
        folder=str(staging.folder),
        source=source,
        outcome=None,
        why_not_run=why,
        effects=tuple(supposed(program, predictor, limit)),
        unseen=(_IMAGINED, _TEXT),
    )


def completed(
    rehearsal: Rehearsal, staging: Staging, predictor: Predictor | None, *, limit: int
) -> Rehearsal:
    """Complete a rehearsal that was cut short by what the rest of its text could touch, labelled so."""
    program = Program(
        source=rehearsal.source, name=Path(rehearsal.script).name, argv=staging.argv, stdin=staging.stdin
    )
    known = {effect.line for effect in rehearsal.effects if effect.line}
    rest = [effect for effect in supposed(program, predictor, limit) if effect.line not in known]
    caveats = [_REST] if any(effect.seen == IMAGINED for effect in rest) else []
    caveats += [_TEXT] if rest else []
    return replace(rehearsal, effects=(*rehearsal.effects, *rest), unseen=(*rehearsal.unseen, *caveats))


def supposed(program: Program, predictor: Predictor | None, limit: int) -> list[ScriptEffect]:
    """List the calls in a program's text; those on a predicted line are labelled so."""
    calls = visible(program.source, program.language)
    if predictor is None or not calls or len(program.source) > MAX_SOURCE_BYTES:
        return calls
    lines, probability = _reached(program, predictor, limit)
    return [
        replace(effect, seen=IMAGINED, probability=probability) if effect.line in lines else effect
        for effect in calls
    ]


def _reached(program: Program, predictor: Predictor, limit: int) -> tuple[set[int], float | None]:
    """Return the lines of a predicted trace, and the model's probability of it."""
    ask = PredictionRequest(program=program, limit=limit)
    prediction = next(iter(predictor.predict([ask])))
    parsed = parse(prediction.text, ask.prompt, loose=True)
    lines = {step.line for step in parsed.steps if step.event == "line" and step.line is not None}
    sure = None if prediction.logprob is None else exp(min(0.0, prediction.logprob))
    return lines, sure
