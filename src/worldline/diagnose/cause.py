"""Why a prediction is wrong: one cause of a closed set, with evidence.

The first of these that holds:

1.  tool fault: the prediction or the truth is missing, and not because of the model.
2.  empty: the model wrote nothing.
3.  right; or the whole trace is right and was judged wrong: answer miscopied (the model's separate answer differs),
    scorer artefact (the benchmark's expected answer differs from the execution, or another scorer is wrong). Older
    runs have benchmark wrong for the former.
4.  run-on: the whole trace is right, and the text continues after it.
5.  degenerate repetition: right until one block is repeated without end.
6.  malformed: right until the text leaves the notation, or stops on its own before the end.
7.  budget: the limit cut the text, `right up to the cut` or `wrong before the cut`. In the second case `under` has the
    cause of the first divergence, and operation and type belong to that one.
8.  by the first divergence: could not be known (a draw that was guessed differently, or a value that differs from run
    to run); wrong action; lost variable, forgotten aliasing, missed change, invented change; copied from the wrong
    step; wrong value.

Only an intervention confirms a cause, and none is tried here. A right answer does not make a wrong trace
right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from worldline.codec.answer import same_answer
from worldline.codec.notation import notation
from worldline.codec.reading import Reading
from worldline.codec.repetition import repetition
from worldline.core.malformed import Malformed
from worldline.diagnose.blame.blame import blame
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.diverge import Divergence, diverge
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.diagnose.unknowable import unknowable

UNKNOWN = "could not be known"
CAUSES = (
    "right", "wrong action", "wrong value", "missed change", "invented change", "lost variable",
    "forgotten aliasing", "copied from the wrong step", UNKNOWN, "malformed", "degenerate repetition",
    "empty", "budget", "run-on", "answer miscopied", "benchmark wrong", "scorer artefact", "tool fault",
)  # fmt: skip
CAUSES_WITHOUT_DIVERGENCE = ("right", "answer miscopied", "benchmark wrong", "scorer artefact", "tool fault")
"""Causes for which no step is wrong."""
RIGHT_TO_THE_CUT = "right up to the cut"
WRONG_BEFORE_THE_CUT = "wrong before the cut"
# What the compact parser expects when an ended text is not in canonical form.
_NOT_CANONICAL = "the canonical form of these steps"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A cause by name, with a detail, the operation and type of value concerned, and the evidence in words.

    `candidates`: the operations that explain the value equally well, if `operation` is ambiguous.
    """

    name: str
    detail: str = ""
    operation: str = ""
    type: str = ""
    evidence: str = ""
    divergence: Divergence | None = None
    under: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def blamed(self) -> str:
        """The operation in words: an ambiguous one with its candidates."""
        return blamed_words(self.operation, self.candidates)


def blamed_words(operation: str, candidates: Sequence[str]) -> str:
    """Return an operation in words: an ambiguous one with its candidates."""
    return f"{operation}: {' or '.join(candidates)}" if candidates else operation


def explain(
    sample: Sample,
    truth: Reading,
    predicted: Reading,
    divergences: tuple[Divergence, ...],
    record: Rerun | None = None,
    again: Rerun | None = None,
) -> Cause:
    """Return the cause of a sample; `right` if nothing is wrong.

    `record` executes a program, to find the operation that is to blame (`blame.terms`). `again` executes it
    in another process under another hash seed, to find what no model can know (`unknowable`).
    """
    first = divergences[0] if divergences else None
    silent = _silent(sample, truth, predicted)
    if silent is not None:
        return silent
    if first is None:
        return _without_divergence(sample, truth, predicted)
    if _runs_on(truth, predicted, first):
        return Cause(name="run-on", evidence="the trace is right, then the text continues", divergence=first)
    repeated = None if predicted.ended else _repeated(sample, truth, predicted, first)
    if repeated is not None:
        return repeated
    if first.is_cut:
        return _unfinished(sample, predicted, first)
    return _blamed(sample, truth, predicted, divergences, (record, again))


def explain_guess(draw: tuple[str, str, str], first: Divergence, own: Cause | None) -> Cause:
    """Return the cause of a prediction that diverges by a draw (kind, true and predicted value) it could not know.

    `own` is the cause beside the execution with the prediction's own draws, if there is one: errors there
    count.
    """
    kind, wanted, got = draw
    where = "" if first.line is None else f"line {first.line} "
    evidence = f"{where}draws {kind}: {wanted}, predicted {got}"
    if own is not None and own.name != "right":
        return replace(own, evidence=f"{evidence}; given its own draws: {own.evidence}", divergence=first)
    right = "; right given its own draws" if own is not None else ""
    return Cause(name=UNKNOWN, detail=kind, operation="draw", evidence=evidence + right, divergence=first)


def _silent(sample: Sample, truth: Reading, predicted: Reading) -> Cause | None:
    """The cause if there is nothing to compare."""
    if sample.found.status == "fault":
        return Cause(name="tool fault", evidence="the model returned no prediction")
    if sample.truth.status == "fault" or not truth.events:
        return Cause(name="tool fault", detail="no truth", evidence="there is no true trace to compare with")
    is_bare = predicted.ended and not predicted.events and predicted.malformed is None
    if sample.found.status == "empty" or not _written(sample).strip() or is_bare:
        return Cause(name="empty", evidence="the model wrote no step")
    return None


def _written(sample: Sample) -> bytes:
    """The text that the model wrote itself, without what it was given and without a prompt in a dump."""
    return notation(sample.found.codec).own_text(sample.found.text, len(sample.ask.given))


