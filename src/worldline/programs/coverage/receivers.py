"""The type of a method's receiver at a step, as the trace shows it.

A receiver is a path: `$name`, `$name.field`, `$name[]` (an element, or a value of a dict), and so on. If the step does
not show it (a closure's name, an element of an empty container), the kinds that the frame ever shows decide, then
those of all frames, if they agree.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from worldline.core.malformed import Malformed
from worldline.core.trace import NO_TEXT, Trace
from worldline.core.value import Value, kind, parse

UNKNOWN = "?"
_NOTHING = kind("None")  # a name that is first nothing and then something is the latter
_STEPS = re.compile(r"\.(\w+)|\[\]")


class Receivers:
    """The values that names hold throughout a trace."""

    def __init__(self, trace: Trace) -> None:
        columns = trace.columns
        self._texts = columns.texts
        self._history: dict[tuple[int, str], tuple[list[int], list[int]]] = {}
        self._everywhere: dict[str, set[int]] = {}
        for i, frame in enumerate(columns.frame):
            for at in range(columns.change_at[i], columns.change_at[i + 1]):
                if (value := columns.change_value[at]) == NO_TEXT:
                    continue
                name = columns.texts[columns.change_name[at]]
                steps, values = self._history.setdefault((frame, name), ([], []))
                steps.append(i)
                values.append(value)
                self._everywhere.setdefault(name, set()).add(value)

    def kind(self, path: str, frame: int, step: int) -> str:
        """Return the kind of `$name...` just before a step of a frame; `?` if the trace does not show it."""
        name, rest = _split(path)
        steps, values = self._history.get((frame, name), ([], []))
        before = bisect_left(steps, step)
        now = values[max(before - 1, 0) : before]
        for candidates in (now, set(values), self._everywhere.get(name, ())):
            kinds = self._kinds(candidates, rest)
            if len(kinds) == 1:
                return kinds.pop()
        return UNKNOWN

    def _kinds(self, values: Iterable[int], rest: str) -> set[str]:
        return {kind for value in values for kind in _at(self._texts[value], rest) if kind != _NOTHING}


def _split(path: str) -> tuple[str, str]:
    end = min((at for mark in ".[" if (at := path.find(mark)) >= 0), default=len(path))
    return path[1:end], path[end:]


@lru_cache(maxsize=4096)
def _at(text: str, rest: str) -> frozenset[str]:
    """Return the kinds at the end of a path into a value."""
    if not rest:
        return frozenset([kind(text)])
    whole = parse(text)
    values = [] if isinstance(whole, Malformed) else [whole]
    for step in _STEPS.finditer(rest):
        values = [part for item in values for part in _parts(item, step[1])]
    return frozenset(item.kind for item in values)


def _parts(value: Value, field: str | None) -> Iterable[Value]:
    """Return the field of an object, or the elements of any other value."""
    if field is not None:
        return [part for name, part in value.fields if name == field]
    if value.kind == "str":
        return [value]
    if value.kind in ("bytes", "bytearray", "range"):
        return [Value("int", "0")]
    return value.items[1::2] if value.kind == "dict" else value.items
