"""Which samples of a run are meant: filters as a request gives them, checked, and the rows that they choose.

Filters are and-ed. A word is compared whole; only `q` is looked for inside texts. An unknown filter is an error, so
that a misspelled one does not choose everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.ui.web.flips import FLIPS, RunMatch, match
from worldline.ui.web.index.index import RunIndex

WORDS = ("cause", "suite", "type", "operation", "ending")
JUDGED = ("answer", "trace")
BOUNDS = ("steps_min", "steps_max", "depth_min", "depth_max")
FILTERS = ("q", *WORDS, *JUDGED, *BOUNDS, "depth", "flip")
LONGEST = 1_000  # characters of a value
Rows = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What samples must be like; nothing is asked where a field is None.

    `ending` is why the writing stopped; `flip` is how the answer differs from the other run's.
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
        """The filters of a request; an empty value is no filter. UsageError names what cannot be."""
        strange = sorted(set(params) - set(FILTERS))
        if strange:
            raise UsageError(f"no filter is called {strange[0][:80]!r}; there are {', '.join(FILTERS)}")
        given = {name: _value(name, text) for name, text in params.items() if text}
        return cls(**given)

    @property
    def params(self) -> dict[str, str]:
        """The same as a request gives it."""
        every = {name: getattr(self, name) for name in FILTERS}
        return {name: str(value) for name, value in every.items() if value is not None}


def select(index: RunIndex, filters: Filters, other: RunIndex | None = None) -> Rows:
    """Of each row, whether it is chosen; `other` is the run that `flip` compares with."""
    rows = np.ones(len(index), dtype=np.bool_)
    table = index.table
    for name in WORDS:
        word = getattr(filters, name)
        if name == "operation" and word is not None and not index.operations:
            raise UsageError(f"{index.name} is not filtered by operation: {index.notes[-1]}")
        if word is not None:
            rows &= _is(table["status" if name == "ending" else name], word)
    for name in JUDGED:
        word = getattr(filters, name)
        if word is not None:
            rows &= _true(pc.equal(table[name], word == "right"))
    rows &= _within(table["steps"], filters.steps_min, filters.steps_max)
    rows &= _within(table["depth"], filters.depth_min, filters.depth_max)
    rows &= _within(table["depth"], filters.depth, filters.depth)
    if filters.q is not None:
        rows &= _holding(index, filters.q)
    if filters.flip is not None:
        rows &= _flipped(index, filters.flip, other)
    return rows


def _value(name: str, text: str) -> Any:
    if len(text) > LONGEST:
        raise UsageError(f"{name} is longer than {LONGEST:,} characters")
    if name in (*BOUNDS, "depth"):
        if not (text.isascii() and text.isdecimal() and len(text) <= 15):
            raise UsageError(f"{name} is a whole number, not {text[:80]!r}")
        return int(text)
    words = ("right", "wrong") if name in JUDGED else FLIPS if name == "flip" else None
    if words is not None and text not in words:
        raise UsageError(f"{name} is one of {', '.join(words)}, not {text[:80]!r}")
    return text


def _is(column: pa.ChunkedArray, word: str) -> Rows:
    """Whether each value is the word, by its number among the words of the column."""
    found = column.combine_chunks()
    at = pc.index(found.dictionary, pa.scalar(word, pa.string())).as_py() if _is_text(word) else -1
    return np.zeros(len(found), np.bool_) if at < 0 else _true(pc.equal(found.indices, at))


def _is_text(word: str) -> bool:
    return word.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in word)


def _within(column: pa.ChunkedArray, low: int | None, high: int | None) -> Rows | bool:
    """Whether each number is in the bounds; one that is not known is in none."""
    if low is None and high is None:
        return True
    found = pc.is_valid(column)
    found = found if low is None else pc.and_(found, pc.greater_equal(column, low))
    return _true(found if high is None else pc.and_(found, pc.less_equal(column, high)))


def _holding(index: RunIndex, word: str) -> Rows:
    holding = index.texts.holding(word)
    words, source = index.table["words"].to_numpy(), index.table["source"].to_numpy()
    return np.asarray(holding[words] | holding[source])


def _flipped(index: RunIndex, flip: str, other: RunIndex | None) -> Rows:
    if other is None:
        raise UsageError("flip needs another run to compare with: give other")
    found: RunMatch = match(index, other)
    return found.flipped(flip)


def _true(column: pa.ChunkedArray | pa.Array) -> Rows:
    """A column of truths, in which what is not known is false."""
    return np.asarray(pc.fill_null(column, False), dtype=np.bool_)
