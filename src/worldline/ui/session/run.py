"""One run to step through, true or imagined: its stack, values and output at any step, and where each step leads.

Made of a text of either notation, whatever bytes it has: what was read of it is stepped through. It compares nothing.
A step is an index into the events. The state at a step is what the text has told when the step is done: values that a
frame will only know once its call is back are not there before (see `history`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from worldline.analyze.flow.conditions import by_step
from worldline.analyze.flow.functions import Functions
from worldline.codec.reading import Event, Reading
from worldline.core.value import kind, unquote
from worldline.diagnose.branch import read_conditions
from worldline.diagnose.reading import read, threads_of
from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.history import History, Write
from worldline.ui.session.marks.sharing import Sharing
from worldline.ui.session.stacks import NOBODY, stacks
from worldline.ui.session.step_targets import targets
from worldline.ui.session.text_spans import step_spans
from worldline.ui.session.without_gc import without_gc


@dataclass(frozen=True)
class FrameInfo:
    """One activation: its number, its function's name, its file (None: the main one), the line where it begins, and
    the number of the frame that called it first (-1: none)."""

    serial: int
    function: str
    file: str | None
    line: int
    parent: int


@dataclass(frozen=True)
class FrameState:
    """A frame on the stack: where it is (None: its text leaves the line open), its values, who wrote each."""

    frame: int
    function: str
    line: int | None
    values: Mapping[str, str]
    writers: Mapping[str, int]


class Run:
    """One run by its steps. Whoever has read the prediction already says so."""

    def __init__(
        self,
        name: str,
        ask: PredictionRequest,
        prediction: Prediction,
        *,
        sure: Sequence[StepConfidence] = (),
        reading: Reading | None = None,
    ) -> None:
        self.name, self.ask, self.prediction = name, ask, prediction
        self.reading = reading or read(ask, prediction)
        self.events: tuple[Event, ...] = self.reading.events
        self.stacks = stacks(self.events)
        self.history = History(self.events)
        self._functions = Functions(ask.program)
        self._steps: dict[int, list[int]] = {}  # of each frame
        self._firsts: dict[str | None, int] = {}  # the first frame of each file
        for i, moment in enumerate(self.events):
            self._firsts.setdefault(moment.file, moment.frame)
            self._steps.setdefault(moment.frame, []).append(i)
        self._sure = {one.end: one for one in sure}
        self._infos: dict[int, FrameInfo] = {}
        self._printing = [i for i, moment in enumerate(self.events) if moment.event == "output"]

    @cached_property
    def threads(self) -> list[int] | None:
        """The thread of each step; None where there is but one."""
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
        """Which names of each frame share one object."""
        with without_gc():
            return Sharing(self.ask.program, self.events, self.history)

    @cached_property
    def conditions(self) -> Mapping[int, Sequence[str]]:
        """What is said of each step that decides: its test, and whether it held, as far as the run tells."""
        with without_gc():
            return by_step(read_conditions(self.ask.program, self.events))

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        with without_gc():
            places = self.reading.places
            if places is None:
                return step_spans(self.prediction, len(self.events))
            every = step_spans(self.prediction, max(places, default=-1) + 1)
            return [every[at] for at in places]

    def __len__(self) -> int:
        return len(self.events)

    def frame(self, serial: int) -> FrameInfo:
        """An activation by its number."""
        if serial not in self._infos:
            first = self.events[self.began(serial)]
            line = first.line if first.line is not None else next(iter(first.lines), None)
            is_first = self._firsts[first.file] == serial
            name = self._functions.name(first.file, line, first.values, is_first=is_first)
            self._infos[serial] = FrameInfo(serial, name, first.file, line or 0, first.parent)
        return self._infos[serial]

    def began(self, serial: int) -> int:
        """The first step of an activation."""
        return self._steps[serial][0]

    def stack(self, step: int) -> tuple[FrameState, ...]:
        """The frames that run when a step is done, the outermost first."""
        self._check(step)
        chain = self.stacks.chain(self.stacks.at[step])
        return tuple(self._live(self.stacks.frames[node], step, before=False) for node in chain)

    def before(self, step: int) -> tuple[FrameState, ...]:
        """The frames that run when a step is about to happen: as a debugger shows them that has stopped there.

        What the frame's line before has done is known by then. A frame that the step begins is not there yet.
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
        """The line of a frame's newest step; None where there is none or its text leaves it open."""
        steps = self._steps.get(frame, [])
        at = bisect_right(steps, step)
        return self.events[steps[at - 1]].line if at else None

    def writes(self, step: int) -> tuple[Write, ...]:
        """What a step changes in the state that is shown, late changes of a frame that waited among it."""
        return self.history.writes[step]

    def writer(self, step: int, frame: int, name: str) -> int | None:
        """The step that last wrote a name, as far as is known at this step; None where it has no value."""
        found = self.history.value(frame, name, step)
        return None if found is None or found[0] is None else found[1]

    def depth(self, step: int) -> int:
        """How many frames are around the one of a step."""
        return self.stacks.depths[self.stacks.at[step]]

    def parent(self, step: int) -> int:
        """The frame around the one of a step, at that step; -1 for none."""
        node = self.stacks.parents[self.stacks.at[step]]
        return self.stacks.frames[node] if node != NOBODY else NOBODY

    def is_moved(self, step: int) -> bool:
        """Whether the frame of a step goes on under another frame than before: a generator that is handed around."""
        steps = self._steps[self.events[step].frame]
        at = bisect_right(steps, step) - 1
        return at > 0 and self.stacks.at[steps[at - 1]] != self.stacks.at[step]

    def printed(self, step: int) -> str | None:
        """What a step prints; None where it prints nothing, or does not say what."""
        moment = self.events[step]
        if moment.event != "output" or moment.arg is None:
            return None
        return unquote(moment.arg) if kind(moment.arg) == "str" else moment.arg

    def output(self, step: int) -> str:
        """All that was printed up to and with a step."""
        count = bisect_right(self._printing, step)
        return "".join(self.printed(each) or "" for each in self._printing[:count])

    def output_tail(self, step: int, most: int) -> str:
        """The last characters of what was printed before a step."""
        pieces, size = list[str](), 0
        at = bisect_right(self._printing, step - 1)
        while at and size < most:
            at -= 1
            pieces.append((self.printed(self._printing[at]) or "")[-most:])
            size += len(pieces[-1])
        return "".join(reversed(pieces))[-most:]

    def sure(self, step: int) -> tuple[float, float] | None:
        """How likely the model held the action and the state of a step; None where it does not say."""
        one = self._sure.get(self._spans[step][1]) if self._sure else None
        return None if one is None else (_chance(one.action), _chance(one.state))

    def cost(self, step: int) -> int:
        """The bytes of a step's text, with the moves and late changes before it."""
        start, end = self._spans[step]
        return end - start

    def into(self, step: int) -> int | None:
        """The next step; None at the end."""
        return step + 1 if step + 1 < len(self.events) else None

    def back(self, step: int) -> int | None:
        """The step before; None at the beginning."""
        return step - 1 if step > 0 else None

    def over(self, step: int) -> int | None:
        """The next step of this frame or of one around it, else the last step; None at the end."""
        return self._target(step, self._ahead[0], len(self.events) - 1)

    def out(self, step: int) -> int | None:
        """The next step of a frame around this one, else the last step; None at the end."""
        return self._target(step, self._ahead[1], len(self.events) - 1)

    def back_over(self, step: int) -> int | None:
        """The last step before of this frame or of one around it, else the first step; None at the beginning."""
        return self._target(step, self._behind[0], 0)

    def back_out(self, step: int) -> int | None:
        """The last step before of a frame around this one, else the first step; None at the beginning."""
        return self._target(step, self._behind[1], 0)

    def _target(self, step: int, known: list[int], end: int) -> int | None:
        found = known[step] if known[step] != NOBODY else end
        return found if found != step else None

    def _check(self, step: int) -> None:
        if not 0 <= step < len(self.events):
            raise IndexError(f"step {step} of a run of {len(self.events)}")


def _chance(logprob: float) -> float:
    """A probability; what is no number of its kind counts as none."""
    return math.exp(min(logprob, 0.0)) if not math.isnan(logprob) else 0.0
