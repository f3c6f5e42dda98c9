"""Read predictions as events (`codec.reading`) and compare how two traces end. Total on any bytes."""

from __future__ import annotations

from collections.abc import Sequence

from worldline.codec.answer import same_answer
from worldline.codec.notation import notation
from worldline.codec.reading import Event, Reading
from worldline.core.trace import Hidden
from worldline.predict.prediction import CONTEXT, Prediction, PredictionRequest
from worldline.predict.table import context_of


def threads_of(events: Sequence[Event]) -> list[int] | None:
    """Return the thread of each event, 0 for the main thread; None if there is only one thread."""
    threads, current = list[int](), 0
    for event in events:
        for kind, value in event.hidden:
            chosen = Hidden(0, kind, value).thread
            current = current if chosen is None else chosen
        threads.append(current)
    return threads if len(set(threads)) > 1 else None


def ends_alike(left: Reading, right: Reading, *, printed: bool = False) -> bool:
    """Tell whether two traces end with the same event and value and, with `printed`, the same output."""
    left_answer, right_answer = left.answer, right.answer
    if left_answer is None or right_answer is None or left_answer[0] != right_answer[0]:
        return False
    return same_answer(left_answer[1], right_answer[1]) and (not printed or left.printed == right.printed)


def read(ask: PredictionRequest, prediction: Prediction) -> Reading:
    """Read the events of a prediction. To compare with a truth, use `reconcile.read_beside`."""
    return notation(prediction.codec).read(context_of(ask), prediction.text, status=prediction.status)


def unfinished_as(is_malformed: bool, is_ended: bool, has_steps: bool, prediction: Prediction) -> str | None:
    """Return the outcome of an unfinished text: malformed or truncated. None if it is finished."""
    if is_malformed or prediction.status == "broken":
        return "malformed"
    if is_ended:
        return None
    # Only a budget truncates: a model that stopped on its own, or wrote no step, did not write a trace.
    is_cut = prediction.status == "budget" and (has_steps or prediction.note == CONTEXT)
    return "truncated" if is_cut else "malformed"
