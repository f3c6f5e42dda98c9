"""Steps that a test writes by hand, as the columns of a trace."""

from __future__ import annotations

from collections.abc import Sequence

from worldline.core.events import EVENTS
from worldline.core.trace import NO_TEXT, Columns, Step


def columns_of(steps: Sequence[Step]) -> Columns:
    """The columns of these steps."""
    columns, ids = Columns(), dict[str, int]()

    def text_id(text: str | None) -> int:
        if text is None:
            return NO_TEXT
        if text not in ids:
            ids[text] = len(ids)
            columns.texts.append(text)
        return ids[text]

    for step in steps:
        columns.event.append(EVENTS.index(step.event))
        columns.frame.append(step.frame)
        columns.line.append(step.line)
        columns.arg.append(text_id(step.arg))
        for name, value in [*step.delta.items(), *((name, None) for name in step.gone)]:
            columns.change_name.append(text_id(name))
            columns.change_value.append(text_id(value))
        columns.change_at.append(len(columns.change_name))
        for name, other in step.same.items():
            columns.same_name.append(text_id(name))
            columns.same_value.append(text_id(other))
        columns.same_at.append(len(columns.same_name))
    return columns
