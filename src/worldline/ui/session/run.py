"""One run to step through, true or predicted: its stack, values and output at any step, and the targets of stepping.

It is read from a text of either notation; of a malformed text, the part before the fault is used. A step is an index
into the events. The state at a step is what people have seen by then (see `History`): a line that calls shows its
change after the call has returned.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from worldline.analyze.flow.conditions import by_step
from worldline.analyze.flow.functions import Functions
from worldline.codec.notation import notation
from worldline.codec.reading import Event, Reading
from worldline.core.text import line_in_words
from worldline.core.value import kind, unquote
from worldline.diagnose.branch import read_conditions
from worldline.diagnose.reading import read, threads_of
from worldline.diagnose.why.value_history import History, Write
from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.marks.sharing import Sharing
from worldline.ui.session.stacks import ABSENT, stacks, targets
from worldline.ui.session.without_gc import without_gc


@dataclass(frozen=True)
class FrameInfo:
    """One activation of a function. `file` is None for the main file; `parent` is the first caller, or -1."""

    serial: int
    function: str
    file: str | None
    line: int
    parent: int


@dataclass(frozen=True)
class FrameState:
    """A frame on the stack: its line (None: the text leaves it open), its values, and the step that wrote each."""

    frame: int
    function: str
    line: int | None
    values: Mapping[str, str]
    writers: Mapping[str, int]


class Run:
    """One run of a session, by its steps. `reading` is the prediction as read, if it was read before."""

    def __init__(
        self,
        name: str,
        ask: PredictionRequest,
        prediction: Prediction,
        *,
        confidences: Sequence[StepConfidence] = (),
        reading: Reading | None = None,
    ) -> None:
        self.name, self.ask, self.prediction = name, ask, prediction
        self.reading = reading or read(ask, prediction)
        self.events: tuple[Event, ...] = self.reading.events
        self.stacks = stacks(self.events)
        self.history = History(self.events)
        self._functions = Functions(ask.program)
        self._steps: dict[int, list[int]] = {}  # by frame
        self._firsts: dict[str | None, int] = {}  # by file, its first frame
        for i, moment in enumerate(self.events):
            self._firsts.setdefault(moment.file, moment.frame)
            self._steps.setdefault(moment.frame, []).append(i)
        self._confidences = {confidence.end: confidence for confidence in confidences}
        self._infos: dict[int, FrameInfo] = {}
        self._printing = [i for i, moment in enumerate(self.events) if moment.event == "output"]

    @cached_property
    def threads(self) -> list[int] | None:
        """The thread of each step; None for a program with one thread."""
        return threads_of(self.events)

    @cached_property
    def _ahead(self) -> tuple[list[int], list[int]]:
        with without_gc():
            return targets(self.stacks, range(len(self.events)))

    @cached_property
    def _behind(self) -> tuple[list[int], list[int]]:
        with without_gc():
            return targets(self.stacks, range(len(self.events) - 1, -1, -1))

    @cached_property
    def sharing(self) -> Sharing:
        """The names of each frame that refer to the same object."""
        with without_gc():
            return Sharing(self.ask.program, self.events, self.history)

    @cached_property
    def conditions(self) -> Mapping[int, Sequence[str]]:
        """By step that decides: its tests, and whether each held, if the run says so."""
        with without_gc():
            return by_step(read_conditions(self.ask.program, self.events))

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        with without_gc():
            places = self.reading.places
            if places is None:
                return step_spans(self.prediction, len(self.events))
            spans = step_spans(self.prediction, max(places, default=-1) + 1)
            return [spans[place] for place in places]

    def __len__(self) -> int:
        return len(self.events)

    def frame(self, serial: int) -> FrameInfo:
        """Return an activation by its number."""
        if serial not in self._infos:
            first = self.events[self.began(serial)]
            line = first.line if first.line is not None else next(iter(first.lines), None)
            is_first = self._firsts[first.file] == serial
            name = self._functions.name(first.file, line, first.values, is_first=is_first)
            self._infos[serial] = FrameInfo(serial, name, first.file, line or 0, first.parent)
        return self._infos[serial]

    def began(self, serial: int) -> int:
        """Return the first step of an activation."""
        return self._steps[serial][0]

    def stack(self, step: int) -> tuple[FrameState, ...]:
        """Return the frames on the stack after a step, outermost first."""
        self._check(step)
        chain = self.stacks.chain(self.stacks.at[step])
        return tuple(self._live(self.stacks.frames[node], step, before=False) for node in chain)

    def before(self, step: int) -> tuple[FrameState, ...]:
        """Return the frames on the stack before a step, as a debugger that stops there shows them.

        The changes of the frame's previous line are known. A frame that starts with this step is not included.
        """
        self._check(step)
        chain = self.stacks.chain(self.stacks.at[step])
        frames = [self.stacks.frames[node] for node in chain]
        if self.began(frames[-1]) == step:
            frames.pop()
        return tuple(self._live(frame, step, before=True) for frame in frames)

    def _live(self, frame: int, step: int, *, before: bool) -> FrameState:
        values, writers = {}, {}
        for name, text, writer, _ in self.history.values(frame, step, before=before):
            values[name], writers[name] = text, writer
        return FrameState(frame, self.frame(frame).function, self.line(frame, step), values, writers)

    def line(self, frame: int, step: int) -> int | None:
        """Return the line of a frame at a step; None if the frame has not started or the text leaves the line open."""
        steps = self._steps.get(frame, [])
        at = bisect_right(steps, step)
        return self.events[steps[at - 1]].line if at else None

    def writes(self, step: int) -> tuple[Write, ...]:
        """Return the changes that a step shows, including those of frames that waited for it."""
        return self.history.writes(step)

    def writer(self, step: int, frame: int, name: str) -> int | None:
        """Return the step that last wrote a name, as known at this step; None if the name has no value."""
        value = self.history.value(frame, name, step)
        return None if value is None or value[0] is None else value[1]

    def place(self, step: int) -> str:
        """Describe the line of a step and its function."""
        moment = self.events[step]
        return line_in_words(moment.line, self.frame(moment.frame).function)

    def depth(self, step: int) -> int:
        """Count the frames that enclose the frame of a step."""
        return self.stacks.depths[self.stacks.at[step]]

    def parent(self, step: int) -> int:
        """Return the frame that encloses the frame of a step, at that step; -1 for none."""
        node = self.stacks.parents[self.stacks.at[step]]
        return self.stacks.frames[node] if node != ABSENT else ABSENT

    def is_moved(self, step: int) -> bool:
        """Whether the frame of a step, a generator, has been resumed by another frame than before."""
        steps = self._steps[self.events[step].frame]
        at = bisect_right(steps, step) - 1
        return at > 0 and self.stacks.at[steps[at - 1]] != self.stacks.at[step]

    def printed(self, step: int) -> str | None:
        """Return what a step prints; None if it prints nothing or the text does not say what."""
        moment = self.events[step]
        if moment.event != "output" or moment.arg is None:
            return None
        return unquote(moment.arg) if kind(moment.arg) == "str" else moment.arg

    def output_tail(self, step: int, max_chars: int) -> str:
        """Return the last characters printed before a step."""
        pieces, size = list[str](), 0
        at = bisect_right(self._printing, step - 1)
        while at and size < max_chars:
            at -= 1
            pieces.append((self.printed(self._printing[at]) or "")[-max_chars:])
            size += len(pieces[-1])
        return "".join(reversed(pieces))[-max_chars:]

    def confidence(self, step: int) -> tuple[float, float] | None:
        """Return the probability that the model gave the action and the state of a step; None if unknown."""
        confidence = self._confidences.get(self._spans[step][1]) if self._confidences else None
        return None if confidence is None else (_probability(confidence.action), _probability(confidence.state))

    def cost(self, step: int) -> int:
        """Count the bytes of a step's text, including the moves and late changes before it."""
        start, end = self._spans[step]
        return end - start

    def over(self, step: int) -> int | None:
        """Return the next step of this or an enclosing frame, else the last step; None at the end."""
        return self._target(step, self._ahead[0], len(self.events) - 1)

    def out(self, step: int) -> int | None:
        """Return the next step of an enclosing frame, else the last step; None at the end."""
        return self._target(step, self._ahead[1], len(self.events) - 1)

    def back_over(self, step: int) -> int | None:
        """Return the previous step of this or an enclosing frame, else the first step; None at the beginning."""
        return self._target(step, self._behind[0], 0)

    def back_out(self, step: int) -> int | None:
        """Return the previous step of an enclosing frame, else the first step; None at the beginning."""
        return self._target(step, self._behind[1], 0)

    def _target(self, step: int, known: list[int], end: int) -> int | None:
        target = known[step] if known[step] != ABSENT else end
        return target if target != step else None

    def _check(self, step: int) -> None:
        if not 0 <= step < len(self.events):
            raise IndexError(f"step {step} of a run of {len(self.events)} steps")


def _probability(logprob: float) -> float:
    """The probability of a log-probability, whatever a model sent."""
    return math.exp(min(logprob, 0.0)) if not math.isnan(logprob) else 0.0


def step_spans(prediction: Prediction, count: int) -> list[tuple[int, int]]:
    """Return the start and end of the text of each of the first `count` steps."""
    spans = notation(prediction.codec).locate(prediction.text, count)
    end = spans[-1][1] if spans else 0
    return spans + [(end, end)] * (count - len(spans))
