"""Folding deltas into states: the full state of every live frame at any step.

The state after step i holds every delta that people have seen by then (`core.events.shown_at`): a line that calls has
changed nothing until the call has returned. The delta of a call is its arguments, which are known at once. A frame
that has ended is dropped at the next step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.core.events import CHANGELESS, EVENTS
from worldline.core.trace import Step, Trace

_RETURN, _RAISE, _CALL, _RESUME = (EVENTS.index(event) for event in ("return", "raise", "call", "resume"))


@dataclass
class State:
    """The names of each live frame, innermost last, as canonical text. Only `apply` changes it."""

    frames: dict[int, dict[str, str]] = field(default_factory=dict)
    # Frames whose names no copy shares.
    _own: set[int] = field(default_factory=set, repr=False, compare=False)

    def apply(self, step: Step) -> None:
        """Fold the delta of one step into its frame."""
        names = self.frames.get(step.frame)
        if names is not None and not step.delta and not step.gone:
            return
        if names is None or step.frame not in self._own:
            names = self.frames[step.frame] = dict(names or {})
            self._own.add(step.frame)
        for name in step.gone:
            names.pop(name, None)
        names.update(step.delta)

    def drop(self, frame: int) -> None:
        self.frames.pop(frame, None)
        self._own.discard(frame)

    def copy(self) -> State:
        """Return an independent copy. The names of a frame are shared until one of the two changes them."""
        self._own.clear()
        return State(dict(self.frames))


class _Fold:
    """The state after a step, and what the next one needs."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.state = trace, State()
        # The newest step of each thread.
        self.newest: dict[int, int] = {}

    def copy(self) -> _Fold:
        other = _Fold(self.trace)
        other.state, other.newest = self.state.copy(), dict(self.newest)
        return other

    def advance(self, i: int) -> None:
        """Go from the state after step i - 1 to the state after step i."""
        trace, thread = self.trace, self.trace.thread_at(i)
        newest, self.newest[thread] = self.newest.get(thread, -1), i
        if newest >= 0 and _ended(trace, newest, i):
            self.state.drop(trace.columns.frame[newest])
        if EVENTS[trace.columns.event[i]] not in CHANGELESS:
            self.state.frames.setdefault(trace.columns.frame[i], {})
        for step in trace.makers_shown(i):
            self.state.apply(step)


class Replay:
    """The states of one trace by step, from keyframes that are stored on the way.

    Keyframes are `every` steps apart, or as many steps as there are live frames if those are more, so that all of
    them together are no larger than the trace. Two keyframes share what no step between them changed.
    """

    def __init__(self, trace: Trace, *, every: int = 1024) -> None:
        self._trace, self._every = trace, every
        self._steps: list[int] = []
        self._folds: list[_Fold] = []

    def at(self, i: int) -> State:
        """Return the state after step i. The cost is the distance from the keyframe before it."""
        if not 0 <= i < len(self._trace):
            raise IndexError(f"step {i} of a trace of {len(self._trace)}")
        known = bisect_right(self._steps, i)
        fold = self._folds[known - 1].copy() if known else _Fold(self._trace)
        last = self._steps[known - 1] if known else -1
        for step in range(last + 1, i + 1):
            fold.advance(step)
            if known == len(self._steps) and step - last >= max(self._every, len(fold.state.frames)):
                self._steps.append(step)
                self._folds.append(fold.copy())
                known, last = known + 1, step
        return fold.state.copy()


def _ended(trace: Trace, newest: int, i: int) -> bool:
    """Whether the frame of the previous step in the same thread had ended when step i happened.

    An exception has left its frame if the next event is in another frame, unless that event is a call by the frame
    or a resumed generator: otherwise the caller of the frame would have an event first.
    """
    columns = trace.columns
    event, frame = columns.event[newest], columns.frame[newest]
    if event != _RAISE or columns.frame[i] == frame:
        return event == _RETURN
    if columns.event[i] == _RESUME:
        return False
    return columns.event[i] != _CALL or trace.frames[columns.frame[i]].parent != frame


def states(trace: Trace) -> Iterator[tuple[Step, State]]:
    """Yield each step with the state after it."""
    fold = _Fold(trace)
    for i in range(len(trace)):
        fold.advance(i)
        yield trace[i], fold.state.copy()


def state_at(trace: Trace, i: int) -> State:
    """Compute the state after a step. For many steps of one trace, a `Replay` is faster.

    Args:
        trace: The trace.
        i: The number of the step, from 0.

    Returns:
        The frames, with the value of every name.
    """
    return Replay(trace).at(i)
