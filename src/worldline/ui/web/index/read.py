"""A run's log, streamed once into a table: a row for each sample, the newest record of a task alone.

Memory holds the columns and the words that are searched, one line at a time, and no text of a trace. No line is
trusted: one that is too long or no record is counted and passed over.
"""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from worldline.core.errors import DiskError, FormatError, UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.evaluation.run.directory import MANIFEST, RECORDS, listed
from worldline.storage import files
from worldline.storage.listing import Listed
from worldline.ui.web.index.row import IndexRow, row
from worldline.ui.web.index.search import SearchedTexts

LONGEST = 128 << 20  # bytes of a line
TOLD = 20  # lines that are no records, of which it is told why
SEARCHED = 256 << 20  # bytes of words and sources
BATCH = 1 << 14  # rows that are gathered before they become columns
WORD = pa.dictionary(pa.int32(), pa.string())
COLUMNS: dict[str, pa.DataType] = {
    "at": pa.int64(), "kind": WORD, "offset": pa.int64(), "length": pa.int64(), "digest": pa.int64(),
    "program": pa.int64(), "name": WORD, "call": pa.string(), "suite": WORD, "status": WORD, "cause": WORD,
    "type": WORD, "answer": pa.bool_(), "trace": pa.bool_(), "steps": pa.int64(), "agreed": pa.int64(),
    "bytes": pa.int64(), "depth": pa.int64(), "seconds": pa.float64(), "size": pa.int64(), "words": pa.int32(),
    "source": pa.int32(), "operation": WORD,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RunLog:
    """What a log holds. `strange` lines are no records; `troubles` say which and why; `torn` bytes end it.

    `damage` is what `verify` would find wrong with the whole.
    """

    table: pa.Table
    texts: SearchedTexts
    left_out: Mapping[str, int]
    strange: int
    troubles: tuple[str, ...]
    torn: int
    state: str
    damage: str


def scan(path: Path, suite: str) -> RunLog:
    """The log of a run of one suite."""
    with files.disk(path / RECORDS):
        file = files.open_regular(path / RECORDS)
        if file is None:
            raise UsageError(f"{path} is no run: {RECORDS} is not a plain file")
        with file, io.BufferedReader(file, files.CHUNK) as stored:
            return _Scan(stored, suite, *_manifest(path)).log(is_locked=files.locked(path))


class _Scan:
    """One pass over a log: the lines one by one, their rows, batches of columns."""

    def __init__(self, stored: io.BufferedIOBase, suite: str, wanted: Listed | None, damage: str) -> None:
        self._stored, self._suite, self._wanted, self._damage = stored, suite, wanted, damage
        self._texts, self._hasher = SearchedTexts(limit=SEARCHED), hashlib.sha256()
        self._size, self._torn, self._strange, self._troubles = 0, 0, 0, list[str]()
        self._is_covered: bool | None = None  # whether the log begins as the manifest says

    def log(self, *, is_locked: bool) -> RunLog:
        """Everything."""
        batches, rows = list[pa.RecordBatch](), list[dict[str, Any]]()
        for one in self._rows():
            rows.append(one)
            if len(rows) == BATCH:
                batches.append(_batch(rows))
                rows.clear()
        table = _newest(pa.Table.from_batches([*batches, _batch(rows)]).unify_dictionaries())
        self._texts.seal()
        asked = table["kind"].combine_chunks().cast(pa.string()).to_numpy(zero_copy_only=False) == "asked"
        kinds = Counter(table["kind"].to_pylist())
        left_out = {kind: kinds[kind] for kind in ("skipped", "disagrees")}
        if self._wanted is not None and not self._is_covered:
            self._damage = f"{RECORDS} is not what {MANIFEST} says: bytes have changed since the run was made"
        return RunLog(
            table=table.filter(pa.array(asked, pa.bool_())), texts=self._texts, left_out=left_out,
            strange=self._strange, troubles=tuple(self._troubles), torn=self._torn, state=self._state(is_locked),
            damage="" if is_locked else self._damage,
        )  # fmt: skip

    def _rows(self) -> Iterator[dict[str, Any]]:
        for count, (offset, text) in enumerate(self._lines(), 1):
            try:
                if text is None:
                    raise FormatError(f"longer than {LONGEST:,} bytes")
                one = call_or_fault(self._row, text, offset)
                if isinstance(one, RowFault):
                    raise FormatError(one.note)
                yield one
            except FormatError as error:
                self._strange += 1
                if len(self._troubles) < TOLD:
                    self._troubles.append(f"line {count:,}: {error}")

    def _row(self, text: bytes, offset: int) -> dict[str, Any]:
        return self._columns(row(text), offset, len(text))

    def _lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Each whole line with its offset; None for one that is too long."""
        while text := self._stored.readline(LONGEST):
            offset, is_long = self._size, False
            self._took(text)
            while not text.endswith(b"\n") and (text := self._stored.readline(LONGEST)):
                is_long = True
                self._took(text)
            if not text.endswith(b"\n"):
                self._torn = self._size - offset
                return
            yield offset, None if is_long else text

    def _took(self, text: bytes) -> None:
        self._size += len(text)
        self._hasher.update(text)
        if self._wanted is not None and self._size == self._wanted.size:
            self._is_covered = self._hasher.hexdigest() == self._wanted.sha256

    def _columns(self, one: IndexRow, offset: int, length: int) -> dict[str, Any]:
        suite = f"{self._suite}/{one.group}" if one.group else self._suite
        found = {name: getattr(one, name) for name in COLUMNS if hasattr(one, name)}
        found |= {"offset": offset, "length": length, "suite": suite, "words": -1, "source": -1}
        if one.kind == "asked":
            found |= {"words": self._texts.add(one.words), "source": self._texts.add(one.source)}
        return found

    def _state(self, is_locked: bool) -> str:
        if is_locked:
            return "the run is still being written: the page shows what was there when it was opened"
        if self._wanted is None and not self._damage:
            return "the run is not through: it has no manifest"
        return ""


def _manifest(path: Path) -> tuple[Listed | None, str]:
    """The size and digest that a finished run has for its log, None without a manifest; and what is wrong with that."""
    try:
        return listed(path).get(RECORDS), ""
    except (DiskError, FormatError) as error:
        return None, str(error).replace(f"{path}/", "")


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    arrays = [pa.array([one[name] for one in rows], kind) for name, kind in COLUMNS.items()]
    return pa.RecordBatch.from_arrays(arrays, names=list(COLUMNS))


def _newest(table: pa.Table) -> pa.Table:
    """The last row of each place, in the order of the places."""
    places = table["at"].to_numpy()
    _, behind = np.unique(places[::-1], return_index=True)  # the first from behind is the newest
    return table.take(pa.array(len(places) - 1 - behind)).combine_chunks()
