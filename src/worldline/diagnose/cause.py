"""Why a prediction is not the truth: one cause of a closed set, with its evidence. Guesses nothing it cannot show.

The first of these that holds:

1.  tool fault: a prediction or the truth is missing through no fault of the model.
2.  empty: nothing was written.
3.  right; or the whole trace is right and was taken for wrong: answer miscopied (the model's own answer beside it is
    another), benchmark wrong (it says another answer than the run), scorer artefact (another scorer is wrong).
4.  run-on: the whole trace is right, and the text goes on after it.
5.  degenerate repetition: right until one block is written over and over, and never ended.
6.  malformed: right until it is no longer of the notation, or stops of itself before the end.
7.  budget: the limit cut it, `right up to the cut` or `wrong before the cut`; then `under` has the cause by the first
    divergence, and the operation and the type are of that one.
8.  by the first divergence: could not be known (a draw that was guessed otherwise, or no model can: another run has
    something else there); wrong action;
    lost variable, forgotten aliasing, missed change, invented change; copied from the wrong step; wrong value.

A cause is confirmed only by its intervention, which is not tried here. A right answer does not make a wrong trace right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from worldline.codec.notation import notation
from worldline.codec.reading import Reading
from worldline.codec.repetition import repetition
from worldline.core.malformed import Malformed
from worldline.core.value import equal
from worldline.diagnose.blame.blame import blame
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.diverge import Divergence, diverge
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.diagnose.unknowable import unknowable

UNKNOWN = "could not be known"
CAUSES = (
    "right", "wrong action", "wrong value", "missed change", "invented change", "lost variable",
    "forgotten aliasing", "copied from the wrong step", UNKNOWN, "malformed", "degenerate repetition", "empty",
    "budget", "run-on", "answer miscopied", "benchmark wrong", "scorer artefact", "tool fault",
)  # fmt: skip
UNPARTED = ("right", "answer miscopied", "benchmark wrong", "scorer artefact", "tool fault")
"""Causes at which no step goes wrong."""
RIGHT_TO_THE_CUT = "right up to the cut"
WRONG_BEFORE_IT = "wrong before the cut"
# What the compact parser misses in an ended text of odd spelling.
_NOT_CANONICAL = "the canonical form of these steps"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A cause by name, a detail, the operation and the type of value it is about, the evidence in words."""

    name: str
    detail: str = ""
    operation: str = ""
    type: str = ""
    evidence: str = ""
    divergence: Divergence | None = None
    under: str = ""


@dataclass(frozen=True, kw_only=True)
class CauseCounts:
    """How often each cause, operation and type of value occurs, the commonest first; `details` are of the budget."""

    n: int
    causes: dict[str, int]
    details: dict[str, int]
    operations: dict[str, int]
    types: dict[str, int]


def tally(causes: Iterable[Cause]) -> CauseCounts:
    """Counts over many samples."""
    every = list(causes)
    return CauseCounts(
        n=len(every),
        causes=_counted(one.name for one in every),
        details=_counted(f"{one.name}: {one.detail}" for one in every if one.name == "budget"),
        operations=_counted(one.operation for one in every),
        types=_counted(one.type for one in every),
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(word for word in words if word).most_common())


def _equal(one: str, other: str) -> bool:
    return one == other or equal(one, other)


def explain(
    sample: Sample,
    truth: Reading,
    found: Reading,
    divergences: tuple[Divergence, ...],
    record: Rerun | None = None,
    again: Rerun | None = None,
) -> Cause:
    """The cause of a sample that was read and compared; `right` where nothing is wrong.

    `record` runs a program, so that the operations of a line can be told apart (`terms`); `again` runs it in another
    process, under another hash seed (`unknowable`).
    """
    first = divergences[0] if divergences else None
    silent = _silent(sample, truth, found)
    if silent is not None:
        return silent
    if first is None:
        return _without_divergence(sample, truth, found)
    if _runs_on(truth, found, first):
        return Cause(
            name="run-on", evidence="the whole trace is right; then the text goes on", divergence=first
        )
    repeated = None if found.ended else _repeated(sample, truth, found, first)
    if repeated is not None:
        return repeated
    if first.is_cut:
        return _unfinished(sample, found, first)
    return _blamed(sample, truth, found, divergences, (record, again))


def guessed(draw: tuple[str, str, str], first: Divergence, own: Cause | None) -> Cause:
    """The cause of a prediction that parts by a draw that it could not know: its kind, what it was, what was written.

    `own` is the cause beside the run that has the prediction's own draws, where there is one: what is wrong there, is.
    """
    kind, wanted, got = draw
    where = "" if first.line is None else f"line {first.line} "
    said = f"{where}draws {kind}: {wanted} in this run, {got} in the model's"
    if own is not None and own.name != "right":
        return replace(own, evidence=f"{said}; given its own draws: {own.evidence}", divergence=first)
    right = "; right given its own draws" if own is not None else ""
    return Cause(name=UNKNOWN, detail=kind, operation="draw", evidence=said + right, divergence=first)


def _silent(sample: Sample, truth: Reading, found: Reading) -> Cause | None:
    """Where there is nothing to compare."""
    if sample.found.status == "fault":
        return Cause(name="tool fault", evidence="no prediction came back")
    if sample.truth.status == "fault" or not truth.events:
        return Cause(name="tool fault", detail="no truth", evidence="there is no true trace to compare with")
    is_bare = found.ended and not found.events and found.malformed is None
    if sample.found.status == "empty" or not _written(sample).strip() or is_bare:
        return Cause(name="empty", evidence="no step was written")
    return None


