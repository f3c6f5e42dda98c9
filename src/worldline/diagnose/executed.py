"""How often each operation was executed on true steps, as far as a prediction came: what failures are a share of.

Every operation that stands on a line is counted whenever the line runs, those that a short cut or an empty loop leaves
out as well. Lines of comprehensions' own frames are counted with the line that they stand on.
"""

from __future__ import annotations

from collections import Counter

from worldline.core.value import kind
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.reading import Event
from worldline.flow.operations import executed
from worldline.rewrite.fold import ITERATED


def executed_operations(diagnosis: Diagnosis) -> dict[str, int]:
    """Counts up to the first divergence and with it; the operation that it is about is there at least once."""
    events, first = diagnosis.truth.events, diagnosis.first
    end = len(events) if first is None else min(first.step + 1, len(events))
    if first is not None and end and events[end - 1].whole:  # it tells the state before its line
        end -= 1
    source, counts = diagnosis.sample.ask.program.source, Counter[str]()
    inner: set[int] = set()
    for event in events[:end]:
        if event.event == "call":
            inner |= {event.frame} if ITERATED in event.values else set()
            counts["argument"] += 1
        elif event.event == "line" and event.file is None and event.frame not in inner:
            counts.update(executed(source, event.line, _kind(event)))
    blamed = diagnosis.cause.operation
    if blamed and not counts[blamed]:
        counts[blamed] = 1
    return dict(counts)


def _kind(event: Event) -> str:
    """The kind of the value that a line sets, where it sets one and the text says so."""
    return kind(next(iter(event.values.values()))) if len(event.values) == 1 and not event.whole else ""
