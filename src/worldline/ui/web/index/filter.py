"""Filters of samples: checked values of a request, and the rows that they select.

A row must match all filters. Words are compared whole; only `q` is searched inside texts. An unknown filter is an
error, so that a misspelled one does not select everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from worldline.core.errors import UsageError
from worldline.storage.arrow import pa, pc
from worldline.ui.web.flips import FLIPS, RowMask, match
from worldline.ui.web.index.index import RunIndex

WORDS = ("cause", "suite", "type", "operation", "ending")
VERDICTS = ("answer", "trace")
BOUNDS = ("steps_min", "steps_max", "depth_min", "depth_max")
FILTERS = ("q", *WORDS, *VERDICTS, *BOUNDS, "depth", "flip")
MAX_VALUE_CHARS = 1_000


@dataclass(frozen=True, kw_only=True)
class Filters:
    """The values that samples must have; None matches any.

    `ending` is why the prediction stopped. `flip` is how the answer differs from the other run's.
    """

    q: str | None = None
    cause: str | None = None
    suite: str | None = None
    type: str | None = None
    operation: str | None = None
    ending: str | None = None
    answer: str | None = None
    trace: str | None = None
    steps_min: int | None = None
    steps_max: int | None = None
    depth_min: int | None = None
    depth_max: int | None = None
    depth: int | None = None
    flip: str | None = None

    @classmethod
    def of(cls, params: Mapping[str, str]) -> Filters:
        """Check the filters of a request. An empty value is ignored.

        Raises:
            UsageError: A filter is unknown, or its value is not valid.
        """
        if unknown := sorted(set(params) - set(FILTERS)):
            raise UsageError(f"unknown filter {unknown[0][:80]!r}; known are {', '.join(FILTERS)}")
        return cls(**{name: _value(name, text) for name, text in params.items() if text})

    @property
    def params(self) -> dict[str, str]:
        """The filters as parameters of a request."""
        values = {name: getattr(self, name) for name in FILTERS}
        return {name: str(value) for name, value in values.items() if value is not None}


def select(index: RunIndex, filters: Filters, other: RunIndex | None = None) -> RowMask:
    """Return for each row whether the filters select it. `flip` compares with the run `other`."""
    rows = np.ones(len(index), dtype=np.bool_)
    table = index.table
    for name in WORDS:
        word = getattr(filters, name)
        if name == "operation" and word is not None and not index.operations:
            raise UsageError(f"{index.name} cannot be filtered by operation: {index.notes[-1]}")
        if word is not None:
            rows &= _is(table["status" if name == "ending" else name], word)
    for name in VERDICTS:
        word = getattr(filters, name)
        if word is not None:
            rows &= _true(pc.equal(table[name], word == "right"))
    rows &= _within(table["steps"], filters.steps_min, filters.steps_max)
    rows &= _within(table["depth"], filters.depth_min, filters.depth_max)
    rows &= _within(table["depth"], filters.depth, filters.depth)
    if filters.q is not None:
        rows &= _containing(index, filters.q)
    if filters.flip is not None:
        rows &= _flipped(index, filters.flip, other)
    return rows


def _value(name: str, text: str) -> Any:
    if len(text) > MAX_VALUE_CHARS:
        raise UsageError(f"{name} is longer than {MAX_VALUE_CHARS:,} characters")
    if name in (*BOUNDS, "depth"):
        if not (text.isascii() and text.isdecimal() and len(text) <= 15):
            raise UsageError(f"{name} must be an integer, not {text[:80]!r}")
        return int(text)
    words = ("right", "wrong") if name in VERDICTS else FLIPS if name == "flip" else None
    if words is not None and text not in words:
        raise UsageError(f"{name} must be one of {', '.join(words)}, not {text[:80]!r}")
    return text


def _is(column: pa.ChunkedArray, word: str) -> RowMask:
    """Return whether each value equals the word, by its code in the dictionary of the column."""
    values = column.combine_chunks()
    code = pc.index(values.dictionary, pa.scalar(word, pa.string())).as_py() if _is_utf8(word) else -1
    return np.zeros(len(values), np.bool_) if code < 0 else _true(pc.equal(values.indices, code))


def _is_utf8(word: str) -> bool:
    return word.isascii() or not any("\ud800" <= character <= "\udfff" for character in word)


def _within(column: pa.ChunkedArray, low: int | None, high: int | None) -> RowMask | bool:
    """Return whether each number is within the bounds; an unknown one is not."""
    if low is None and high is None:
        return True
    rows = pc.is_valid(column)
    rows = rows if low is None else pc.and_(rows, pc.greater_equal(column, low))
    return _true(rows if high is None else pc.and_(rows, pc.less_equal(column, high)))


def _containing(index: RunIndex, word: str) -> RowMask:
    matches = index.texts.containing(word)
    words, source = index.table["words"].to_numpy(), index.table["source"].to_numpy()
    return np.asarray(matches[words] | matches[source])


def _flipped(index: RunIndex, flip: str, other: RunIndex | None) -> RowMask:
    if other is None:
        raise UsageError("flip needs another run to compare with: set other")
    return match(index, other).flipped(flip)


def _true(column: pa.ChunkedArray | pa.Array) -> RowMask:
    """Return a boolean column in which null is false."""
    return np.asarray(pc.fill_null(column, False), dtype=np.bool_)
