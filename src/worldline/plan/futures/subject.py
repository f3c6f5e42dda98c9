"""What is read from a run, as one text: its answer, its path, or the value of a name at a step or a line.

Traces and predictions are read the same way, so they can be compared by text. Nothing is evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.codec.compact.parse import parse
from worldline.core.errors import UsageError
from worldline.core.events import ENDED, FINAL
from worldline.core.hidden import THREAD
from worldline.core.state import State
from worldline.core.trace import Frame, Hidden, Step, Trace
from worldline.predict.prediction import Prediction, PredictionRequest

MALFORMED = "(no trace)"  # the model's text does not parse
UNFINISHED = "(unfinished)"
ENDED_BEFORE = "(over before)"  # the run has no such step, or does not reach the line
UNBOUND = "(no value)"
IMPOSSIBLE = "(something impossible)"
_ENDS = {"return": "", "raise": "raises ", "exit": "exits "}
_MARKS = {"call": "(", "return": ")", "raise": "!", "yield": "*", "resume": "~"}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What to read: the answer by default, the `path`, or the state at a `step` or at the last execution of a `line`.

    With a `name`, its value there in the current frame (by default at the end). Without one, the line of the step.
    """

    path: bool = False
    step: int | None = None
    line: int | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.path and (self.name or self.step is not None or self.line is not None):
            raise UsageError("a path is read whole: leave out the name and the place")
        if self.line is not None and not self.name:
            raise UsageError("a line needs a name whose value is read: pass one")

    @property
    def words(self) -> str:
        """The subject in words."""
        if self.path:
            return "the path"
        place = "the end" if self.step is None else f"step {self.step:,}"
        place = place if self.line is None else f"line {self.line}, the last time it runs"
        if self.name:
            return f"{self.name} at {place}"
        return "the answer" if self.step is None else f"the line at {place}"


@dataclass(frozen=True)
class _Run:
    """The parts of a run that a subject reads."""

    steps: Sequence[Step]
    frames: Sequence[Frame]
    hidden: Sequence[Hidden]
    is_script: bool


def read_from_trace(subject: Subject, trace: Trace) -> str:
    """Read a subject from a trace."""
    if trace.outcome.kind not in ENDED and not _is_before(subject, len(trace)):
        return f"({trace.outcome.kind} {trace.outcome.detail})".replace(" )", ")")
    return _read(subject, _Run(trace.steps, trace.frames, trace.hidden, trace.program.call is None))


def read_from_prediction(subject: Subject, ask: PredictionRequest, prediction: Prediction) -> str:
    """Read a subject from a prediction in the compact notation."""
    parsed = parse(prediction.text, ask.prompt, loose=True)
    if parsed.malformed is not None or not parsed.steps:
        return MALFORMED
    if not parsed.ended and not _is_before(subject, len(parsed.steps)):
        return UNFINISHED
    return _read(subject, _Run(parsed.steps, parsed.frames, parsed.hidden, ask.program.call is None))


def _is_before(subject: Subject, steps: int) -> bool:
    """Whether the step is before the cut; the last step may be incomplete."""
    return subject.step is not None and subject.step < steps - 1


def _read(subject: Subject, run: _Run) -> str:
    if subject.path:
        return _path(run)
    if subject.line is None and subject.step is None and not subject.name:
        return _answer(run)
    at = _place(subject, run)
    if at is None:
        return ENDED_BEFORE
    step = run.steps[at]
    return _value(subject.name, run, at) if subject.name else f"{step.event} {step.line}"


def _place(subject: Subject, run: _Run) -> int | None:
    """Return the index of the step."""
    if subject.step is not None:
        return subject.step if 0 <= subject.step < len(run.steps) else None
    if subject.line is not None:
        last = (s.i for s in reversed(run.steps) if s.event == "line" and s.line == subject.line)
        return next(last, None)
    return next((s.i for s in reversed(run.steps) if s.frame == 0), None)


def _value(name: str, run: _Run, at: int) -> str:
    """Return the value of a name in the frame of a step, after that step."""
    frame, state = run.steps[at].frame, State()
    for i in range(at + 1):
        if run.steps[i].frame == frame:
            state.apply(run.steps[i])
    return state.frames.get(frame, {}).get(name, UNBOUND)


def _answer(run: _Run) -> str:
    """Return how the outermost frame of the main thread ended, and the output of a script."""
    threads = _threads(run)
    ends = (s for s in reversed(run.steps) if s.event in FINAL and run.frames[s.frame].parent < 0)
    last = next((s for s in ends if threads[s.i] == "0"), None)
    if last is None or last.arg is None:
        return UNFINISHED
    ended = _ENDS[last.event] + last.arg
    if not run.is_script:
        return ended
    printed = " ".join(s.arg for s in run.steps if s.event == "output" and s.arg is not None)
    plain = last.event == "return" and last.arg == "None"
    return printed or "(prints nothing)" if plain else f"{printed} {ended}".strip()


def _path(run: _Run) -> str:
    """Return the lines in order, with frames entered and left, and thread switches as `@N`."""
    threads, path, thread = _threads(run), list[str](), "0"
    for step in run.steps:
        if threads[step.i] != thread:
            thread = threads[step.i]
            path.append(f"@{thread}")
        if step.event == "line":
            path.append(str(step.line))
        elif step.event in _MARKS:
            path.append(_MARKS[step.event] + ("" if step.event in ("return", "yield") else str(step.line)))
    return " ".join(path)


def _threads(run: _Run) -> list[str]:
    """Return the thread of each step."""
    changes = {h.step: h.value for h in run.hidden if h.kind.startswith(THREAD)}
    by_step, thread = list[str](), "0"
    for i in range(len(run.steps)):
        thread = changes.get(i, thread)
        by_step.append(thread)
    return by_step
