"""The events of a run by class, and the one rule of when a step's change is known.

A step begins a line; what the line changes is known when its frame goes on: at the frame's next event, however many
events of other frames lie between. Output, input and exit happen within a line: they change nothing of its frame and
do not end its line. What a state shows before that (the arguments of a call, the step that is looked at) is not said
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

EVENTS = ("call", "line", "return", "raise", "yield", "resume", "output", "input", "exit")
# Within a line: they change nothing, and its frame does not go on with them.
CHANGELESS = ("output", "input", "exit")
LEAVING = ("return", "raise")  # with which a frame may be left for good
RETURNING = ("return", "yield")  # with which a frame hands a value back to its caller
FINAL = (*LEAVING, "exit")  # with which a run may end

OUTCOMES = ("returned", "raised", "exited", "killed", "limit", "tampered", "unsupported", "host-fault")
ENDED = ("returned", "raised", "exited")  # outcomes of a run that came to its own end: the trace is whole

S = TypeVar("S")


class FrameEvent(Protocol):
    """What happens in a frame: a step, or whatever tells of one."""

    @property
    def frame(self) -> int:
        """The frame's number."""

    @property
    def event(self) -> str:
        """One of EVENTS."""


class Pending(Generic[S]):
    """Each frame's newest step, whose change is not known before its frame goes on. `S` is whatever stands for it."""

    def __init__(self, steps: Mapping[int, S] = MappingProxyType({})) -> None:
        self.steps = dict(steps)  # by frame

    def settle(self, frame: int, event: str) -> S | None:
        """An event of a frame comes: the step whose change is known with it, which is pending no more."""
        return None if event in CHANGELESS else self.steps.pop(frame, None)

    def hold(self, frame: int, event: str, step: S) -> None:
        """This step of a frame is pending now, if it can change anything."""
        if event not in CHANGELESS:
            self.steps[frame] = step

    def get(self, frame: int) -> S | None:
        """The pending step of a frame."""
        return self.steps.get(frame)

    def drop(self, frame: int) -> S | None:
        """The pending step of a frame that does not go on."""
        return self.steps.pop(frame, None)


def known_at(events: Iterable[FrameEvent]) -> list[int | None]:
    """For each event the number of the one with which its change is known; None where that never comes."""
    pending, found = Pending[int](), list[int | None]()
    for i, one in enumerate(events):
        found.append(None)
        before = pending.settle(one.frame, one.event)
        if before is not None:
            found[before] = i
        pending.hold(one.frame, one.event, i)
    return found


def unsettled(events: Iterable[FrameEvent]) -> dict[int, int]:
    """Each frame's newest step at the end of these events: its change is not known yet."""
    return {one.frame: i for i, one in enumerate(events) if one.event not in CHANGELESS}
