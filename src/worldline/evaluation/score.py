"""Judges a prediction: its steps are parsed and compared with the true ones, as values.

Nothing is evaluated, and a prediction may be any bytes. It is `right`, `wrong` (it ended with something else),
`truncated` (the budget cut it) or `malformed` (it violates the grammar, or is empty). The answer is what the outermost
frame ended with and, for a script, what it printed. The notation `cwm` does not write output: there a script's answer
is its whole trace. `diagnose` explains the failures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from worldline.codec.answer import same_answer
from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.notation import notation
from worldline.core.hidden import READ
from worldline.core.text import printable
from worldline.core.trace import Step
from worldline.core.value import equal
from worldline.diagnose.blame.executed import executed_operations
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.drawn import draws
from worldline.diagnose.reading import unfinished_as
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.evaluation.run.text_form import form_of
from worldline.evaluation.run.truth import RunEnd, Truth, answer, as_truth, is_complete
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction, PredictionRequest

OUTCOMES = ("right", "wrong", "truncated", "malformed")
MAX_ANSWER_CHARACTERS = 4_096  # of a predicted answer, by which the samples of a task are compared
MAX_NOTE_CHARACTERS = 400  # of the evidence of a verdict, and of the note of a stored prediction


@dataclass(frozen=True)
class Verdict:
    """A judged prediction.

    Attributes:
        answer: The outcome of the answer: one of `OUTCOMES`.
        trace: The outcome of the whole trace.
        type: The type of the true answer.
        steps: How many steps the truth has.
        agreed: How many of them were right before the first wrong one.
        bytes: How many bytes the model wrote: those of a scratchpad, and of samples that lost a vote, included.
        cause: Why the trace or the answer is not right, or why another scorer judged the answer wrong.
        note: The evidence for the cause.
        operation: The operation that the failure is about, if it is about one value; `ambiguous` if several explain it.
        candidates: Those several operations.
        failed_type: The type of that value.
        said: Whether the model's own answer beside its trace is `right` or `wrong`; empty if it gave none.
        executed: How often each operation was executed up to and including the first wrong step.
        predicted: The predicted answer.
        drawn: The outcome of the trace given the draws that the prediction made; empty without draws.
        form: What a text looks like that holds no step, such as prose; empty for a text with steps.
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
    form: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def is_readable(self) -> bool:
        """Whether the output follows the notation, or holds an answer that could be read."""
        return self.answer != "malformed"


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
    """Judge the answer and the whole trace of a prediction, and find why it failed.

    Args:
        task: The task.
        true: Its truth.
        prediction: The prediction.
        ask: The request, if it was more than the task.
        beside: Answers reported beside the trace. They count if the model wrote no trace; an empty output is
            malformed, whatever another scorer read.
        record: Executes a program.
        again: Executes a program with another hash seed.

    Returns:
        The verdict.
    """
    request = ask or PredictionRequest(
        program=task.program, options=task.options, hidden=true.trace.hidden, control=task.control
    )
    truth = as_truth(true.text_in(prediction.codec, prediction), prediction.codec)
    sample = Sample(ask=request, truth=truth, found=prediction, beside=beside or ReportedAnswer())
    reported, diagnosis = sample.told, Diagnosis(sample, record, again)
    judge_trace = _judge_steps if notation(prediction.codec).is_canonical else _judge_events
    verdict = judge_trace(task, true, diagnosis)
    stated = reported.taken if reported.taken is not None else reported.own
    is_empty = not prediction.text.strip() and reported.own is None
    if verdict.trace == "malformed" and stated is not None and not diagnosis.found.events and not is_empty:
        verdict = replace(verdict, answer=_word(_is_answer(stated, true)))
    if reported.own is not None:
        verdict = replace(verdict, said=_word(_is_answer(reported.own, true)))
    verdict = replace(verdict, executed=executed_operations(diagnosis), drawn=_drawn(diagnosis, verdict))
    is_right = verdict.answer == verdict.trace == "right"
    if is_right and (reported == ReportedAnswer() or diagnosis.cause.name == "right"):
        return verdict
    cause = diagnosis.cause
    is_unreadable = verdict.trace == "malformed" and not diagnosis.found.events
    return replace(
        verdict,
        form=form_of(prediction.text[len(request.given) :]) if is_unreadable else "",
        cause=f"{cause.name}, {cause.detail}" if cause.name == "budget" and cause.detail else cause.name,
        note=_evidence(diagnosis, true, verdict),
        operation=cause.operation,
        candidates=cause.candidates,
        failed_type=cause.type,
    )


def _drawn(diagnosis: Diagnosis, verdict: Verdict) -> str:
    """The outcome of a trace given its own draws."""
    ask = diagnosis.sample.ask
    if ask.control is None or ask.options.hidden != "predicted" or diagnosis.record is None:
        return ""
    if not any(hidden.kind != READ for hidden in (*ask.hidden, *draws(diagnosis.found))):
        return ""
    own, predicted = diagnosis.own, diagnosis.found
    if own is None or verdict.trace == "right":
        return verdict.trace
    unfinished = unfinished_as(
        predicted.malformed is not None, predicted.ended, bool(predicted.events), diagnosis.sample.found
    )
    return unfinished or _word(own.is_whole)


def _is_answer(stated: str, true: Truth) -> bool:
    return true.answer.event == "return" and same_answer(stated, true.answer.value)


