"""What was known before a step of a trace: the names of its frame, and where a value occurred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldline.codec.reading import Event
from worldline.core.value import kind

MUTABLE = ("list", "dict", "set", "deque", "bytearray", "object")


@dataclass(frozen=True)
class Sighting:
    """A step at which a name had a value. `name` is None for what the step returned, yielded or raised."""

    step: int
    frame: int
    name: str | None


def previous(events: Sequence[Event], step: int, frame: int) -> int | None:
    """Find the newest step of a frame before a step."""
    return next((i for i in range(min(step, len(events)) - 1, -1, -1) if events[i].frame == frame), None)


def names_before(events: Sequence[Event], step: int) -> Mapping[str, str]:
    """Return the names of a step's frame with their values before the step."""
    frame, known = events[step].frame, dict[str, str]()
    for event in events[:step]:
        if event.frame != frame:
            continue
        known = dict(event.values) if event.whole else {**known, **event.values}
        for name in event.gone:
            known.pop(name, None)
    return known


def sightings(events: Sequence[Event], value: str, until: int) -> Iterator[Sighting]:
    """Yield where a value occurred before a step, the newest first."""
    for i in range(min(until, len(events)) - 1, -1, -1):
        event = events[i]
        for name, text in event.values.items():
            if text == value:
                yield Sighting(i, event.frame, name)
        if event.arg == value:
            yield Sighting(i, event.frame, None)


def sharer(events: Sequence[Event], step: int, name: str, wanted: str) -> str | None:
    """Find another name under which the object of a name was changed, at this step or in a call it made."""
    if kind(wanted) not in MUTABLE:
        return None
    event, before = events[step], names_before(events, step)
    marked = _marked(events, step).get(name)
    if marked is not None and marked in event.values:
        return marked
    for other, value in event.values.items():
        if other != name and _holds(wanted, value) and before.get(other) != value:
            return other
    return _in_calls(events, step, wanted, before.get(name))


def _marked(events: Sequence[Event], step: int) -> dict[str, str | None]:
    """The sharing marks of a step's frame, in both directions."""
    frame, marks = events[step].frame, dict[str, str | None]()
    for event in events[: step + 1]:
        if event.frame == frame:
            marks.update(event.same)
    return {**{other: name for name, other in marks.items() if other is not None}, **marks}


def _holds(outer: str, inner: str) -> bool:
    """Whether a mutable value equals another one or is contained in it."""
    return kind(inner) in MUTABLE and (outer == inner or (len(inner) > 2 and inner in outer))


def _in_calls(events: Sequence[Event], step: int, wanted: str, old: str | None) -> str | None:
    """A name of a frame that was active between a step and the next one of its frame (before it, if locals are whole).

    It has the new value or received the old one: a function's last change is not shown in its own frame.
    """
    frame = events[step].frame
    if events[step].whole:
        steps = range(step - 1, (previous(events, step, frame) or 0), -1)
    else:
        after = (i for i in range(step + 1, len(events)) if events[i].frame == frame)
        steps = range(next(after, len(events)) - 1, step, -1)
    for i in steps:
        for other, value in events[i].values.items():
            if _holds(wanted, value) or (events[i].event == "call" and value == old):
                return other
    return None
