"""Folding deltas into states: the full state of every live frame at any step.

A step's own delta is what it had changed when its frame's next event began, so the state AT step i (before the
line of step i runs) folds, for each frame, every delta of that frame's earlier steps; the state AFTER step i adds
its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.core.trace import Step, Trace


@dataclass
class State:
    """The names of each live frame, innermost last, as canonical text."""

    frames: dict[int, dict[str, str]] = field(default_factory=dict)

    def apply(self, step: Step) -> None:
        """Fold one step's delta into its frame."""
        names = self.frames.setdefault(step.frame, {})
        for name in step.gone:
            names.pop(name, None)
        names.update(step.delta)

    def copy(self) -> State:
        """An independent copy."""
        return State({serial: dict(names) for serial, names in self.frames.items()})


def states(trace: Trace) -> Iterator[tuple[Step, State]]:
    """Each step with the state after it (its own delta folded). The State is reused: copy it to keep it.

    A returned frame is dropped at the next step; a suspended generator's frame is kept.
    """
    state = State()
    ended: int | None = None
    for step in trace.steps:
        if ended is not None:
            state.frames.pop(ended, None)
        state.apply(step)
        ended = step.frame if step.event == "return" else None
        yield step, state


def state_at(trace: Trace, i: int) -> State:
    """The state after step i."""
    for step, state in states(trace):
        if step.i == i:
            return state
    raise IndexError(f"step {i} of a trace of {len(trace)}")
