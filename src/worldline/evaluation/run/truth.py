"""The truth of a task: its recording, its answer, and as much of the true text as a comparison needs.

A program may execute a hundred thousand steps and its prediction stop after three hundred. Recording is cheap, writing
and parsing text is not, so the true text is written only `margin` lines or frames further than the prediction. A
recording that reached a limit is true as far as it goes, and can judge a prediction that ends before.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from worldline.codec.answer import same_answer
from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.prompt import prompt
from worldline.codec.compact.turns import first_lines
from worldline.codec.compact.writer import encode_steps
from worldline.codec.notation import notation
from worldline.core.events import ENDED, EVENTS, FINAL
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.core.value import kind
from worldline.diagnose.blame.terms import Rerun
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction
from worldline.predict.scratchpad import fold_text
from worldline.recording.recorder import SandboxWorker, prepare, record_many

MARGIN = 64
UNKNOWN = "unknown"
_FINAL = frozenset(EVENTS.index(event) for event in FINAL)
_OUTPUT = EVENTS.index("output")


@dataclass(frozen=True)
class RunEnd:
    """How an execution ended: the event, its value, and what a script printed."""

    event: str
    value: str
    printed: tuple[str | None, ...] = ()

    @property
    def type(self) -> str:
        """The kind of the value, or `output` for a script that printed."""
        if self.event == "raise":
            return "exception"
        if self.event == UNKNOWN:
            return UNKNOWN
        return "output" if self.printed else kind(self.value)


@dataclass(frozen=True)
class Truth:
    """The true text and steps of a task, its answer, and the recording.

    `margin` is how much further than the prediction the text is written.
    """

    task: Task
    trace: Trace
    answer: RunEnd
    margin: int = MARGIN
    _texts: dict[tuple[str, int | None], bytes] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def text(self) -> bytes:
        """The whole true text in the compact notation."""
        text = encode_steps(self.trace, self.task.options)
        return fold_text(self.task.program, self.task.options, text) if self.task.folded else text

    @cached_property
    def parsed(self) -> Parsed:
        """The true steps."""
        return parse(self.text, prompt(self.task.program, self.task.options, self.trace.hidden))

    def text_in(self, codec: str, prediction: Prediction | None = None) -> bytes:
        """Return the true text in a notation, only as far as a prediction needs it if there is one."""
        written = notation(codec)
        max_units = None if prediction is None else prediction.text.count(written.unit_mark) + 1 + self.margin
        if written.has_modes:
            return self.text if max_units is None else first_lines(self.text, max_units)
        max_units = None if max_units is None or max_units >= len(self.trace) else max_units
        if (codec, max_units) not in self._texts:
            self._texts[codec, max_units] = written.steps(self.trace, limit=max_units)
        return self._texts[codec, max_units]

    def steps_in(self, written: int, *, is_cut: bool) -> int:
        """Return how many steps the truth has; a cut text has more than are written."""
        if is_cut and self.task.folded:
            return len(self.parsed.steps)
        return max(written, len(self.trace)) if is_cut else written

    @property
    def is_limited(self) -> bool:
        """Whether the recording reached a limit, so that it is only the beginning."""
        return self.trace.outcome.kind not in ENDED


def is_complete(text: bytes, codec: str) -> bool:
    """Return whether a true text reaches the end of the execution."""
    return text.endswith(notation(codec).end_mark)


def as_truth(text: bytes, codec: str) -> Prediction:
    """Return a true text as a prediction, for a diagnosis."""
    return Prediction(text=text, status="ended" if is_complete(text, codec) else "budget", codec=codec)


def truth(task: Task, trace: Trace) -> Truth | None:
    """Return the truth of a task; None if the program did not end, or is a script that printed nothing."""
    if trace.outcome.kind not in ENDED:
        return None
    true = Truth(task, trace, _answer(task, trace))
    if task.folded or task.options.reveal != 1:  # the text shows less than was recorded
        written = answer(task, true.parsed)
        true = Truth(task, trace, written or RunEnd(UNKNOWN, ""))
    is_silent = task.program.call is None and true.answer.event == "return" and not true.answer.printed
    return None if true.answer.event == UNKNOWN or is_silent else true


def limited(task: Task, trace: Trace, prediction: Prediction) -> Truth | None:
    """Return the truth of a recording that reached a limit, or None if it cannot judge the prediction.

    The answer is the benchmark's. Without one it is unknown, and a prediction that ended cannot be judged.
    """
    known = RunEnd("return", task.answer) if task.answer is not None else RunEnd(UNKNOWN, "")
    if trace.outcome.kind != "limit" or task.folded or (known.event == UNKNOWN and prediction.status != "budget"):
        return None
    if prediction.text.count(notation(prediction.codec).unit_mark) + 1 + MARGIN > len(trace):
        return None
    return Truth(task, trace, known)


def truth_or_fault(task: Task, trace: Trace) -> Truth | RowFault | None:
    """Return the truth of a task, or the fault: the program could not be recorded, or its recording not read."""
    if trace.outcome.kind == "host-fault" or trace.outcome.lacks_toolchain:
        return RowFault(f"{trace.outcome.kind}: {trace.outcome.detail}")
    return call_or_fault(truth, task, trace)


def skip_reason(trace: Trace) -> str:
    """Return why a recording has no true answer, in a few words that many rows share."""
    outcome = trace.outcome
    if outcome.kind in ENDED and not len(trace):
        return f"{outcome.kind} {outcome.detail} before its first step".replace("  ", " ")
    if outcome.kind in ENDED:
        is_silent = trace.program.call is None and outcome.kind == "returned"
        return "a script that printed nothing" if is_silent else "ended without a recorded answer"
    return f"{outcome.kind}: {outcome.detail}" if outcome.kind in ("limit", "unsupported") else outcome.kind


def disagrees(task: Task, true: Truth) -> bool:
    """Return whether a benchmark's answer differs from the recording: it is wrong, or of another Python."""
    if task.answer is None:
        return False
    expected = "raise" if task.is_raised else "return"
    return true.answer.event != expected or not same_answer(true.answer.value, task.answer)