def _without_divergence(sample: Sample, truth: Reading, predicted: Reading) -> Cause:
    if not predicted.ended:  # the truth is cut as well, so it cannot be called right
        return Cause(name="budget", detail=RIGHT_TO_THE_CUT, evidence="the true trace is longer")
    return _misjudged(sample.told, truth) or Cause(name="right")


def _misjudged(reported: ReportedAnswer, truth: Reading) -> Cause | None:
    """Why a right trace was judged wrong, by the answers reported beside it."""
    if truth.answer is None:
        return None
    end = truth.answer[1]
    if reported.own is not None and not same_answer(reported.own, end):
        evidence = f"the trace ends with {end}, the model's separate answer is {reported.own}"
        return Cause(name="answer miscopied", detail="answer", evidence=evidence)
    if reported.expected is not None and not same_answer(reported.expected, end):
        evidence = f"the execution ends with {end}, the benchmark expects {reported.expected}"
        return Cause(name="scorer artefact", detail="benchmark", evidence=evidence)
    if reported.taken is not None and not same_answer(reported.taken, end):
        evidence = f"the trace ends with {end}, the scorer read {reported.taken}"
        return Cause(name="scorer artefact", detail="answer", evidence=evidence)
    if reported.failed:
        evidence = "trace and answer are right, the scorer judged them wrong"
        return Cause(name="scorer artefact", detail="verdict", evidence=evidence)
    return None


def _runs_on(truth: Reading, predicted: Reading, first: Divergence) -> bool:
    """Whether all true steps were written, and then more."""
    if not truth.ended or first.step < len(truth.events):
        return False
    if first.what == "extra":
        return True
    return first.is_cut and predicted.malformed is not None and predicted.malformed.expected != _NOT_CANONICAL


def _repeated(sample: Sample, truth: Reading, predicted: Reading, first: Divergence) -> Cause | None:
    """A repetition, if the text is right up to the end of the first block."""
    from worldline.diagnose.reconcile import read_beside

    tail = repetition(sample.found.text)
    if tail is None or (first.is_cut and predicted.malformed is None and _tail_is_true(sample)):
        return None
    head = replace(sample.found, text=sample.found.text[: tail.start + tail.period], status="budget")
    reading = read_beside(sample.ask, head, truth)
    is_clean = reading.malformed is None or reading.malformed.offset >= tail.start
    if not is_clean or not all(divergence.is_cut for divergence in diverge(truth, reading)):
        return None
    block = sample.found.text[tail.start : tail.start + tail.period].decode("utf-8", "replace")
    evidence = f"{block[:80]!r}{'...' if len(block) > 80 else ''} {tail.times} times, from byte {tail.start}"
    detail = f"{tail.times} times"
    return Cause(name="degenerate repetition", detail=detail, evidence=evidence, divergence=first)


def _tail_is_true(sample: Sample) -> bool:
    """Whether an unfinished last line is the start of the true one.

    Equal canonical values have equal length, so the line starts at the same byte. Meta's notation allows
    several spellings: its unfinished frames are not judged.
    """
    if not notation(sample.found.codec).is_canonical:
        return True
    text = sample.found.text
    start = text.rfind(b"\n") + 1
    return sample.truth.text.startswith(text[start:], start)


def _unfinished(sample: Sample, predicted: Reading, first: Divergence) -> Cause:
    status, text = sample.found.status, sample.found.text
    if predicted.malformed is not None:
        expected, evidence = predicted.malformed.expected, _around(text, predicted.malformed)
        return Cause(name="malformed", detail=expected, evidence=evidence, divergence=first)
    if status != "budget":
        stopped = "the model had no next byte" if status == "broken" else "the text stops before the end"
        return Cause(name="malformed", detail=stopped, evidence=_missing(first), divergence=first)
    if not _tail_is_true(sample):
        line = text[text.rfind(b"\n") + 1 :].decode("utf-8", "replace")
        evidence = f"the unfinished last line is wrong: {line[:80]!r}"
        wrong = Cause(name="budget", detail=WRONG_BEFORE_THE_CUT, evidence=evidence, divergence=first)
        return replace(wrong, under="wrong value")
    return Cause(name="budget", detail=RIGHT_TO_THE_CUT, evidence=_missing(first), divergence=first)


def _missing(first: Divergence) -> str:
    return f"{first.steps[0]} steps are missing" if first.steps[0] else "only the end is missing"


def _around(text: bytes, malformed: Malformed) -> str:
    """The text around a fault. Offsets of Meta's notation count characters, which is close enough to show it."""
    at = malformed.offset
    around = text[max(at - 20, 0) : at + 20].decode("utf-8", "replace")
    return f"at {at} of {len(text)}: {around!r}"


def _blamed(
    sample: Sample,
    truth: Reading,
    predicted: Reading,
    divergences: tuple[Divergence, ...],
    runs: tuple[Rerun | None, Rerun | None],
) -> Cause:
    named = blame(sample.ask.program, truth.events, predicted.events, divergences, runs[0])
    is_half = not predicted.ended and divergences[0].found == len(predicted.events) - 1
    unknown = unknowable(sample, truth, named, runs[1], runs[0], is_half=is_half)
    if unknown is not None:
        named = replace(named, name=UNKNOWN, detail=unknown[0], evidence=unknown[1])
    plain = Cause(
        name=named.name,
        detail=named.detail,
        operation=named.operation,
        type=named.type,
        evidence=named.evidence,
        divergence=named.divergence,
        candidates=named.candidates,
    )
    if sample.found.status == "budget" and not predicted.ended:
        return replace(plain, name="budget", detail=WRONG_BEFORE_THE_CUT, under=named.name)
    return plain
