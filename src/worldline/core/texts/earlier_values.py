"""The value that a name of a frame had before a step of a recorded trace changed it."""

from __future__ import annotations

from array import array
from functools import cached_property

from worldline.core.trace import NO_TEXT, Trace

_NONE = (1 << 32) - 1
_MAX_TEXTS = 16


class EarlierValues:
    """The values before each change of a trace.

    Steps are asked for in order, mostly: a value that was just shown is kept, because finding it again would follow
    its splices from the start.
    """

    def __init__(self, trace: Trace) -> None:
        self._columns, self._texts = trace.columns, dict[int, str]()

    def before(self, step: int, name: str, value: str) -> str | None:
        """Return the value of a name before a step that gave it `value`; None if it had none."""
        columns = self._columns
        changes = range(columns.change_at[step], columns.change_at[step + 1])
        at = next((at for at in changes if columns.texts[columns.change_name[at]] == name), None)
        earlier = _NONE if at is None else self._earlier[at]
        text = None
        if earlier != _NONE and columns.change_value[earlier] != NO_TEXT:
            text = self._texts.pop(earlier, None)
            text = columns.texts[columns.change_value[earlier]] if text is None else text
        if at is not None:
            self._texts[at] = value
            for old in list(self._texts)[:-_MAX_TEXTS]:
                del self._texts[old]
        return text

    @cached_property
    def _earlier(self) -> array[int]:
        """For each change, the number of the change before it of the same name of the same frame."""
        columns = self._columns
        newest: dict[tuple[int, int], int] = {}
        earlier = array("I", [_NONE]) * len(columns.change_name)
        for step, frame in enumerate(columns.frame):
            for at in range(columns.change_at[step], columns.change_at[step + 1]):
                key = frame, columns.change_name[at]
                earlier[at] = newest.get(key, _NONE)
                newest[key] = at
        return earlier
