"""Whether a prediction is right: its steps are parsed and compared with the true ones, as values.

Nothing is evaluated, and a prediction may be any bytes. Four outcomes that never share a column: `right`, `wrong` (it
ended, with something else), `truncated` (the budget cut it), `malformed` (not the grammar's, empty, or given up).
The answer is what the program's outermost frame ended with and, of a script, what it printed.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldline.bench.suite import Task
from worldline.codec.compact import encode_steps, prompt
from worldline.codec.compact_parse import Parsed, parse
from worldline.core.trace import Step, Trace
from worldline.core.value import equal, kind
from worldline.predict.predictor import Prediction

OUTCOMES = ("right", "wrong", "truncated", "malformed")
FINAL = ("return", "raise", "exit")


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
    """What a prediction should read, as text and as steps, and the answer."""

    text: bytes
    parsed: Parsed
    answer: Answer


@dataclass(frozen=True)
class Verdict:
    """One judged prediction: two outcomes, and how many of the `steps` were right before the first wrong one."""

    task: Task
    answer: str
    trace: str
    type: str
    steps: int
    agreed: int
    bytes: int
    seconds: float


def truth(task: Task, trace: Trace) -> Truth | None:
    """What is right; None where the recording has no answer: it did not end, or is a script that printed nothing."""
    text = encode_steps(trace, task.options)
    parsed = parse(text, prompt(task.program, task.options))
    found = answer(task, parsed) if parsed.ended else None
    if found is None or (task.program.call is None and found.event == "return" and not found.printed):
        return None
    return Truth(text, parsed, found)


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


def judge(task: Task, true: Truth, prediction: Prediction) -> Verdict:
    """The verdict on one prediction, for the answer and for the whole trace."""
    same = prediction.text == true.text
    parsed = true.parsed if same else parse(prediction.text, prompt(task.program, task.options))
    steps = len(true.parsed.steps)
    agreed = steps if same else _agreed(parsed, true.parsed)
    is_whole = agreed == steps == len(parsed.steps)
    if parsed.malformed is not None or prediction.status == "broken":
        outcomes = ("malformed", "malformed")
    elif not parsed.ended:
        # Only a budget truncates: whoever stopped of himself, or wrote no step, did not write a trace.
        is_cut = prediction.status == "budget" and bool(parsed.steps)
        outcomes = ("truncated", "truncated") if is_cut else ("malformed", "malformed")
    else:
        found = answer(task, parsed)
        is_right = found is not None and _same_answer(found, true.answer)
        outcomes = ("right" if is_right else "wrong", "right" if is_whole else "wrong")
    size, seconds = len(prediction.text), prediction.seconds
    return Verdict(task, *outcomes, true.answer.type, steps, agreed, size, seconds)


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
