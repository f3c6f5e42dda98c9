"""Predict what candidates return on the failing test, and from that how likely they pass.

The prediction starts with the recorded failing run up to the first changed line: up to there the two are the same. A
prediction never counts as passed; it only decides what to execute first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import encode_steps
from worldline.codec.notation import notation
from worldline.core.trace import Trace
from worldline.plan.futures.subject import IMPOSSIBLE, MALFORMED, UNFINISHED, Subject, read_from_prediction
from worldline.plan.repair.candidate import RepairCandidate
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.plan.repair.order import BASE_RATE, RankedCandidate
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.calls import CallEnd

MAX_NEW_BYTES = 4_096  # predicted after the known steps
_UNKNOWN = (MALFORMED, UNFINISHED, IMPOSSIBLE)


@dataclass(frozen=True, kw_only=True)
class PredictedCandidates:
    """Candidates with their predictions, and the predicted bytes."""

    ranked: tuple[RankedCandidate, ...]
    bytes: int
    predicted: int


def predict_candidates(
    ranked: Sequence[RankedCandidate],
    tests: CheckSet,
    check: RepairCheck,
    failed: Trace | None,
    predictor: Predictor,
    *,
    most: int,
    max_new_bytes: int = MAX_NEW_BYTES,
) -> PredictedCandidates:
    """Predict the first `most` candidates in one batch; the others stay as they are."""
    asks: list[tuple[int, PredictionRequest]] = []
    for number, item in enumerate(ranked[:most]):
        ask = build_request(item.candidate, tests, check, failed, max_new_bytes)
        if ask is not None:
            asks.append((number, ask))
    updated, written = list(ranked), 0
    answers = predictor.predict([ask for _, ask in asks])
    for (number, ask), prediction in zip(asks, answers, strict=True):
        written += len(prediction.text) - len(ask.given)
        updated[number] = replace(updated[number], imagined=estimate_passing(check, ask, prediction))
    return PredictedCandidates(ranked=tuple(updated), bytes=written, predicted=len(asks))


def build_request(
    candidate: RepairCandidate,
    tests: CheckSet,
    check: RepairCheck,
    failed: Trace | None,
    max_new_bytes: int = MAX_NEW_BYTES,
) -> PredictionRequest | None:
    """Request a prediction of a candidate on the failing test, from where it may diverge from the recorded run."""
    program = tests.alone(candidate.source, check)
    if program is None:
        return None
    same = failed is not None and failed.program.name == program.name and failed.program.call == program.call
    known_steps = shared_text(failed, candidate) if failed is not None and same else b""
    return PredictionRequest(program=program, given=known_steps, limit=len(known_steps) + max_new_bytes)


def shared_text(failed: Trace, candidate: RepairCandidate) -> bytes:
    """Return the recorded steps before the first that a change can alter; empty if its lines are unknown."""
    if not candidate.lines:
        return b""
    moved = candidate.source.count("\n") != failed.program.source.count("\n")
    first = candidate.lines.start
    for step in failed.steps:
        is_moved = moved and step.line >= first
        if step.line in candidate.lines or is_moved:
            return _text_before(failed, step.i)
    return b""


def _text_before(failed: Trace, step: int) -> bytes:
    text = encode_steps(failed)
    cut = turns(text)
    return text[: cut[step].start] if step < len(cut) else b""


def estimate_passing(check: RepairCheck, ask: PredictionRequest, prediction: Prediction) -> float | None:
    """Return how likely a candidate passes, from the model's confidence and its predicted result."""
    if prediction.status == "fault" or not notation(prediction.codec).is_canonical:
        return None
    answer = read_from_prediction(Subject(), ask, prediction)
    if answer in _UNKNOWN:
        return BASE_RATE / 2  # a run that the model cannot follow is rarely a fix
    sure = exp(prediction.logprob) if prediction.logprob is not None else 0.5
    called = CallEnd("raised", answer) if answer.startswith(("raises ", "exits ")) else CallEnd("returned", answer)
    return BASE_RATE + (1 - BASE_RATE) * sure if check.passes(called) else BASE_RATE * (1 - sure)