def _evidence(diagnosis: Diagnosis, true: Truth, verdict: Verdict) -> str:
    """The evidence for the cause. Missing steps are counted in the whole truth, which may not be written to its end."""
    cause, truth = diagnosis.cause, diagnosis.sample.truth
    evidence, first = cause.evidence, cause.divergence
    if not is_complete(truth.text, truth.codec) and first is not None and first.is_cut and first.steps[0]:
        evidence = evidence.replace(f"{first.steps[0]} steps", f"{verdict.steps - first.step:,} steps")
    limit = f"recorded up to a limit ({true.trace.outcome.detail})" if true.is_limited else ""
    return one_line_note("; ".join(part for part in (evidence, limit) if part))


def one_line_note(note: str) -> str:
    """Return a note on one line of bounded length: it may quote long values or a statement of many lines.

    The middle is left out, as a note ends with the operation that it is about.
    """
    line = printable(" ".join(note.split()))
    if len(line) <= MAX_NOTE_CHARACTERS:
        return line
    head = 2 * MAX_NOTE_CHARACTERS // 3
    return f"{line[: head - 3]}...{line[head - MAX_NOTE_CHARACTERS :]}"


def _judge_steps(task: Task, true: Truth, diagnosis: Diagnosis) -> Verdict:
    prediction, truth = diagnosis.sample.found, diagnosis.sample.truth
    is_identical = prediction.text == true.text
    prompt = diagnosis.sample.ask.prompt
    parsed = true.parsed if is_identical else parse(prediction.text, prompt, loose=True)
    is_cut = len(truth.text) < len(true.text)
    actual = parse(truth.text, prompt) if is_cut else true.parsed
    steps = true.steps_in(len(actual.steps), is_cut=is_cut)
    agreed = steps if is_identical else _agreed(parsed, actual)
    is_whole = agreed == steps == len(parsed.steps)
    has_steps = bool(parsed.steps)
    unfinished = unfinished_as(parsed.malformed is not None, parsed.ended and has_steps, has_steps, prediction)
    end = answer(task, parsed)
    is_right = end is not None and _same_answer(end, true.answer)
    outcomes = (unfinished, unfinished) if unfinished else (_word(is_right), _word(is_whole))
    return _verdict(task, true, prediction, outcomes, (steps, agreed), end)


def _judge_events(task: Task, true: Truth, diagnosis: Diagnosis) -> Verdict:
    reading, prediction, first = diagnosis.found, diagnosis.sample.found, diagnosis.first
    is_cut = not is_complete(diagnosis.sample.truth.text, prediction.codec)
    steps = true.steps_in(len(diagnosis.truth.events), is_cut=is_cut)
    agreed = min(first.step, steps) if first is not None else steps
    is_whole, is_script = diagnosis.is_whole, task.program.call is None
    end = None if reading.answer is None else RunEnd(*reading.answer)
    is_right = end is not None and (is_whole if is_script else _same_answer(end, true.answer))
    # The notation has no end before something has returned.
    is_ended = reading.ended and end is not None
    unfinished = unfinished_as(reading.malformed is not None, is_ended, bool(reading.events), prediction)
    outcomes = (unfinished, unfinished) if unfinished else (_word(is_right), _word(is_whole))
    return _verdict(task, true, prediction, outcomes, (steps, agreed), end)


def _verdict(
    task: Task,
    true: Truth,
    prediction: Prediction,
    outcomes: tuple[str, str],
    counts: tuple[int, int],
    end: RunEnd | None,
) -> Verdict:
    predicted = "" if end is None else "\n".join([f"{end.event} {end.value}", *map(str, end.printed)])
    return Verdict(
        task,
        *outcomes,
        true.answer.type,
        *counts,
        prediction.bytes_written,
        prediction.seconds,
        predicted=predicted[:MAX_ANSWER_CHARACTERS],
    )


def _word(is_right: bool) -> str:
    return "right" if is_right else "wrong"


def _same_answer(first: RunEnd, second: RunEnd) -> bool:
    is_same_end = first.event == second.event and first.printed == second.printed
    return is_same_end and same_answer(first.value, second.value)


def _agreed(predicted: Parsed, actual: Parsed) -> int:
    """How many steps agree before the first wrong one. A hidden input is part of the step that consumes it."""
    hidden = _hidden(predicted), _hidden(actual)
    count = 0
    for step, true_step in zip(predicted.steps, actual.steps, strict=False):
        same_frame = predicted.frames[step.frame] == actual.frames[true_step.frame]
        if not (same_frame and _same_step(step, true_step) and hidden[0].get(count) == hidden[1].get(count)):
            break
        count += 1
    return count


def _hidden(parsed: Parsed) -> dict[int, list[tuple[str, str]]]:
    by_step: dict[int, list[tuple[str, str]]] = {}
    for hidden in parsed.hidden:
        by_step.setdefault(hidden.step, []).append((hidden.kind, hidden.value))
    return by_step


def _same_step(first: Step, second: Step) -> bool:
    return (
        (first.event, first.frame, first.line, set(first.gone), first.same)
        == (second.event, second.frame, second.line, set(second.gone), second.same)
        and first.delta.keys() == second.delta.keys()
        and all(_same_value(value, second.delta[name]) for name, value in first.delta.items())
        and _same_value(first.arg, second.arg)
    )


def _same_value(first: str | None, second: str | None) -> bool:
    return first == second or (first is not None and second is not None and equal(first, second))
