"""One record of a run as its page counts it: verdict, sizes, where it parts, the values at risk, their tokens.

Its texts are let go: a run may be larger than memory. What was diagnosed when the run was made is taken as it stands.
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
from worldline.evaluation.run.record import Record
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task

SHORT = 200  # characters of a value that are kept
DENSITIES = (1.0, 1.5, 2.0, 3.0, 4.0)  # characters a token: where a row of them ends


class ValueClass(NamedTuple):
    """What values are counted by: their type, how long they are at most (a power of two), characters a token."""

    type: str
    length: int
    density: float | None
    is_wrong: bool


@dataclass(frozen=True, kw_only=True)
class FailingValue:
    """How the tokenizer cuts the value that a failure is about, as it is and as it was written, and the wrong place.

    `at` is the first character that is wrong, `token` the part of the true value that its token has, `inside` the
    character's place in it: 0 where a token begins there.
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
class Parting:
    """The first divergence of a failure, its texts cut."""

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

    `tokens` are of the true and the predicted text by the tokenizer that was given; `longest` is the longest value that
    the truth tells, in characters; `values` counts those that were at risk, `executed` the operations that were.
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
    parts: Parting | None = None
    values: Counter[ValueClass] = field(default_factory=Counter)
    executed: Counter[str] = field(default_factory=Counter)
    failing: FailingValue | None = None


def judged_sample(record: Record, tokenizer: Tokenizer | None) -> JudgedSample:
    """A record that counts, as its page needs it."""
    verdict = record.verdict()
    bare = replace(verdict, task=Task(program=Program(source=""), name=record.name, group=record.group))
    operation, failed_type = record.about()
    diagnosis, codec = Diagnosis(record.sample()), record.found.codec
    risked = list(at_risk(diagnosis))
    first = diagnosis.first if verdict.cause else None
    wrong = next((one for one in risked if one.is_wrong), None)
    return JudgedSample(
        at=record.at, verdict=bare, sizes=(len(record.truth), len(record.found.text)), operation=operation,
        tokens=_tokens(record, tokenizer), type=failed_type, program=record.program, status=record.found.status,
        codec=codec, logprob=record.found.logprob,
        longest=max((len(one.text) for one in values(diagnosis.truth)), default=0),
        parts=None if first is None else _parting(first),
        values=Counter(_class(one, codec, tokenizer) for one in risked),
        executed=Counter(executed_operations(diagnosis)),
        failing=_failing(wrong, first.got, codec, tokenizer) if wrong and first and tokenizer else None,
    )  # fmt: skip


def _tokens(record: Record, tokenizer: Tokenizer | None) -> tuple[int, int] | None:
    if tokenizer is None:
        return None
    one, other = (
        tokenizer.count(text.decode("utf-8", "replace")) for text in (record.truth, record.found.text)
    )
    return one, other


def _class(value: ValueAtRisk, codec: str, tokenizer: Tokenizer | None) -> ValueClass:
    density = None if tokenizer is None else split_value(tokenizer, codec, value.name, value.text).density
    length = 1 << (len(value.text) - 1).bit_length() if value.text else 1
    return ValueClass(value.type, length, _row(density), value.is_wrong)


def _row(density: float | None) -> float | None:
    """The highest density of the row that one falls into; that of the last row has no end."""
    if density is None:
        return None
    return next((end for end in DENSITIES if density < end), float("inf"))


def _parting(first: Divergence) -> Parting:
    part = first.part
    return Parting(
        step=first.step, what=first.what, line=first.line, name=first.name, wanted=_short(first.wanted),
        got=_short(first.got), path="" if part is None else part.path, character=None if part is None else part.at,
    )  # fmt: skip


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= SHORT else f"{text[:SHORT]}… ({len(text):,} characters)"


def _failing(value: ValueAtRisk, got: str | None, codec: str, tokenizer: Tokenizer) -> FailingValue | None:
    """The cuts of a value that another was written for; None where none was written."""
    if got is None or got == GONE:
        return None
    wanted, found = (split_value(tokenizer, codec, value.name, text) for text in (value.text, got))
    at = first_difference(wanted.text, found.text)
    token, inside = wanted.token_at(at)
    return FailingValue(
        name=value.name or "", type=value.type, wanted=wanted.marked(at), got=found.marked(at), at=at,
        characters=len(wanted.text), tokens=wanted.tokens, token=_short(token) or "", inside=inside,
    )  # fmt: skip
