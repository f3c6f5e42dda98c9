"""What a text in Meta's notation tells of the truth: a value that shows a true one is given that one's text.

Steps stand beside each other as `align` puts them. So whoever compares such a reading with its truth compares values
alone. Left out are the frames that only tracing makes: the StopIteration that ends a loop, a `yield from` or an
`await`, which is raised and handled inside the interpreter. No recording has them, and a tracer of CPython 3.11 does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from worldline.codec.cwm.likeness import Likeness
from worldline.codec.cwm.text import SourceListing, listing
from worldline.diagnose.diverge import aligned, same_action
from worldline.diagnose.reading import Event, Reading, read
from worldline.predict.predictor import Ask, Prediction

_STOPPED = re.compile(r"\(?(?:<class StopIteration>, )?Stop(?:Async)?Iteration\(")
_WAITING = re.compile(r"\b(?:for|from|await|async)\b")


def read_beside(ask: Ask, prediction: Prediction, truth: Reading) -> Reading:
    """The events of a prediction that is compared with a truth."""
    found = read(ask, prediction)
    return told(ask.program.source, truth, found) if prediction.codec == "cwm" else found


def told(source: str, truth: Reading, found: Reading) -> Reading:
    """The found reading with the true texts of the values that it shows, less what only tracing makes."""
    found = _without_stops(source, truth.events, found)
    events, likeness = list(found.events), Likeness(source)
    for span in aligned(truth.events, found.events):
        if span.agrees:
            for i in range(span.wanted):
                at = span.found + i
                events[at] = _told(likeness, truth.events[span.truth + i], events[at])
    return replace(found, events=tuple(events))


def _told(likeness: Likeness, true: Event, event: Event) -> Event:
    values, arg = true.values, event.arg
    fresh = {
        name: values[name]
        for name, value in event.values.items()
        if values.get(name, value) != value and likeness.holds(values[name], value)
    }
    if arg is not None and true.arg is not None and arg != true.arg and likeness.holds(true.arg, arg):
        arg = true.arg
    if not fresh and arg == event.arg:
        return event
    return event._replace(values={**event.values, **fresh} if fresh else event.values, arg=arg)


def _waits(lines: SourceListing, line: int | None) -> bool:
    return line is not None and _WAITING.search(lines.text(line)) is not None


def _without_stops(source: str, truth: Sequence[Event], found: Reading) -> Reading:
    """As far as both go alike: the found steps without the ends of iterations that no true step stands beside."""
    lines, kept, i = listing(source), list[int](), 0
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
