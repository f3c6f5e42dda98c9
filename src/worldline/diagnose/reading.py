"""A prediction's text as events (`codec.reading`), and how two such readings end. Total on any bytes.

It reads and does not compare step by step: that is `diverge`.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldline.codec.notation import notation
from worldline.codec.reading import Event, Reading
from worldline.core.trace import Hidden
from worldline.core.value import equal
from worldline.predict.prediction import CONTEXT, Prediction, PredictionRequest
from worldline.predict.table import context_of


def threads_of(events: Sequence[Event]) -> list[int] | None:
    """The thread of each event: 0 is the main one; None where no event says that another runs."""
    found, now = list[int](), 0
    for event in events:
        for kind, value in event.hidden:
            chosen = Hidden(0, kind, value).thread
            now = now if chosen is None else chosen
        found.append(now)
    return found if len(set(found)) > 1 else None


def ends_alike(one: Reading, other: Reading, *, printed: bool = False) -> bool:
    """Whether two readings end with one event and value and, where asked for, printed the same."""
    first, second = one.answer, other.answer
    if first is None or second is None or first[0] != second[0]:
        return False
    return equal(first[1], second[1]) and (not printed or one.printed == other.printed)


def read(ask: PredictionRequest, prediction: Prediction) -> Reading:
    """The events of a prediction for an ask; `reconcile.read_beside` is for one that is compared with a truth."""
    return notation(prediction.codec).read(context_of(ask), prediction.text, status=prediction.status)


def unfinished_as(is_malformed: bool, is_ended: bool, has_steps: bool, prediction: Prediction) -> str | None:
    """The outcome of a text that came to no end; None of one that did."""
    if is_malformed or prediction.status == "broken":
        return "malformed"
    if is_ended:
        return None
    # Only a budget truncates: whoever stopped of himself, or wrote no step, did not write a trace.
    is_cut = prediction.status == "budget" and (has_steps or prediction.note == CONTEXT)
    return "truncated" if is_cut else "malformed"
