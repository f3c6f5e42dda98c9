"""The true and the predicted run beside each other: which steps and frames correspond, and where the paths differ."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.diagnose.diverge import AlignedSpan, aligned
from worldline.diagnose.why.traced_run import TracedRun


class StepPair(NamedTuple):
    """A true and a predicted step (None: that run has none). `agrees`: both are the same event on the same line."""

    truth: int | None
    found: int | None
    agrees: bool


class RunPair:
    """Both runs of one program, aligned. Without a true run, the predicted one may be compared with itself."""

    def __init__(self, true_run: TracedRun, found_run: TracedRun) -> None:
        self.program, self.truth, self.found = found_run.program, true_run, found_run
        self.pairs: list[StepPair] = []
        self._spans: list[AlignedSpan] = []
        self._starts: list[int] = []  # the first pair of each span
        self._of_truth: list[int] = []
        self._of_found: list[int] = []
        self._found_frames: dict[int, int] = {}
        self._true_frames: dict[int, int] = {}
        for span in aligned(true_run.events, found_run.events):
            self._spans.append(span)
            self._starts.append(len(self.pairs))
            for i, j in span.pairs():
                self._add(StepPair(i, j, span.agrees))

    @classmethod
    def of_events(cls, program: Program, truth: Sequence[Event], predicted: Sequence[Event]) -> RunPair:
        """Compare the events of two runs of a program."""
        return cls(TracedRun(program, truth), TracedRun(program, predicted))

    def _add(self, pair: StepPair) -> None:
        i, j, agrees = pair
        if i is not None:
            self._of_truth.append(len(self.pairs))
        if j is not None:
            self._of_found.append(len(self.pairs))
        if agrees and i is not None and j is not None:
            frames = self.truth.events[i].frame, self.found.events[j].frame
            self._found_frames.setdefault(frames[0], frames[1])
            self._true_frames.setdefault(frames[1], frames[0])
        self.pairs.append(pair)

    def place(self, *, truth: int | None = None, predicted: int | None = None) -> int:
        """Return the number of the pair that has a true or a predicted step; -1 for none."""
        if truth is not None:
            return self._of_truth[truth]
        return self._of_found[predicted] if predicted is not None else -1

    def at(self, place: int) -> tuple[int, int]:
        """Return the newest true and predicted step up to a pair; -1 if a run has none yet."""
        return bisect_right(self._of_truth, place) - 1, bisect_right(self._of_found, place) - 1

    def frame_in_truth(self, frame: int) -> int | None:
        """Return the true frame that corresponds to a predicted one."""
        return self._true_frames.get(frame)

    def frame_in_found(self, frame: int) -> int | None:
        """Return the predicted frame that corresponds to a true one."""
        return self._found_frames.get(frame)

    def parting(self, place: int) -> tuple[int | None, int | None, int | None, int | None]:
        """Find where the paths part that differ at a pair.

        Returns:
            The true and the predicted step that decided, and the true and the predicted step that came next; None
            where a run has no such step.
        """
        at = bisect_right(self._starts, place) - 1
        span = self._spans[at]
        true_next = span.truth if span.truth < len(self.truth.events) else None
        found_next = span.found if span.found < len(self.found.events) else None
        true_step = None if true_next is None else _before(self.truth, true_next)
        found_step = None if found_next is None else _before(self.found, found_next)
        if true_step is None or found_step is None:
            # One run ends here: the step beside the other one's decision decided it.
            if true_step is not None:
                found_step = self.pairs[self.place(truth=true_step)].found
            elif found_step is not None:
                true_step = self.pairs[self.place(predicted=found_step)].truth
        return true_step, found_step, true_next, found_next


def _before(view: TracedRun, at: int) -> int | None:
    """The step before one in its frame; for a call, the newest step of the caller."""
    event = view.events[at]
    frame = event.parent if event.event == "call" else event.frame
    step = view.previous(at, frame)
    while step is not None and view.events[step].event in CHANGELESS:
        step = view.previous(step, frame)
    return step
