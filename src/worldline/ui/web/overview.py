"""The figures of a run: how many answers and traces are right, in total and by bucket.

A bucket names the filters that select exactly its samples. Its `n` counts all of them; a share counts those that were
judged, so a tool fault is in no rate. The buckets of a kind are counted without the filters of that kind, so that a
reader who has selected one bucket still sees the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.stats import wilson
from worldline.storage.arrow import pc
from worldline.ui.web.flips import RowMask, flips
from worldline.ui.web.index.filter import Filters, select
from worldline.ui.web.index.index import RunIndex

MAX_BUCKETS = 60  # shown per kind; `more` counts the rest
_OUTCOMES = 5  # not judged, then answer and trace: wrong wrong, wrong right, right wrong, right right
IntColumn = NDArray[np.int64]


def overview(index: RunIndex, filters: Filters, other: RunIndex | None = None) -> dict[str, Any]:
    """Return the figures of the selected samples; with `other`, also the flips to that run.

    A bucket's filters include `filters`, except those of its own kind. `more` counts the buckets that are not shown,
    and `of` the samples that a kind's buckets are counted among.
    """
    rows, outcomes = select(index, filters, other), _outcomes(index)

    def without(own: tuple[str, ...]) -> tuple[Filters, RowMask]:
        wider = replace(filters, **dict.fromkeys(own))
        return wider, rows if wider == filters else select(index, wider, other)

    by, more, of = dict[str, list[dict[str, Any]]](), dict[str, int](), dict[str, int]()
    for kind in KINDS:
        wider, among = without(kind.own)
        counts = _count(kind.codes(index)[among], outcomes[among])
        largest = np.argsort(-counts.sum(axis=1), kind="stable")[: np.count_nonzero(counts.sum(axis=1))]
        buckets = [(kind.bucket(index, int(code)), counts[code]) for code in largest[:MAX_BUCKETS]]
        ranked = sorted(buckets, key=lambda item: item[0].rank)
        by[kind.name] = [_bucket(bucket, wider, count) for bucket, count in ranked]
        more |= {kind.name: len(largest) - MAX_BUCKETS} if len(largest) > MAX_BUCKETS else {}
        of[kind.name] = int(among.sum())
    return {
        "n": int(rows.sum()),
        **_shares(np.bincount(outcomes[rows], minlength=_OUTCOMES)),
        "by": by,
        "more": more,
        "of": of,
        "flips": flips(index, other, without(("flip",))[1]) if other is not None else None,
        "notes": list(index.notes),
    }


@dataclass(frozen=True)
class Bucket:
    """A bucket: its label, the filters that select it, and its sort key."""

    label: str
    filters: dict[str, Any]
    rank: Any = 0


@dataclass(frozen=True)
class WordBuckets:
    """One bucket per word of a column: the most frequent first, or in natural order if `is_sorted`."""

    name: str
    column: str
    is_sorted: bool = False

    @property
    def own(self) -> tuple[str, ...]:
        """The filters that select such a bucket."""
        return (self.name,)

    def codes(self, index: RunIndex) -> IntColumn:
        """Return the number of each row's word; -1 if it has none."""
        codes: IntColumn = pc.fill_null(index.table[self.column].combine_chunks().indices, -1).to_numpy()
        return codes

    def bucket(self, index: RunIndex, code: int) -> Bucket:
        """Return the bucket of a word."""
        word = index.table[self.column].chunk(0).dictionary[code].as_py()
        return Bucket(word, {self.name: word}, _natural(word) if self.is_sorted else 0)


@dataclass(frozen=True)
class RangeBuckets:
    """Buckets of a non-negative number: one for each up to `single`, then by powers of two."""

    name: str
    column: str
    single: int
    least: int

    @property
    def own(self) -> tuple[str, ...]:
        """The filters that select such a bucket."""
        bounds = f"{self.column}_min", f"{self.column}_max"
        return ("depth", *bounds) if self.column == "depth" else bounds

    def codes(self, index: RunIndex) -> IntColumn:
        """Return the bucket of each row's number; -1 if it is unknown."""
        values = pc.fill_null(index.table[self.column], -1).to_numpy()
        _, bits = np.frexp(np.maximum(values - 1, 0).astype(np.float64))  # the bit length of value - 1
        powers = self.single + np.maximum(bits, self.least)
        codes: IntColumn = np.where(values <= self.single, values, powers).astype(np.int64)
        return codes

    def bucket(self, index: RunIndex, code: int) -> Bucket:
        """Return the bucket of a code, with its bounds."""
        if code <= self.single:
            low = high = code
        else:
            bits = code - self.single
            low, high = self.single + 1 if bits == self.least else (1 << (bits - 1)) + 1, 1 << bits
        if low == high and self.column == "depth":
            return Bucket(str(low), {"depth": low}, code)
        label = str(low) if low == high else f"{low}-{high}"
        return Bucket(label, {f"{self.column}_min": low, f"{self.column}_max": high}, code)


KINDS: tuple[WordBuckets | RangeBuckets, ...] = (
    RangeBuckets("horizon", "steps", single=0, least=3),
    RangeBuckets("depth", "depth", single=8, least=4),
    WordBuckets("type", "type", is_sorted=True),
    WordBuckets("cause", "cause"),
    WordBuckets("operation", "operation"),
    WordBuckets("suite", "suite", is_sorted=True),
    WordBuckets("ending", "status"),
)


def _natural(word: str) -> list[tuple[bool, int, str]]:
    """Return a sort key in which 2 comes before 10."""
    parts = re.findall(r"[0-9]{1,15}|[^0-9]+", word)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _outcomes(index: RunIndex) -> IntColumn:
    """Return the outcome of each row as a number; 0 if it was not judged."""
    answer, trace = (pc.fill_null(index.table[name], False).to_numpy() for name in ("answer", "trace"))
    is_judged = pc.is_valid(index.table["answer"]).to_numpy()
    return np.where(is_judged, 1 + 2 * answer + trace, 0).astype(np.int64)


def _count(codes: IntColumn, outcomes: IntColumn) -> IntColumn:
    """Count the outcomes of each code; rows with code -1 are left out."""
    known = codes >= 0
    length = int(codes.max(initial=-1)) + 1
    both = codes[known].astype(np.int64) * _OUTCOMES + outcomes[known]
    return np.bincount(both, minlength=length * _OUTCOMES).reshape(length, _OUTCOMES)


def _bucket(bucket: Bucket, filters: Filters, counts: IntColumn) -> dict[str, Any]:
    chosen = replace(filters, **bucket.filters).params
    return {"label": bucket.label, "filter": chosen, "n": int(counts.sum()), **_shares(counts)}


def _shares(counts: IntColumn) -> dict[str, Any]:
    judged = int(counts[1:].sum())
    return {"answer": _share(counts[3] + counts[4], judged), "trace": _share(counts[2] + counts[4], judged)}


def _share(some: int, n: int) -> dict[str, Any]:
    low, high = wilson(int(some), n)
    return {"some": int(some), "n": n, "low": low, "high": high}