def answer(task: Task, parsed: Parsed) -> RunEnd | None:
    """Return what the outermost frame ended with and what a script printed; None if it is not written."""
    ends = (s for s in reversed(parsed.steps) if s.event in FINAL and parsed.frames[s.frame].parent < 0)
    last = next(ends, None)
    if last is None or last.arg is None:
        return None
    is_script = task.program.call is None
    printed = tuple(step.arg for step in parsed.steps if step.event == "output") if is_script else ()
    return RunEnd(last.event, last.arg, printed)


def _answer(task: Task, trace: Trace) -> RunEnd:
    """The answer of a recording, read from its columns."""
    columns, frames = trace.columns, trace.frames
    ends = (i for i in reversed(range(len(trace))) if columns.event[i] in _FINAL)
    last = next((i for i in ends if frames[columns.frame[i]].parent < 0), None)
    step = trace[last] if last is not None else None
    if step is None or step.arg is None:
        return RunEnd(UNKNOWN, "")
    is_script = task.program.call is None
    outputs = (i for i in range(len(trace)) if is_script and columns.event[i] == _OUTPUT)
    return RunEnd(step.event, step.arg, tuple(trace[i].arg for i in outputs))


@contextmanager
def truth_recorder(limits: Limits) -> Iterator[Rerun]:
    """Open one sandbox for the recordings of a run. Consecutive tasks of one program share a recording."""
    waiting: list[Program] = []
    traces = _traces(waiting, limits)
    last: Trace | None = None
    held: list[SandboxWorker] = []  # for tasks with a control

    def trace(program: Program, control: Control | None = None, /) -> Trace:
        nonlocal last, traces
        if control is not None:
            return _controlled(held, limits).record(program, control=control)
        if last is None or last.program != program:
            waiting[:] = [program]
            try:
                last = next(traces)
            except Exception:
                traces = _traces(waiting, limits)  # a failed generator is exhausted
                raise
        return last

    try:
        yield trace
    finally:
        traces.close()
        for worker in held:
            worker.close()


def _controlled(held: list[SandboxWorker], limits: Limits) -> SandboxWorker:
    if not held:
        setup = prepare(limits=limits, python=None, core="auto", trust=False, controlled=True)
        held.append(SandboxWorker(setup))
    return held[0]


def _traces(waiting: list[Program], limits: Limits) -> Generator[Trace, None, None]:
    def programs() -> Iterator[Program]:
        while waiting:
            yield waiting.pop()

    yield from record_many(programs(), limits=limits)
