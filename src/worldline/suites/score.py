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
from functools import cached_property

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.prompt import prompt
from worldline.codec.compact.writer import encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.core.events import FINAL
from worldline.core.trace import Step, Trace
from worldline.core.value import equal, kind
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.executed import executed_operations
from worldline.diagnose.sample import Beside, Sample
from worldline.diagnose.terms import Record
from worldline.fence import RowFault, fenced
from worldline.predict.predictor import CONTEXT, Ask, Prediction
from worldline.predict.scratchpad import folded
from worldline.suites.suite import Task

OUTCOMES = ("right", "wrong", "truncated", "malformed")


@dataclass(frozen=True)
class Answer:
    """How a run ended: the event, its value, and what a script printed on the way."""

    event: str
    value: str
    printed: tuple[str | None, ...] = ()

    @property
    def type(self) -> str:
        """The kind of the value; of a script that printed, `output`."""
        if self.event == "raise":
            return "exception"
        return "output" if self.printed else kind(self.value)


@dataclass(frozen=True)
class Truth:
    """What a prediction should read, as text and as steps, the answer, and the recording."""

    text: bytes
    parsed: Parsed
    answer: Answer
    trace: Trace

    def text_in(self, codec: str) -> bytes:
        """What a prediction in this notation should read."""
        return self.text if codec == "compact" else self._cwm

    @cached_property
    def _cwm(self) -> bytes:
        given = cwm.prompt(self.trace.program.source, cwm.entry_line(self.trace))
        return cwm.encode(self.trace)[len(given) :].encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Verdict:
    """One judged prediction: two outcomes, and how many of the `steps` were right before the first wrong one.

    `cause` is why the trace or the answer is not right, or why another scorer took the answer for wrong; empty where
    nothing is. `note` is the evidence; `operation` and `failed_type` are what the failure is about, where it is about
    one value. `said` is whether the model's own answer beside its trace is `right` or `wrong`; empty: it gave none.
    `executed`: how often each operation ran before the first wrong step and in it.
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


def truth(task: Task, trace: Trace) -> Truth | None:
    """What is right; None where the recording has no answer: it did not end, or is a script that printed nothing."""
    text = encode_steps(trace, task.options)
    if task.folded:
        text = folded(task.program, task.options, text)
    parsed = parse(text, prompt(task.program, task.options))
    found = answer(task, parsed) if parsed.ended else None
    if found is None or (task.program.call is None and found.event == "return" and not found.printed):
        return None
    return Truth(text, parsed, found, trace)


def fenced_truth(task: Task, trace: Trace) -> Truth | RowFault | None:
    """What is right, or why the tool could not tell: it failed to record the program, or to read the recording."""
    if trace.outcome.kind == "host-fault":
        return RowFault(f"host-fault: {trace.outcome.detail}")
    return fenced(truth, task, trace)


def disagrees(task: Task, true: Truth) -> bool:
    """Whether a benchmark says another answer than the run: it is wrong about itself, or about this Python."""
    if task.answer is None:
        return False
    return true.answer.event != "return" or not equal(true.answer.value, task.answer)


def answer(task: Task, parsed: Parsed) -> Answer | None:
    """What the outermost frame ended with, and what a script printed; None where it is not written."""
    ends = (s for s in reversed(parsed.steps) if s.event in FINAL and parsed.frames[s.frame].parent < 0)
    last = next(ends, None)
    if last is None or last.arg is None:
        return None
    is_script = task.program.call is None
    printed = tuple(step.arg for step in parsed.steps if step.event == "output") if is_script else ()
    return Answer(last.event, last.arg, printed)


def judge(
    task: Task,
    true: Truth,
    prediction: Prediction,
    *,
    ask: Ask | None = None,
    beside: Beside | None = None,
    record: Record | None = None,
    again: Record | None = None,
) -> Verdict:
    """The verdict on one prediction, for the answer and for the whole trace, and why it failed where it did.

    `ask` is what was asked, where that was more than the task; `beside` is what is said of the answer beside a trace,
    which counts where there is no trace. `record` and `again` run a program (`Diagnosis`).
    """
    asked = ask or Ask(program=task.program, options=task.options)
    truth = Prediction(text=true.text_in(prediction.codec), status="ended", codec=prediction.codec)
    beside = beside or Beside()
    diagnosis = Diagnosis(Sample(ask=asked, truth=truth, found=prediction, beside=beside), record, again)
    is_compact = prediction.codec == "compact"
    verdict = _judge_compact(task, true, prediction) if is_compact else _judge_cwm(task, true, diagnosis)
    said = beside.taken if beside.taken is not None else beside.own
    if verdict.trace == "malformed" and said is not None and not diagnosis.found.events:
        verdict = replace(verdict, answer=_word(_is_answer(said, true)))
    if beside.own is not None:
        verdict = replace(verdict, said=_word(_is_answer(beside.own, true)))
    verdict = replace(verdict, executed=executed_operations(diagnosis))
    is_right = verdict.answer == verdict.trace == "right"
    if is_right and (beside == Beside() or diagnosis.cause.name == "right"):
        return verdict
    found = diagnosis.cause
    name = f"{found.name}, {found.detail}" if found.name == "budget" and found.detail else found.name
    return replace(
        verdict, cause=name, note=found.evidence, operation=found.operation, failed_type=found.type
    )


def _is_answer(said: str, true: Truth) -> bool:
    return true.answer.event == "return" and equal(said, true.answer.value)


def _judge_compact(task: Task, true: Truth, prediction: Prediction) -> Verdict:
    same = prediction.text == true.text
    given = prompt(task.program, task.options)
    parsed = true.parsed if same else parse(prediction.text, given, loose=True)
    steps = len(true.parsed.steps)
    agreed = steps if same else _agreed(parsed, true.parsed)
    found = answer(task, parsed)
    is_right = found is not None and _same_answer(found, true.answer)
    is_whole = agreed == steps == len(parsed.steps)
    unfinished = _unfinished(parsed.malformed is not None, parsed.ended, bool(parsed.steps), prediction)
    outcomes = (unfinished, unfinished) if unfinished else (_word(is_right), _word(is_whole))
    size, seconds = len(prediction.text), prediction.seconds
    return Verdict(task, *outcomes, true.answer.type, steps, agreed, size, seconds)


def _judge_cwm(task: Task, true: Truth, diagnosis: Diagnosis) -> Verdict:
    found, prediction, first = diagnosis.found, diagnosis.sample.found, diagnosis.first
    steps = len(diagnosis.truth.events)
    agreed = min(first.step, steps) if first is not None else steps
    said, is_whole, is_script = found.answer, diagnosis.is_whole, task.program.call is None
    is_right = said is not None and (is_whole if is_script else _same_answer(Answer(*said), true.answer))
    # An end before anything has returned is one that the notation does not have.
    is_ended = found.ended and said is not None
    unfinished = _unfinished(found.malformed is not None, is_ended, bool(found.events), prediction)
    outcomes = (unfinished, unfinished) if unfinished else (_word(is_right), _word(is_whole))
    size, seconds = len(prediction.text), prediction.seconds
    return Verdict(task, *outcomes, true.answer.type, steps, agreed, size, seconds)


def _unfinished(is_malformed: bool, is_ended: bool, has_steps: bool, prediction: Prediction) -> str | None:
    """The outcome of a text that came to no end; None of one that did."""
    if is_malformed or prediction.status == "broken":
        return "malformed"
    if is_ended:
        return None
    # Only a budget truncates: whoever stopped of himself, or wrote no step, did not write a trace.
    is_cut = prediction.status == "budget" and (has_steps or prediction.note == CONTEXT)
    return "truncated" if is_cut else "malformed"


def _word(is_right: bool) -> str:
    return "right" if is_right else "wrong"


def _same_answer(one: Answer, other: Answer) -> bool:
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
