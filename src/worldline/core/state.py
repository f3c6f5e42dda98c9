"""Folding deltas into states: the full state of every live frame at any step.

A step's own delta is what it had changed when its frame's next event began, so the state AT step i (before the
line of step i runs) folds, for each frame, every delta of that frame's earlier steps; the state AFTER step i
adds its own. A frame that has ended is dropped at the next step; a suspended generator's frame is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.core.trace import EVENTS, Step, Trace

_RETURN, _RAISE, _CALL = EVENTS.index("return"), EVENTS.index("raise"), EVENTS.index("call")


@dataclass
class State:
    """The names of each live frame, innermost last, as canonical text. To be read; only `apply` changes it."""

    frames: dict[int, dict[str, str]] = field(default_factory=dict)
    _own: set[int] = field(default_factory=set, repr=False, compare=False)  # frames no copy shares with us

    def apply(self, step: Step) -> None:
        """Fold one step's delta into its frame."""
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
        """Forget a frame that has ended."""
        self.frames.pop(frame, None)
        self._own.discard(frame)

    def copy(self) -> State:
        """An independent copy; the names of a frame are shared until one of the two changes them."""
        self._own.clear()
        return State(dict(self.frames))


class Replay:
    """The states of one trace by step, from keyframes made when they are first passed.

    Keyframes are `every` steps apart, or as far as there are live frames when those are more, so that all of them
    together are no larger than the trace; what no step changed between two of them is shared.
    """

    def __init__(self, trace: Trace, *, every: int = 1024) -> None:
        self._trace, self._every = trace, every
        self._steps: list[int] = []
        self._states: list[State] = []

    def at(self, i: int) -> State:
        """The state after step i; the cost is the distance from the keyframe before it."""
        if not 0 <= i < len(self._trace):
            raise IndexError(f"step {i} of a trace of {len(self._trace)}")
        known = bisect_right(self._steps, i)
        state = self._states[known - 1].copy() if known else State()
        last = self._steps[known - 1] if known else -1
        for step in range(last + 1, i + 1):
            advance(state, self._trace, step)
            if known == len(self._steps) and step - last >= max(self._every, len(state.frames)):
                self._steps.append(step)
                self._states.append(state.copy())
                known, last = known + 1, step
        return state


def advance(state: State, trace: Trace, i: int) -> None:
    """Turn the state after step i - 1 into the state after step i."""
    if i and _ended(trace, i):
        state.drop(trace.columns.frame[i - 1])
    state.apply(trace[i])


def _ended(trace: Trace, i: int) -> bool:
    """Whether the frame of step i - 1 had ended when step i happened.

    An exception has left its frame when the next event is of another one, unless that is a call made by the frame.
    """
    columns = trace.columns
    event, frame = columns.event[i - 1], columns.frame[i - 1]
    if event != _RAISE or columns.frame[i] == frame:
        return event == _RETURN
    return columns.event[i] != _CALL or trace.frames[columns.frame[i]].parent != frame


def states(trace: Trace) -> Iterator[tuple[Step, State]]:
    """Each step with the state after it (its own delta folded). The State is reused: copy it to keep it."""
    state = State()
    for i in range(len(trace)):
        advance(state, trace, i)
        yield trace[i], state


def state_at(trace: Trace, i: int) -> State:
    """The state after step i. For many steps of one trace, a `Replay`."""
    return Replay(trace).at(i)
