"""Where a script cannot be run: which of the calls in its text a model takes to be reached. Never told as if run.

A call on a line that the model's imagined run passes is `imagined`, with the probability that the model gives its whole
text up to there (not calibrated: a model is overconfident on code like this); any other is `text`: it is there, and
nobody knows whether it is reached.
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

LONGEST_SOURCE = 20_000  # bytes: more is not imagined, its text alone is read
_IMAGINED = (
    "nothing was run: what is `imagined` stands on lines that a model takes to be reached, which may be wrong"
)
_REST = "the rest was not run: what is `imagined` stands on lines that a model takes to be reached, which may be wrong"
_TEXT = "what is `in the text` is found by name alone; calls under other names, from libraries or made-up text are not"


def imagined(
    file: Path, staging: Staging, predictor: Predictor | None, *, why: str, limit: int = 2048
) -> Rehearsal:
    """What the text of a script says it could touch, and what a model believes it reaches; `why` it was not run."""
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
    """A rehearsal that was cut short, with what the rest of its text could touch, marked as such."""
    program = Program(
        source=rehearsal.source, name=Path(rehearsal.script).name, argv=staging.argv, stdin=staging.stdin
    )
    known = {effect.line for effect in rehearsal.effects if effect.line}
    rest = [effect for effect in supposed(program, predictor, limit) if effect.line not in known]
    caveats = [_REST] if any(effect.seen == IMAGINED for effect in rest) else []
    caveats += [_TEXT] if rest else []
    return replace(rehearsal, effects=(*rehearsal.effects, *rest), unseen=(*rehearsal.unseen, *caveats))


def supposed(program: Program, predictor: Predictor | None, limit: int) -> list[ScriptEffect]:
    """The calls in a program's text, those imagined that stand on a line which the model reaches."""
    calls = visible(program.source, program.language)
    if predictor is None or not calls or len(program.source) > LONGEST_SOURCE:
        return calls
    lines, probability = _reached(program, predictor, limit)
    return [
        replace(effect, seen=IMAGINED, probability=probability) if effect.line in lines else effect
        for effect in calls
    ]


def _reached(program: Program, predictor: Predictor, limit: int) -> tuple[set[int], float | None]:
    """The lines that a model's imagined run passes, and how likely the model takes that text to be."""
    ask = PredictionRequest(program=program, limit=limit)
    prediction = next(iter(predictor.predict([ask])))
    parsed = parse(prediction.text, ask.prompt, loose=True)
    lines = {step.line for step in parsed.steps if step.event == "line" and step.line is not None}
    sure = None if prediction.logprob is None else exp(min(0.0, prediction.logprob))
    return lines, sure
