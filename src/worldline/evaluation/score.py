"""Whether a prediction is right: its steps are parsed and compared with the true ones, as values.

Nothing is evaluated, and a prediction may be any bytes. Four outcomes that never share a column: `right`, `wrong` (it
ended, with something else), `truncated` (the budget cut it), `malformed` (not the grammar's, empty, or given up).
The answer is what the program's outermost frame ended with and, of a script, what it printed. Meta's format has no
place for what is printed: there a script's answer is its whole trace. Why a prediction is not right is `diagnose`'s to
say: it is asked about failures alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.notation import notation
from worldline.core.hidden import READ
from worldline.core.trace import Step
from worldline.core.value import equal
from worldline.diagnose.blame.executed import executed_operations
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.drawn import draws
from worldline.diagnose.reading import unfinished_as
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.evaluation.run.truth import RunEnd, Truth, answer, as_truth, is_complete
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction, PredictionRequest

OUTCOMES = ("right", "wrong", "truncated", "malformed")
GIVEN = 4_096  # characters of a predicted answer that samples of one id are compared by


@dataclass(frozen=True)
class Verdict:
    """One judged prediction: two outcomes, and how many of the `steps` were right before the first wrong one.

    `cause` is why the trace or the answer is not right, or why another scorer took the answer for wrong; empty where
    nothing is. `note` is the evidence; `operation` and `failed_type` are what the failure is about, where it is about
    one value. `said` is whether the model's own answer beside its trace is `right` or `wrong`; empty: it gave none.
    `executed`: how often each operation ran before the first wrong step and in it.
    `predicted` is the answer that was predicted, on one line. `drawn` is the outcome of the trace given the draws that
    the prediction itself made, where the run has hidden inputs that no model can know; empty where it has none.
    """

    task: Task
    answer: str
    trace: str
    type: str
    steps: int
    agreed: int
    bytes: int
    seconds: float
    cause: str = ""
    note: str = ""
    operation: str = ""
    failed_type: str = ""
    said: str = ""
    executed: Mapping[str, int] = field(default_factory=dict)
    predicted: str = ""
    drawn: str = ""


def judge(
    task: Task,
    true: Truth,
    prediction: Prediction,
    *,
    ask: PredictionRequest | None = None,
    beside: ReportedAnswer | None = None,
    record: Rerun | None = None,
    again: Rerun | None = None,
) -> Verdict:
    """The verdict on one prediction, for the answer and for the whole trace, and why it failed where it did.

    `ask` is what was asked, where that was more than the task; `beside` is what is said of the answer beside a trace,
    which counts where there is no trace. `record` and `again` run a program (`Diagnosis`).
    """
    asked = ask or PredictionRequest(
        program=task.program, options=task.options, hidden=true.trace.hidden, control=task.control
    )
    truth = as_truth(true.text_in(prediction.codec, prediction), prediction.codec)
    sample = Sample(ask=asked, truth=truth, found=prediction, beside=beside or ReportedAnswer())
    beside, diagnosis = sample.told, Diagnosis(sample, record, again)
    judged = _judge_steps if notation(prediction.codec).is_canonical else _judge_events
    verdict = judged(task, true, diagnosis)
    said = beside.taken if beside.taken is not None else beside.own
    if verdict.trace == "malformed" and said is not None and not diagnosis.found.events:
        verdict = replace(verdict, answer=_word(_is_answer(said, true)))
    if beside.own is not None:
        verdict = replace(verdict, said=_word(_is_answer(beside.own, true)))
    verdict = replace(verdict, executed=executed_operations(diagnosis), drawn=_drawn(diagnosis, verdict))
    is_right = verdict.answer == verdict.trace == "right"
    if is_right and (beside == ReportedAnswer() or diagnosis.cause.name == "right"):
        return verdict
    found = diagnosis.cause
    name = f"{found.name}, {found.detail}" if found.name == "budget" and found.detail else found.name
    return replace(
        verdict, cause=name, note=_evidence(diagnosis, true, verdict), operation=found.operation,
        failed_type=found.type,
    )  # fmt: skip


def _drawn(diagnosis: Diagnosis, verdict: Verdict) -> str:
    """The outcome of a trace given its own draws; of one that draws as the run did, its outcome."""
    ask = diagnosis.sample.ask
    if ask.control is None or ask.options.hidden != "predicted" or diagnosis.record is None:
        return ""
    if not any(one.kind != READ for one in (*ask.hidden, *draws(diagnosis.found))):
        return ""
    own, found = diagnosis.own, diagnosis.found
    if own is None or verdict.trace == "right":
        return verdict.trace
    unfinished = unfinished_as(
        found.malformed is not None, found.ended, bool(found.events), diagnosis.sample.found
    )
    return unfinished or _word(own.is_whole)


def _is_answer(said: str, true: Truth) -> bool:
    return true.answer.event == "return" and equal(said, true.answer.value)


def _evidence(diagnosis: Diagnosis, true: Truth, verdict: Verdict) -> str:
    """What a cause says; of steps that are missing, how many of the whole truth, which was not written to its end."""
    found, truth = diagnosis.cause, diagnosis.sample.truth
    said, first = found.evidence, found.divergence
    if not is_complete(truth.text, truth.codec) and first is not None and first.is_cut and first.steps[0]:
        said = said.replace(f"{first.steps[0]} steps", f"{verdict.steps - first.step:,} steps")
    limit = f"recorded up to a limit ({true.trace.outcome.detail})" if true.is_limited else ""
    return "; ".join(part for part in (said, limit) if part)


def _judge_steps(task: Task, true: Truth, diagnosis: Diagnosis) -> Verdict:
    prediction, wanted = diagnosis.sample.found, diagnosis.sample.truth
    same = prediction.text == true.text
    given = diagnosis.sample.ask.prompt
    parsed = true.parsed if same else parse(prediction.text, given, loose=True)
    is_cut = len(wanted.text) < len(true.text)
    compared = parse(wanted.text, given) if is_cut else true.parsed
    steps = true.steps_in(len(compared.steps), is_cut=is_cut)
    agreed = steps if same else _agreed(parsed, compared)
    found = answer(task, parsed)
    is_right = found is not None and _same_answer(found, true.answer)
    is_whole = agreed == steps == len(parsed.steps)
    unfinished = unfinished_as(parsed.malformed is not None, parsed.ended, bool(parsed.steps), prediction)
    outcomes = (unfinished, unfinished) if unfinished else (_word(is_right), _word(is_whole))
    size, seconds = len(prediction.text), prediction.seconds
    predicted = "" if found is None else _given(found)
    return Verdict(task, *outcomes, true.answer.type, steps, agreed, size, seconds, predicted=predicted)


def _judge_events(task: Task, true: Truth, diagnosis: Diagnosis) -> Verdict:
    found, prediction, first = diagnosis.found, diagnosis.sample.found, diagnosis.first
    is_cut = not is_complete(diagnosis.sample.truth.text, prediction.codec)
    steps = true.steps_in(len(diagnosis.truth.events), is_cut=is_cut)
    agreed = min(first.step, steps) if first is not None else steps
    said, is_whole, is_script = found.answer, diagnosis.is_whole, task.program.call is None
    is_right = said is not None and (is_whole if is_script else _same_answer(RunEnd(*said), true.answer))
    # An end before anything has returned is one that the notation does not have.
    is_ended = found.ended and said is not None
    unfinished = unfinished_as(found.malformed is not None, is_ended, bool(found.events), prediction)
    outcomes = (unfinished, unfinished) if unfinished else (_word(is_right), _word(is_whole))
    size, seconds = len(prediction.text), prediction.seconds
    predicted = "" if said is None else _given(RunEnd(*said))
    return Verdict(task, *outcomes, true.answer.type, steps, agreed, size, seconds, predicted=predicted)


def _given(said: RunEnd) -> str:
    """An answer on one line: two that are alike are the same text."""
    return "\n".join([f"{said.event} {said.value}", *map(str, said.printed)])[:GIVEN]


def _word(is_right: bool) -> str:
    return "right" if is_right else "wrong"


def _same_answer(one: RunEnd, other: RunEnd) -> bool:
    return one.event == other.event and one.printed == other.printed and equal(one.value, other.value)


def _agreed(found: Parsed, wanted: Parsed) -> int:
    """How many steps are the true ones, from the first on; a hidden input is part of the step that consumes it."""
    hidden = _hidden(found), _hidden(wanted)
    count = 0
    for one, other in zip(found.steps, wanted.steps, strict=False):
        same_frame = found.frames[one.frame] == wanted.frames[other.frame]
        if not (same_frame and _same_step(one, other) and hidden[0].get(count) == hidden[1].get(count)):
            break
        count += 1
    return count


def _hidden(parsed: Parsed) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = {}
    for hidden in parsed.hidden:
        found.setdefault(hidden.step, []).append((hidden.kind, hidden.value))
    return found


def _same_step(one: Step, other: Step) -> bool:
    return (
        (one.event, one.frame, one.line, set(one.gone), one.same)
        == (other.event, other.frame, other.line, set(other.gone), other.same)
        and one.delta.keys() == other.delta.keys()
        and all(_same_value(value, other.delta[name]) for name, value in one.delta.items())
        and _same_value(one.arg, other.arg)
    )


def _same_value(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and equal(one, other))
