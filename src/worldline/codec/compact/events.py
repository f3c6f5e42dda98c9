"""A compact text as events, for whoever compares it with a true one. Total on any bytes.

Text after the first fault is not read.
"""

from __future__ import annotations

from worldline.codec.compact.parse import parse
from worldline.codec.reading import NOTHING, Event, Reading
from worldline.core.events import unsettled
from worldline.core.trace import Step


def read_events(text: bytes, prompt: bytes, *, status: str) -> Reading:
    """Read the events of a text.

    Args:
        text: The steps, without their prompt.
        prompt: The prompt that they follow.
        status: Why the writing stopped (`Prediction.status`).

    Returns:
        The events up to the end or the first fault.
    """
    if status == "ended" and text.rpartition(b"\n")[2] not in (b"", b"."):
        text += b"\n"  # no cut broke its last line off: it is meant as it stands, if not as an end
    parsed = parse(text, prompt, loose=True)
    hidden: dict[int, list[tuple[str, str]]] = {}
    for entry in parsed.hidden:
        hidden.setdefault(entry.step, []).append((entry.kind, entry.value))
    main = parsed.program.name if parsed.program else None
    places = [(frame.parent, None if frame.file == main else frame.file) for frame in parsed.frames]
    events = [_of_step(step, *places[step.frame], tuple(hidden.get(step.i, ()))) for step in parsed.steps]
    if not parsed.ended:
        _leave_open(events)
    return Reading(events=tuple(events), ended=parsed.ended, malformed=parsed.malformed)


def _of_step(step: Step, parent: int, file: str | None, hidden: tuple[tuple[str, str], ...]) -> Event:
    line, values, same = step.line, step.delta or NOTHING, step.same or NOTHING
    return Event(
        step.event, step.frame, line, (line,), values, step.gone, step.arg, False, parent, same, hidden, file
    )


def _leave_open(events: list[Event]) -> None:
    """Marks each frame's newest step when it shows no change: changes may stand after steps of other frames."""
    for i in unsettled(events).values():
        event = events[i]
        if event.event != "return" and not (event.values or event.gone or event.same):
            events[i] = event._replace(open=True)
