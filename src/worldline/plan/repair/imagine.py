"""What a model imagines a candidate to return on the failing test, and how likely it therefore passes.

The imagined run begins with the recorded failing one, as far as no changed line has run: up to there the two are the
same. Nothing imagined counts as passed; it only says what to run first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import encode_steps
from worldline.core.trace import Trace
from worldline.plan.futures.subject import BROKEN, IMPOSSIBLE, UNFINISHED, Subject, of_prediction
from worldline.plan.repair.candidate import RepairCandidate
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.plan.repair.order import BASE, RankedCandidate
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.calls import CallEnd

ROOM = 4_096  # bytes of steps behind those given
_UNKNOWN = (BROKEN, UNFINISHED, IMPOSSIBLE)


@dataclass(frozen=True, kw_only=True)
class ImaginedRuns:
    """Candidates with what was imagined of them, and the bytes that it took."""

    ranked: tuple[RankedCandidate, ...]
    bytes: int
    asked: int


def imagine(
    ranked: Sequence[RankedCandidate],
    tests: CheckSet,
    check: RepairCheck,
    failed: Trace | None,
    predictor: Predictor,
    *,
    most: int,
    room: int = ROOM,
) -> ImaginedRuns:
    """The first `most` candidates asked about in one batch; the others keep what they have."""
    asks: list[tuple[int, PredictionRequest]] = []
    for number, item in enumerate(ranked[:most]):
        ask = question(item.candidate, tests, check, failed, room)
        if ask is not None:
            asks.append((number, ask))
    updated, written = list(ranked), 0
    answers = predictor.predict([ask for _, ask in asks])
    for (number, ask), prediction in zip(asks, answers, strict=True):
        written += len(prediction.text) - len(ask.given)
        updated[number] = replace(updated[number], imagined=chance(check, ask, prediction))
    return ImaginedRuns(ranked=tuple(updated), bytes=written, asked=len(asks))


def question(
    candidate: RepairCandidate, tests: CheckSet, check: RepairCheck, failed: Trace | None, room: int = ROOM
) -> PredictionRequest | None:
    """What is asked about a candidate: its run on the failing test, from where it may part from the recorded one."""
    program = tests.alone(candidate.source, check)
    if program is None:
        return None
    same = failed is not None and failed.program.name == program.name and failed.program.call == program.call
    known_steps = shared(failed, candidate) if failed is not None and same else b""
    return PredictionRequest(program=program, given=known_steps, limit=len(known_steps) + room)


def shared(failed: Trace, candidate: RepairCandidate) -> bytes:
    """The recorded steps before the first that a change can alter: none where nobody knows its lines."""
    if not candidate.lines:
        return b""
    moved = candidate.source.count("\n") != failed.program.source.count("\n")
    first = candidate.lines.start
    for step in failed.steps:
        behind = moved and step.line >= first
        if step.line in candidate.lines or behind:
            return _text_before(failed, step.i)
    return b""


def _text_before(failed: Trace, step: int) -> bytes:
    text = encode_steps(failed)
    cut = turns(text)
    return text[: cut[step].start] if step < len(cut) else b""


def chance(check: RepairCheck, ask: PredictionRequest, prediction: Prediction) -> float | None:
    """How likely a candidate passes: the model's odds of its text if that ends as expected, else what is left."""
    if prediction.status == "fault" or prediction.codec != "compact":
        return None
    answer = of_prediction(Subject(), ask, prediction)
    if answer in _UNKNOWN:
        return BASE / 2  # most runs that it cannot follow are no fixes
    sure = exp(prediction.logprob) if prediction.logprob is not None else 0.5
    called = (
        CallEnd("raised", answer) if answer.startswith(("raises ", "exits ")) else CallEnd("returned", answer)
    )
    return BASE + (1 - BASE) * sure if check.passes(called) else BASE * (1 - sure)
