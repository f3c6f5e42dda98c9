"""The events of an execution, and the rules of when the change of a step is known and where people see it.

A step starts a line. The change of the line is known at the next event of its frame, however many events of other
frames lie between. Output, input and exit happen within a line: they change nothing and do not end the line.

People see things in the order in which they happened (`shown_at`): a line that calls shows its change after the call
has returned. Front ends follow this rule; the notations for models have an order of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

EVENTS = ("call", "line", "return", "raise", "yield", "resume", "output", "input", "exit")
# Events within a line: they change nothing.
CHANGELESS = ("output", "input", "exit")
# Events that may end a frame.
LEAVING = ("return", "raise")
# Events that hand a value back to the caller.
RETURNING = ("return", "yield")
# Events that may end an execution.
FINAL = (*LEAVING, "exit")

OUTCOMES = ("returned", "raised", "exited", "killed", "limit", "tampered", "unsupported", "host-fault")
# Outcomes of a program that ended by itself: the trace is complete.
ENDED = ("returned", "raised", "exited")

S = TypeVar("S")


class FrameEvent(Protocol):
    """Anything that happens in a frame: a step, or an event read from a text."""

    @property
    def frame(self) -> int:
        """The number of the frame."""

    @property
    def event(self) -> str:
        """One of EVENTS."""


class Pending(Generic[S]):
    """The newest step of each frame, whose change is known at the next event of its frame."""

    def __init__(self, steps: Mapping[int, S] = MappingProxyType({})) -> None:
        self.steps = dict(steps)  # by frame

    def settle(self, frame: int, event: str) -> S | None:
        """Remove and return the step of a frame whose change is known with this event, if any."""
        return None if event in CHANGELESS else self.steps.pop(frame, None)

    def hold(self, frame: int, event: str, step: S) -> None:
        """Make a step the pending one of its frame, unless its event cannot change anything."""
        if event not in CHANGELESS:
            self.steps[frame] = step

    def get(self, frame: int) -> S | None:
        return self.steps.get(frame)

    def drop(self, frame: int) -> S | None:
        """Remove and return the pending step of a frame that does not continue."""
        return self.steps.pop(frame, None)


def known_at(events: Iterable[FrameEvent]) -> list[int | None]:
    """Return for each event the index of the event at which its change is known, or None."""
    pending, settled_at = Pending[int](), list[int | None]()
    for i, event in enumerate(events):
        settled_at.append(None)
        before = pending.settle(event.frame, event.event)
        if before is not None:
            settled_at[before] = i
        pending.hold(event.frame, event.event, i)
    return settled_at


def shown_at(events: Iterable[FrameEvent], threads: Sequence[int] | None = None) -> list[int]:
    """Return for each event the index of the event with which people see its change.

    That is the last event before the change is known: the event itself, or the last one within its calls. The
    arguments of a call are seen with the call.

    Args:
        events: The events in the order in which they happened.
        threads: The thread of each event, if there are several: other threads do not delay a change.
    """
    pending, latest, shown = Pending[int](), dict[int, int](), list[int]()
    for i, event in enumerate(events):
        shown.append(i)
        thread = 0 if threads is None else threads[i]
        before = pending.settle(event.frame, event.event)
        if before is not None:
            shown[before] = max(before, latest.get(thread, before))
        if event.event == "call":
            pending.drop(event.frame)
        else:
            pending.hold(event.frame, event.event, i)
        latest[thread] = i
    return shown


def unsettled(events: Iterable[FrameEvent]) -> dict[int, int]:
    """Return the index of the newest step of each frame: its change is not known yet."""
    return {event.frame: i for i, event in enumerate(events) if event.event not in CHANGELESS}
