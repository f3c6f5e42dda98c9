"""What was known before a step: the names of its frame, and who had a certain value when. Reads moments, one pass each.

It tells the truth's past only. Frames are those of the trace; nothing here compares two traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldline.core.value import kind
from worldline.diagnose.reading import Event

MUTABLE = ("list", "dict", "set", "deque", "bytearray", "object")


@dataclass(frozen=True)
class Sighting:
    """A step at which a name had a value; no name: what the step returned, yielded or raised."""

    step: int
    frame: int
    name: str | None


def previous(moments: Sequence[Event], step: int, frame: int) -> int | None:
    """The newest step of a frame before a step."""
    return next((i for i in range(min(step, len(moments)) - 1, -1, -1) if moments[i].frame == frame), None)


def names_before(moments: Sequence[Event], step: int) -> Mapping[str, str]:
    """The names of a step's frame and their values before the change that the step tells."""
    frame, known = moments[step].frame, dict[str, str]()
    for moment in moments[:step]:
        if moment.frame != frame:
            continue
        known = dict(moment.values) if moment.whole else {**known, **moment.values}
        for name in moment.gone:
            known.pop(name, None)
    return known


def sightings(moments: Sequence[Event], value: str, until: int) -> Iterator[Sighting]:
    """Where a value was seen before a step, the newest first; a name once for as long as it keeps the value."""
    for i in range(min(until, len(moments)) - 1, -1, -1):
        moment = moments[i]
        for name, text in moment.values.items():
            if text == value:
                yield Sighting(i, moment.frame, name)
        if moment.arg == value:
            yield Sighting(i, moment.frame, None)


def sharer(moments: Sequence[Event], step: int, name: str, wanted: str) -> str | None:
    """Another name that the object of a name was changed under, at this step or in a call that it made."""
    if kind(wanted) not in MUTABLE:
        return None
    moment, before = moments[step], names_before(moments, step)
    marked = _marked(moments, step).get(name)
    if marked is not None and marked in moment.values:
        return marked
    for other, value in moment.values.items():
        if other != name and _holds(wanted, value) and before.get(other) != value:
            return other
    return _in_calls(moments, step, wanted, before.get(name))


def _marked(moments: Sequence[Event], step: int) -> dict[str, str | None]:
    """The sharing marks of a step's frame, as far as the text has them, in both directions."""
    frame, marks = moments[step].frame, dict[str, str | None]()
    for moment in moments[: step + 1]:
        if moment.frame == frame:
            marks.update(moment.same)
    return {**{other: name for name, other in marks.items() if other is not None}, **marks}


def _holds(outer: str, inner: str) -> bool:
    """Whether a value is another or has it inside; only values that can change count."""
    return kind(inner) in MUTABLE and (outer == inner or (len(inner) > 2 and inner in outer))


def _in_calls(moments: Sequence[Event], step: int, wanted: str, old: str | None) -> str | None:
    """A name of a frame that ran between a step and its frame's next one (before it, where locals are whole).

    It has the new value, or was given the old one: what a function's last line changes is not shown in its frame.
    """
    frame = moments[step].frame
    if moments[step].whole:
        steps = range(step - 1, (previous(moments, step, frame) or 0), -1)
    else:
        after = (i for i in range(step + 1, len(moments)) if moments[i].frame == frame)
        steps = range(next(after, len(moments)) - 1, step, -1)
    for i in steps:
        for other, value in moments[i].values.items():
            if _holds(wanted, value) or (moments[i].event == "call" and value == old):
                return other
    return None
