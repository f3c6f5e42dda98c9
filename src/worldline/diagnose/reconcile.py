"""Compare a text in Meta's notation with a truth: a value that shows a true one is replaced by the true text.

Afterwards, readers compare values alone. Frames that only a tracer reports are removed: CPython 3.11 traces
the StopIteration that ends a loop, a `yield from` or an `await`, and no recording has it.
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
    """Read the events of a prediction that is compared with a truth."""
    predicted = read(ask, prediction)
    is_exact = notation(prediction.codec).is_canonical
    return predicted if is_exact else reconciled(ask.program, truth, predicted)


def reconciled(program: Program, truth: Reading, predicted: Reading) -> Reading:
    """Return the predicted reading with the true texts of the values it shows, without tracer-only frames."""
    lines = listing(program.source, program.language)
    predicted = _without_stops(lines, truth.events, predicted) if program.lang.runs_in_interpreter else predicted
    events, equality = list(predicted.events), ReprEquality(program.source, program.language)
    for span in aligned(truth.events, predicted.events):
        if span.agrees:
            for i in range(span.wanted):
                j = span.found + i
                events[j] = _with_true_texts(equality, truth.events[span.truth + i], events[j])
    if predicted.partial is not None and len(events) < len(truth.events):
        events += _unfinished_frame(lines, equality, truth.events, events, predicted.partial)
    elif predicted.ended:
        events += _closed_generators(truth.events, events)
    places = predicted.places and (*predicted.places, *range(len(predicted.events), len(events)))
    return replace(predicted, events=tuple(events), places=places, partial=None)


def _with_true_texts(equality: ReprEquality, true: Event, event: Event) -> Event:
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


def _closed_generators(truth: Sequence[Event], events: list[Event]) -> list[Event]:
    """The true steps after the end of the outermost call, if the text ends there.

    They belong to generators that are closed at the end. Tracers differ in whether they report them.
    """
    outermost = max((i for i, event in enumerate(truth) if event.parent < 0), default=-1)
    if len(events) != outermost + 1 or not all(map(same_action, truth, events)):
        return []
    frames = {true.frame: predicted.frame for true, predicted in zip(truth, events, strict=False)}
    return [event._replace(frame=frames.get(event.frame, event.frame)) for event in truth[outermost + 1 :]]


def _may_stop(lines: SourceListing, line: int | None) -> bool:
    return line is not None and _WAITING.search(lines.text(line)) is not None


def _without_stops(lines: SourceListing, truth: Sequence[Event], predicted: Reading) -> Reading:
    """The predicted steps, as far as both agree, without ends of iterations that have no true step."""
    positions, i = list[int](), 0
    for at, event in enumerate(predicted.events):
        if i < len(truth) and same_action(truth[i], event):
            i += 1
        elif event.event == "raise" and _STOPPED.match(event.arg or "") and _may_stop(lines, event.line):
            continue
        else:
            i = len(truth)
        positions.append(at)
    if len(positions) == len(predicted.events):
        return predicted
    return replace(predicted, events=tuple(predicted.events[at] for at in positions), places=tuple(positions))


# ---- an unfinished last frame


def _unfinished_frame(
    lines: SourceListing, equality: ReprEquality, truth: Sequence[Event], events: list[Event], begun: PartialFrame
) -> list[Event]:
    """The unfinished frame after a right prefix, completed with the true values where it does not say otherwise.

    Empty if it is a start of the true frame, or if a step before it is wrong.
    """
    if not all(same_action(left, right) for left, right in zip(truth, events, strict=False)):
        return []
    true = truth[len(events)]
    if equality.is_traced and begun.events == ("raise",) and true.event != "raise" and _may_stop(lines, true.line):
        return []  # perhaps a frame that only a tracer reports
    frames = {left.frame: right.frame for left, right in zip(truth, events, strict=False)}
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
    """The true values, overwritten by those that the unfinished frame has."""
    values = {} if begun.closed else dict(true)
    for name, value in begun.locals.items():
        text = before.get(name, value) if value == UNCHANGED else value
        if not equality.is_traced or not is_hidden(name):
            values[name] = true[name] if name in true and equality.holds(true[name], text) else text
    last_name, last_value = begun.name, begun.value
    if last_name is None or (equality.is_traced and is_hidden(last_name)):
        return values
    if last_value is not None:
        if last_name not in true or not equality.may_begin(true[last_name], last_value):
            values[last_name] = last_value
    elif not any(name.startswith(last_name) for name in true.keys() - begun.locals.keys()):
        values[last_name] = UNCHANGED
    return values
