"""A run in figures: how many answers and traces are right, in all and by what samples are like.

Each bucket says which filters choose exactly its samples, so that a figure leads to them. Its `n` counts all of them;
a share counts those that were judged: a fault of the tool is in no rate. A kind's buckets are counted as if nothing of
that kind were chosen, so that who has chosen one sees what else there is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from worldline.core.stats import wilson
from worldline.ui.web.flips import flips
from worldline.ui.web.index.filter import Filters, select
from worldline.ui.web.index.index import RunIndex

BUCKETS = 60  # of one kind that are shown; `more` says how many are not
_OUTCOMES = 5  # not judged, then answer and trace: wrong wrong, wrong right, right wrong, right right
Numbers = NDArray[np.int64]


def overview(index: RunIndex, filters: Filters, other: RunIndex | None = None) -> dict[str, Any]:
    """The figures of the chosen samples; with `other`, the flips to it.

    A bucket's filters include these ones, but those of its own kind; where `flip` is among them, `other` must be given
    with them. Of a kind with very many buckets the largest are there, and `more` says how many are not; `of` says how
    many samples a kind's buckets are counted among.
    """
    rows, every = select(index, filters, other), _outcomes(index)

    def without(own: tuple[str, ...]) -> tuple[Filters, NDArray[np.bool_]]:
        freed = replace(filters, **dict.fromkeys(own))
        return freed, rows if freed == filters else select(index, freed, other)

    by, more, of = dict[str, list[dict[str, Any]]](), dict[str, int](), dict[str, int]()
    for kind in KINDS:
        freed, among = without(kind.own)
        counts = _counted(kind.codes(index)[among], every[among])
        largest = np.argsort(-counts.sum(axis=1), kind="stable")[: np.count_nonzero(counts.sum(axis=1))]
        found = [(kind.bucket(index, int(code)), counts[code]) for code in largest[:BUCKETS]]
        ranked = sorted(found, key=lambda pair: pair[0].rank)
        by[kind.name] = [_bucket(bucket, freed, counted) for bucket, counted in ranked]
        more |= {kind.name: len(largest) - BUCKETS} if len(largest) > BUCKETS else {}
        of[kind.name] = int(among.sum())
    shares = _shares(np.bincount(every[rows], minlength=_OUTCOMES))
    compared = flips(index, other, without(("flip",))[1]) if other is not None else None
    told = {"by": by, "more": more, "of": of, "flips": compared, "notes": list(index.notes)}
    return {"n": int(rows.sum()), **shares, **told}


@dataclass(frozen=True)
class Bucket:
    """What one bucket is of: its label, the filters that choose it, and where it stands among the others."""

    label: str
    filters: dict[str, Any]
    rank: Any = 0


@dataclass(frozen=True)
class WordBuckets:
    """Buckets by the words of a column: the commonest first, or in the order of the words and numbers in them."""

    name: str
    column: str
    is_sorted: bool = False

    @property
    def own(self) -> tuple[str, ...]:
        """The filters that choose such a bucket."""
        return (self.name,)

    def codes(self, index: RunIndex) -> Numbers:
        """The number of each row's word; -1 where it has none."""
        found: Numbers = pc.fill_null(index.table[self.column].combine_chunks().indices, -1).to_numpy()
        return found

    def bucket(self, index: RunIndex, code: int) -> Bucket:
        """The bucket of a word."""
        word = index.table[self.column].chunk(0).dictionary[code].as_py()
        return Bucket(word, {self.name: word}, _natural(word) if self.is_sorted else 0)


@dataclass(frozen=True)
class RangeBuckets:
    """Buckets of a number that is at least 0: by powers of two, and each of the first `single` ones by itself."""

    name: str
    column: str
    single: int
    least: int

    @property
    def own(self) -> tuple[str, ...]:
        """The filters that choose such a bucket."""
        bounds = f"{self.column}_min", f"{self.column}_max"
        return ("depth", *bounds) if self.column == "depth" else bounds

    def codes(self, index: RunIndex) -> Numbers:
        """The bucket of each row's number; -1 where it is not known."""
        values = pc.fill_null(index.table[self.column], -1).to_numpy()
        # How many bits it takes to write value - 1.
        _, bits = np.frexp(np.maximum(values - 1, 0).astype(np.float64))
        powers = self.single + np.maximum(bits, self.least)
        found: Numbers = np.where(values <= self.single, values, powers).astype(np.int64)
        return found

    def bucket(self, index: RunIndex, code: int) -> Bucket:
        """The bucket of a number: its bounds."""
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
    """Words so that numbers in them count as numbers: 2 before 10."""
    parts = re.findall(r"[0-9]{1,15}|[^0-9]+", word)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _outcomes(index: RunIndex) -> Numbers:
    """How each row came out, as a number: 0 where it was not judged."""
    answer, trace = (pc.fill_null(index.table[name], False).to_numpy() for name in ("answer", "trace"))
    is_judged = pc.is_valid(index.table["answer"]).to_numpy()
    return np.where(is_judged, 1 + 2 * answer + trace, 0).astype(np.int64)


def _counted(codes: Numbers, outcomes: Numbers) -> Numbers:
    """How many of each outcome each code has; a code of -1 is none."""
    known = codes >= 0
    length = int(codes.max(initial=-1)) + 1
    both = codes[known].astype(np.int64) * _OUTCOMES + outcomes[known]
    return np.bincount(both, minlength=length * _OUTCOMES).reshape(length, _OUTCOMES)


def _bucket(bucket: Bucket, filters: Filters, counts: Numbers) -> dict[str, Any]:
    chosen = replace(filters, **bucket.filters).params
    return {"label": bucket.label, "filter": chosen, "n": int(counts.sum()), **_shares(counts)}


def _shares(counts: Numbers) -> dict[str, Any]:
    judged = int(counts[1:].sum())
    return {"answer": _share(counts[3] + counts[4], judged), "trace": _share(counts[2] + counts[4], judged)}


def _share(some: int, n: int) -> dict[str, Any]:
    low, high = wilson(int(some), n)
    return {"some": int(some), "n": n, "low": low, "high": high}
