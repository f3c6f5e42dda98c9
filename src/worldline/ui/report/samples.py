"""One record of a run as its report counts it: verdict, sizes, first divergence, values at risk, tokens.

The texts are not kept: a run may be larger than memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from worldline.codec.token_split import split_value
from worldline.codec.tokens import Tokenizer
from worldline.core.program import Program
from worldline.core.text import first_difference
from worldline.diagnose.at_risk import ValueAtRisk, at_risk, values
from worldline.diagnose.blame.executed import executed_operations
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import GONE, Divergence
from worldline.evaluation.external.program import code_digest
from worldline.evaluation.run.record import Record
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task
from worldline.ui.report.markup import short

MAX_VALUE_CHARS = 200
DENSITIES = (1.0, 1.5, 2.0, 3.0, 4.0)  # upper bounds of the rows of characters per token


class ValueClass(NamedTuple):
    """How values are grouped: type, length (rounded up to a power of two), characters per token, right or wrong."""

    type: str
    length: int
    density: float | None
    is_wrong: bool


@dataclass(frozen=True, kw_only=True)
class FailingValue:
    """How the tokenizer splits the actual and the predicted value of a failure.

    `at` is the first wrong character, `token` the token of the true value that contains it, and `inside` its position
    in that token: 0 if the token starts there.
    """

    name: str
    type: str
    wanted: str
    got: str
    at: int
    characters: int
    tokens: int
    token: str
    inside: int


@dataclass(frozen=True, kw_only=True)
class DivergenceSummary:
    """The first divergence of a failure, with shortened texts."""

    step: int
    what: str
    line: int | None
    name: str | None
    wanted: str | None
    got: str | None
    path: str
    character: int | None


@dataclass(frozen=True, kw_only=True)
class JudgedSample:
    """One judged prediction: its verdict without the program, its sizes, and what its failure is about.

    `sizes` and `tokens` are those of the true and the predicted text. `longest` is the length of the longest true
    value. `values` counts the values at risk, and `executed` the executed operations. Samples with the same `cluster`
    have the same code, called otherwise: neither they nor their values are independent.
    """

    at: int
    verdict: Verdict
    sizes: tuple[int, int]
    tokens: tuple[int, int] | None = None
    operation: str = ""
    type: str = ""
    program: str = ""
    status: str = ""
    codec: str = ""
    logprob: float | None = None
    longest: int = 0
    divergence: DivergenceSummary | None = None
    values: Counter[ValueClass] = field(default_factory=Counter)
    executed: Counter[str] = field(default_factory=Counter)
    failing: FailingValue | None = None
    cluster: str = ""


def judged_sample(record: Record, tokenizer: Tokenizer | None) -> JudgedSample:
    """Summarise a judged record for the report."""
    verdict = record.verdict()
    # The digest stands for the program: sums only ask which samples have the same code.
    code = code_digest(record.ask.program)
    without_program = replace(verdict, task=Task(program=Program(source=code), name=record.name, group=record.group))
    operation, failed_type = record.about()
    diagnosis, codec = Diagnosis(record.sample()), record.found.codec
    values_at_risk = list(at_risk(diagnosis))
    first = diagnosis.first if verdict.cause else None
    wrong = next((value for value in values_at_risk if value.is_wrong), None)
    return JudgedSample(
        at=record.at,
        verdict=without_program,
        sizes=(len(record.truth), len(record.found.text)),
        tokens=_tokens(record, tokenizer),
        operation=operation,
        type=failed_type,
        program=record.program,
        status=record.found.status,
        codec=codec,
        logprob=record.found.logprob,
        longest=max((len(value.text) for value in values(diagnosis.truth)), default=0),
        divergence=None if first is None else _summary(first),
        values=Counter(_class(value, codec, tokenizer) for value in values_at_risk),
        executed=Counter(executed_operations(diagnosis)),
        failing=_failing(wrong, first.got, codec, tokenizer) if wrong and first and tokenizer else None,
        cluster=code,
    )


def _tokens(record: Record, tokenizer: Tokenizer | None) -> tuple[int, int] | None:
    if tokenizer is None:
        return None
    actual, predicted = (tokenizer.count(text.decode("utf-8", "replace")) for text in (record.truth, record.found.text))
    return actual, predicted


def _class(value: ValueAtRisk, codec: str, tokenizer: Tokenizer | None) -> ValueClass:
    density = None if tokenizer is None else split_value(tokenizer, codec, value.name, value.text).density
    length = 1 << (len(value.text) - 1).bit_length() if value.text else 1
    return ValueClass(value.type, length, _row(density), value.is_wrong)


def _row(density: float | None) -> float | None:
    """Return the upper bound of the row that a density belongs to."""
    if density is None:
        return None
    return next((end for end in DENSITIES if density < end), float("inf"))


def _summary(first: Divergence) -> DivergenceSummary:
    part = first.part
    return DivergenceSummary(
        step=first.step,
        what=first.what,
        line=first.line,
        name=first.name,
        wanted=_short(first.wanted),
        got=_short(first.got),
        path="" if part is None else part.path,
        character=None if part is None else part.at,
    )


def _short(text: str | None) -> str | None:
    return None if text is None else short(text, MAX_VALUE_CHARS)


def _failing(value: ValueAtRisk, got: str | None, codec: str, tokenizer: Tokenizer) -> FailingValue | None:
    """Return how a wrong value is split; None if no value was predicted in its place."""
    if got is None or got == GONE:
        return None
    actual, predicted = (split_value(tokenizer, codec, value.name, text) for text in (value.text, got))
    at = first_difference(actual.text, predicted.text)
    token, inside = actual.token_at(at)
    return FailingValue(
        name=value.name or "",
        type=value.type,
        wanted=actual.marked(at),
        got=predicted.marked(at),
        at=at,
        characters=len(actual.text),
        tokens=actual.tokens,
        token=short(token, MAX_VALUE_CHARS),
        inside=inside,
    )