def _written(sample: Sample) -> bytes:
    """What the model wrote itself: not what was given, nor a prompt that a dump begins with."""
    return notation(sample.found.codec).own_text(sample.found.text, len(sample.ask.given))


def _without_divergence(sample: Sample, truth: Reading, found: Reading) -> Cause:
    if not found.ended:  # so the truth is cut as well: it may not be called right
        return Cause(name="budget", detail=RIGHT_TO_THE_CUT, evidence="the limit is less than the true trace")
    return _beside(sample.told, truth) or Cause(name="right")


def _beside(beside: ReportedAnswer, truth: Reading) -> Cause | None:
    """Why a right trace was taken for wrong: by what the model, the benchmark and another scorer say beside it."""
    if truth.answer is None:
        return None
    end = truth.answer[1]
    if beside.own is not None and not _equal(beside.own, end):
        said = f"the trace ends with {end}, the model's own answer is {beside.own}"
        return Cause(name="answer miscopied", detail="answer", evidence=said)
    if beside.expected is not None and not _equal(beside.expected, end):
        said = f"the run ends with {end}, the benchmark says {beside.expected}"
        return Cause(name="benchmark wrong", detail="answer", evidence=said)
    if beside.taken is not None and not _equal(beside.taken, end):
        said = f"the trace ends with {end}, the scorer took {beside.taken}"
        return Cause(name="scorer artefact", detail="answer", evidence=said)
    if beside.failed:
        return Cause(
            name="scorer artefact",
            detail="verdict",
            evidence="trace and answer are right, the scorer failed it",
        )
    return None


def _runs_on(truth: Reading, found: Reading, first: Divergence) -> bool:
    """Whether all true steps were written, and then something else than the end."""
    if not truth.ended or first.step < len(truth.events):
        return False
    if first.what == "extra":
        return True
    return first.is_cut and found.malformed is not None and found.malformed.expected != _NOT_CANONICAL


def _repeated(sample: Sample, truth: Reading, found: Reading, first: Divergence) -> Cause | None:
    """A repetition, where the text is right up to the end of the first block: what comes before it names no cause."""
    from worldline.diagnose.reconcile import read_beside

    tail = repetition(sample.found.text)
    if tail is None or (first.is_cut and found.malformed is None and _tail_is_true(sample)):
        return None
    head = replace(sample.found, text=sample.found.text[: tail.start + tail.period], status="budget")
    reading = read_beside(sample.ask, head, truth)
    is_clean = reading.malformed is None or reading.malformed.offset >= tail.start
    if not is_clean or not all(one.is_cut for one in diverge(truth, reading)):
        return None
    block = sample.found.text[tail.start : tail.start + tail.period].decode("utf-8", "replace")
    said = f"{block[:80]!r}{'...' if len(block) > 80 else ''} {tail.times} times, from byte {tail.start} on"
    return Cause(name="degenerate repetition", detail=f"{tail.times} times", evidence=said, divergence=first)


def _tail_is_true(sample: Sample) -> bool:
    """Whether an unfinished last line is the beginning of the true one.

    Canonical values that are equal are equally long, so the line stands at the same place. Meta's notation may be
    spelled in other ways: there an unfinished frame is not looked at.
    """
    if not notation(sample.found.codec).is_canonical:
        return True
    text = sample.found.text
    start = text.rfind(b"\n") + 1
    return sample.truth.text.startswith(text[start:], start)


def _unfinished(sample: Sample, found: Reading, first: Divergence) -> Cause:
    status, text = sample.found.status, sample.found.text
    if found.malformed is not None:
        return Cause(
            name="malformed",
            detail=found.malformed.expected,
            evidence=_around(text, found.malformed),
            divergence=first,
        )
    if status != "budget":
        stopped = "the model had no next byte" if status == "broken" else "it stops before the end"
        return Cause(name="malformed", detail=stopped, evidence=_missing(first), divergence=first)
    if not _tail_is_true(sample):
        line = text[text.rfind(b"\n") + 1 :].decode("utf-8", "replace")
        said = f"the last line, unfinished, is not a true one: {line[:80]!r}"
        return Cause(
            name="budget", detail=WRONG_BEFORE_IT, evidence=said, divergence=first, under="wrong value"
        )
    return Cause(name="budget", detail=RIGHT_TO_THE_CUT, evidence=_missing(first), divergence=first)


def _missing(first: Divergence) -> str:
    return f"{first.steps[0]} steps are missing" if first.steps[0] else "complete but for its end"


def _around(text: bytes, malformed: Malformed) -> str:
    """The text around a fault. An offset of Meta's notation counts characters: near enough, to show it."""
    at = malformed.offset
    around = text[max(at - 20, 0) : at + 20].decode("utf-8", "replace")
    return f"at {at} of {len(text)}: {around!r}"


def _blamed(
    sample: Sample,
    truth: Reading,
    found: Reading,
    divergences: tuple[Divergence, ...],
    runs: tuple[Rerun | None, Rerun | None],
) -> Cause:
    named = blame(sample.ask.program, truth.events, found.events, divergences, runs[0])
    is_half = not found.ended and divergences[0].found == len(found.events) - 1
    fate = unknowable(sample, truth, named, runs[1], runs[0], is_half=is_half)
    if fate is not None:
        named = replace(named, name=UNKNOWN, detail=fate[0], evidence=fate[1])
    plain = Cause(
        name=named.name, detail=named.detail, operation=named.operation, type=named.type, evidence=named.evidence,
        divergence=named.divergence,
    )  # fmt: skip
    if sample.found.status == "budget" and not found.ended:
        return replace(plain, name="budget", detail=WRONG_BEFORE_IT, under=named.name)
    return plain
