"""What is true of a task: its recording, the answer, and as much of the true text as a prediction can be compared with.

A program may run a hundred thousand steps and a prediction of it stop after three hundred: recording is cheap, writing
and reading text is not, so a text is written `margin` lines or frames further than the prediction goes. A recording
that met a limit is true as far as it goes: it tells what a prediction that is cut earlier should read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.prompt import prompt
from worldline.codec.compact.turns import first_lines
from worldline.codec.compact.writer import encode_steps
from worldline.codec.notation import notation
from worldline.core.events import ENDED, EVENTS, FINAL
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.trace import Trace
from worldline.core.value import equal, kind
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction
from worldline.predict.scratchpad import fold_text

MARGIN = 64
UNKNOWN = "unknown"
_FINAL = frozenset(EVENTS.index(event) for event in FINAL)
_OUTPUT = EVENTS.index("output")


@dataclass(frozen=True)
class RunEnd:
    """How a run ended: the event, its value, and what a script printed on the way."""

    event: str
    value: str
    printed: tuple[str | None, ...] = ()

    @property
    def type(self) -> str:
        """The kind of the value; of a script that printed, `output`."""
        if self.event == "raise":
            return "exception"
        if self.event == UNKNOWN:
            return UNKNOWN
        return "output" if self.printed else kind(self.value)


@dataclass(frozen=True)
class Truth:
    """What a prediction should read, as text and as steps, the answer, and the recording.

    `margin` is how much further than a prediction a text goes.
    """

    task: Task
    trace: Trace
    answer: RunEnd
    margin: int = MARGIN
    _texts: dict[tuple[str, int | None], bytes] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def text(self) -> bytes:
        """The whole text in the compact notation."""
        text = encode_steps(self.trace, self.task.options)
        return fold_text(self.task.program, self.task.options, text) if self.task.folded else text

    @cached_property
    def parsed(self) -> Parsed:
        """The same as steps."""
        return parse(self.text, prompt(self.task.program, self.task.options, self.trace.hidden))

    def text_in(self, codec: str, found: Prediction | None = None) -> bytes:
        """What a prediction in this notation should read; where one is given, only as far as that needs."""
        written = notation(codec)
        most = None if found is None else found.text.count(written.unit_mark) + 1 + self.margin
        if written.has_modes:  # the whole text is at hand
            return self.text if most is None else first_lines(self.text, most)
        most = None if most is None or most >= len(self.trace) else most
        if (codec, most) not in self._texts:  # asked for, judged by, stored
            self._texts[codec, most] = written.steps(self.trace, most=most)
        return self._texts[codec, most]

    def steps_in(self, written: int, *, is_cut: bool) -> int:
        """How many steps the truth has, where so many are written: of a text that is cut, as many as were recorded."""
        if is_cut and self.task.folded:
            return len(self.parsed.steps)
        return max(written, len(self.trace)) if is_cut else written

    @property
    def is_limited(self) -> bool:
        """Whether the recording met a limit, so that it is only the beginning."""
        return self.trace.outcome.kind not in ENDED


def is_complete(text: bytes, codec: str) -> bool:
    """Whether a true text goes to the run's own end."""
    return text.endswith(notation(codec).end_mark)


def as_truth(text: bytes, codec: str) -> Prediction:
    """A true text as a diagnosis takes it: one that stops before the run does is cut."""
    return Prediction(text=text, status="ended" if is_complete(text, codec) else "budget", codec=codec)


def truth(task: Task, trace: Trace) -> Truth | None:
    """What is right; None where the recording has no answer: it did not end, or is a script that printed nothing."""
    if trace.outcome.kind not in ENDED:
        return None
    true = Truth(task, trace, _answer(task, trace))
    if task.folded or task.options.reveal != 1:  # such a text shows less than was recorded
        found = answer(task, true.parsed)
        true = Truth(task, trace, found or RunEnd(UNKNOWN, ""))
    is_silent = task.program.call is None and true.answer.event == "return" and not true.answer.printed
    return None if true.answer.event == UNKNOWN or is_silent else true


def limited(task: Task, trace: Trace, found: Prediction) -> Truth | None:
    """The beginning of a run that met a limit, where a prediction can be judged by it: None where it cannot.

    The answer is the benchmark's; without one it stays unknown, and a prediction that ended cannot be judged.
    """
    known = RunEnd("return", task.answer) if task.answer is not None else RunEnd(UNKNOWN, "")
    if trace.outcome.kind != "limit" or task.folded or (known.event == UNKNOWN and found.status != "budget"):
        return None
    if found.text.count(notation(found.codec).unit_mark) + 1 + MARGIN > len(trace):
        return None
    return Truth(task, trace, known)


def fenced_truth(task: Task, trace: Trace) -> Truth | RowFault | None:
    """What is right, or why the tool could not tell: it failed to record the program, or to read the recording."""
    if trace.outcome.kind == "host-fault" or trace.outcome.lacks_toolchain:
        return RowFault(f"{trace.outcome.kind}: {trace.outcome.detail}")
    return call_or_fault(truth, task, trace)


def why_none(trace: Trace) -> str:
    """Why there is no true answer, in a few words that many rows share."""
    outcome = trace.outcome
    if outcome.kind in ENDED and not len(trace):
        return f"{outcome.kind} {outcome.detail} before its first step".replace("  ", " ")
    if outcome.kind in ENDED:
        is_silent = trace.program.call is None and outcome.kind == "returned"
        return "a script that printed nothing" if is_silent else "ended without an answer that is written"
    return f"{outcome.kind}: {outcome.detail}" if outcome.kind in ("limit", "unsupported") else outcome.kind


def disagrees(task: Task, true: Truth) -> bool:
    """Whether a benchmark says another answer than the run: it is wrong about itself, or about this Python."""
    if task.answer is None:
        return False
    return true.answer.event != "return" or not equal(true.answer.value, task.answer)


def answer(task: Task, parsed: Parsed) -> RunEnd | None:
    """What the outermost frame ended with, and what a script printed; None where it is not written."""
    ends = (s for s in reversed(parsed.steps) if s.event in FINAL and parsed.frames[s.frame].parent < 0)
    last = next(ends, None)
    if last is None or last.arg is None:
        return None
    is_script = task.program.call is None
    printed = tuple(step.arg for step in parsed.steps if step.event == "output") if is_script else ()
    return RunEnd(last.event, last.arg, printed)


def _answer(task: Task, trace: Trace) -> RunEnd:
    """The same of a recording, by its columns."""
    columns, frames = trace.columns, trace.frames
    ends = (i for i in reversed(range(len(trace))) if columns.event[i] in _FINAL)
    last = next((i for i in ends if frames[columns.frame[i]].parent < 0), None)
    step = trace[last] if last is not None else None
    if step is None or step.arg is None:
        return RunEnd(UNKNOWN, "")
    is_script = task.program.call is None
    outputs = (i for i in range(len(trace)) if is_script and columns.event[i] == _OUTPUT)
    return RunEnd(step.event, step.arg, tuple(trace[i].arg for i in outputs))
