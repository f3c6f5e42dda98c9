"""What a text in Meta's notation tells of the truth: a value that shows a true one is given that one's text.

Steps stand beside each other as `align` puts them. So whoever compares such a reading with its truth compares values
alone. Left out are the frames that only tracing makes: the StopIteration that ends a loop, a `yield from` or an
`await`, which is raised and handled inside the interpreter. No recording has them, and a tracer of CPython 3.11 does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from worldline.codec.cwm.equality import ReprEquality
from worldline.codec.cwm.parse import is_hidden
from worldline.codec.cwm.partial_frame import PartialFrame
from worldline.codec.cwm.text import UNCHANGED, SourceListing, listing
from worldline.codec.notation import notation
from worldline.codec.reading import Event, Reading
from worldline.core.program import Program
from worldline.diagnose.diverge import aligned, same_action
from worldline.diagnose.reading import read
from worldline.predict.prediction import Prediction, PredictionRequest

_STOPPED = re.compile(r"\(?(?:<class StopIteration>, )?Stop(?:Async)?Iteration\(")
_WAITING = re.compile(r"\b(?:for|from|await|async)\b")


def read_beside(ask: PredictionRequest, prediction: Prediction, truth: Reading) -> Reading:
    """The events of a prediction that is compared with a truth."""
    found = read(ask, prediction)
    is_exact = notation(prediction.codec).is_canonical
    return found if is_exact else reconciled(ask.program, truth, found)


def reconciled(program: Program, truth: Reading, found: Reading) -> Reading:
    """The found reading with the true texts of the values that it shows, less what only tracing makes."""
    lines = listing(program.source, program.language)
    found = _without_stops(lines, truth.events, found) if program.lang.runs_in_interpreter else found
    events, equality = list(found.events), ReprEquality(program.source, program.language)
    for span in aligned(truth.events, found.events):
        if span.agrees:
            for i in range(span.wanted):
                at = span.found + i
                events[at] = _told(equality, truth.events[span.truth + i], events[at])
    if found.partial is not None and len(events) < len(truth.events):
        events += _broken(lines, equality, truth.events, events, found.partial)
    elif found.ended:
        events += _given_up(truth.events, events)
    places = found.places and (*found.places, *range(len(found.events), len(events)))
    return replace(found, events=tuple(events), places=places, partial=None)


def _told(equality: ReprEquality, true: Event, event: Event) -> Event:
    values, arg = true.values, event.arg
    fresh = {
        name: values[name]
        for name, value in event.values.items()
        if values.get(name, value) != value and equality.holds(values[name], value)
    }
    if arg is not None and true.arg is not None and arg != true.arg and equality.holds(true.arg, arg):
        arg = true.arg
    if not fresh and arg == event.arg:
        return event
    return event._replace(values={**event.values, **fresh} if fresh else event.values, arg=arg)


def _given_up(truth: Sequence[Event], events: list[Event]) -> list[Event]:
    """The true steps behind the end of the outermost call, where a text ends with that one.

    They are of generators that are given up when it is over: whether a tracer still looks is its own affair.
    """
    own = max((i for i, event in enumerate(truth) if event.parent < 0), default=-1)
    if len(events) != own + 1 or not all(map(same_action, truth, events)):
        return []
    frames = {one.frame: other.frame for one, other in zip(truth, events, strict=False)}
    return [event._replace(frame=frames.get(event.frame, event.frame)) for event in truth[own + 1 :]]


def _waits(lines: SourceListing, line: int | None) -> bool:
    return line is not None and _WAITING.search(lines.text(line)) is not None


def _without_stops(lines: SourceListing, truth: Sequence[Event], found: Reading) -> Reading:
    """As far as both go alike: the found steps without the ends of iterations that no true step stands beside."""
    kept, i = list[int](), 0
    for at, event in enumerate(found.events):
        if i < len(truth) and same_action(truth[i], event):
            i += 1
        elif event.event == "raise" and _STOPPED.match(event.arg or "") and _waits(lines, event.line):
            continue
        else:
            i = len(truth)
        kept.append(at)
    if len(kept) == len(found.events):
        return found
    return replace(found, events=tuple(found.events[at] for at in kept), places=tuple(kept))


# ---- a frame that the cut broke off


def _broken(
    lines: SourceListing,
    equality: ReprEquality,
    truth: Sequence[Event],
    events: list[Event],
    begun: PartialFrame,
) -> list[Event]:
    """The frame behind steps that are all true, where what was written of it is not: the rest of it as it should be.

    None where it is a beginning of the true one, or stands behind a step that is not: then it tells nothing.
    """
    if not all(same_action(one, other) for one, other in zip(truth, events, strict=False)):
        return []
    true = truth[len(events)]
    if (
        equality.is_traced
        and begun.events == ("raise",)
        and true.event != "raise"
        and _waits(lines, true.line)
    ):
        return []  # perhaps one that only tracing makes
    frames = {one.frame: other.frame for one, other in zip(truth, events, strict=False)}
    frame = frames.get(true.frame, max(frames.values(), default=-1) + 1)
    before = next((event.values for event in reversed(events) if event.frame == frame and event.whole), {})
    event = true._replace(frame=frame, parent=frames.get(true.parent, true.parent))
    if true.event not in begun.events:
        return [event._replace(event=begun.events[0])]
    if begun.line is not None and not _is_line(begun, lines.text(true.line or 0)):
        event = event._replace(line=None, lines=())
    if true.whole:
        event = event._replace(values=_values(equality, begun, before, true.values))
    elif begun.arg is not None and true.arg is not None:
        is_raised = true.event == "raise"
        if not equality.may_begin(true.arg, begun.arg, raised=is_raised):
            event = event._replace(arg=begun.arg)
    return [] if event._replace(frame=true.frame, parent=true.parent) == true else [event]


def _is_line(begun: PartialFrame, text: str) -> bool:
    return text == begun.line if begun.whole else text.startswith(begun.line or "")


def _values(
    equality: ReprEquality, begun: PartialFrame, before: Mapping[str, str], true: Mapping[str, str]
) -> Mapping[str, str]:
    """The true values, those that were written instead of them, and without those that were not."""
    found = {} if begun.closed else dict(true)
    for name, value in begun.locals.items():
        said = before.get(name, value) if value == UNCHANGED else value
        if not equality.is_traced or not is_hidden(name):
            found[name] = true[name] if name in true and equality.holds(true[name], said) else said
    late, half = begun.name, begun.value
    if late is None or (equality.is_traced and is_hidden(late)):
        return found
    if half is not None:
        if late not in true or not equality.may_begin(true[late], half):
            found[late] = half
    elif not any(each.startswith(late) for each in true.keys() - begun.locals.keys()):
        found[late] = UNCHANGED
    return found
