"""Streams a run's log into a table with one row per sample: the newest record of each task.

Memory holds the columns and the texts that are searched, not the traces. A line that is too long or not a record is
counted and skipped.
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

from worldline.core.errors import DiskError, FormatError, UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.evaluation.run.directory import MANIFEST, RECORDS, listed
from worldline.storage import files
from worldline.storage.arrow import pa
from worldline.storage.listing import Listed
from worldline.ui.web.index.row import IndexRow, row
from worldline.ui.web.index.search import SearchedTexts

MAX_LINE_BYTES = 128 << 20
MAX_REPORTED = 20  # unreadable lines that are reported with their reason
MAX_SEARCHED_BYTES = 256 << 20
BATCH_ROWS = 1 << 14  # rows that are collected before they become columns
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
    """The contents of a log.

    `unreadable` counts the lines that are not records, `reasons` names the first of them, and `torn` counts the bytes
    of an incomplete last line. `damage` is what `verify` would report about the file.
    """

    table: pa.Table
    texts: SearchedTexts
    left_out: Mapping[str, int]
    unreadable: int
    reasons: tuple[str, ...]
    torn: int
    state: str
    damage: str


def scan(path: Path, suite: str) -> RunLog:
    """Read the log of a run.

    Raises:
        UsageError: The directory has no log.
    """
    with files.disk(path / RECORDS):
        file = files.open_regular(path / RECORDS)
        if file is None:
            raise UsageError(f"{path} is not a run: {RECORDS} is not a plain file")
        with file, io.BufferedReader(file, files.CHUNK) as stored:
            return _Scan(stored, suite, *_manifest(path)).log(is_locked=files.locked(path))


class _Scan:
    """One pass over a log."""

    def __init__(self, stored: io.BufferedIOBase, suite: str, wanted: Listed | None, damage: str) -> None:
        self._stored, self._suite, self._wanted, self._damage = stored, suite, wanted, damage
        self._texts, self._hasher = SearchedTexts(limit=MAX_SEARCHED_BYTES), hashlib.sha256()
        self._size, self._torn, self._unreadable, self._reasons = 0, 0, 0, list[str]()
        self._is_intact: bool | None = None  # whether the log starts with the bytes of the manifest

    def log(self, *, is_locked: bool) -> RunLog:
        """Read everything."""
        batches, rows = list[pa.RecordBatch](), list[dict[str, Any]]()
        for columns in self._rows():
            rows.append(columns)
            if len(rows) == BATCH_ROWS:
                batches.append(_batch(rows))
                rows.clear()
        table = _newest(pa.Table.from_batches([*batches, _batch(rows)]).unify_dictionaries())
        self._texts.seal()
        kind = table["kind"].combine_chunks().cast(pa.string())
        predicted = kind.to_numpy(zero_copy_only=False) == "asked"
        kinds = Counter(kind.to_pylist())
        if self._wanted is not None and not self._is_intact:
            self._damage = f"{RECORDS} does not match {MANIFEST}: bytes have changed since the run was made"
        return RunLog(
            table=table.filter(pa.array(predicted, pa.bool_())),
            texts=self._texts,
            left_out={kind: kinds[kind] for kind in ("skipped", "disagrees")},
            unreadable=self._unreadable,
            reasons=tuple(self._reasons),
            torn=self._torn,
            state=self._state(is_locked),
            damage="" if is_locked else self._damage,
        )

    def _rows(self) -> Iterator[dict[str, Any]]:
        for count, (offset, text) in enumerate(self._lines(), 1):
            try:
                if text is None:
                    raise FormatError(f"longer than {MAX_LINE_BYTES:,} bytes")
                columns = call_or_fault(self._row, text, offset)
                if isinstance(columns, RowFault):
                    raise FormatError(columns.note)
                yield columns
            except FormatError as error:
                self._unreadable += 1
                if len(self._reasons) < MAX_REPORTED:
                    self._reasons.append(f"line {count:,}: {error}")

    def _row(self, text: bytes, offset: int) -> dict[str, Any]:
        return self._columns(row(text), offset, len(text))

    def _lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Yield each complete line with its offset; None for one that is too long."""
        while text := self._stored.readline(MAX_LINE_BYTES):
            offset, is_long = self._size, False
            self._count(text)
            while not text.endswith(b"\n") and (text := self._stored.readline(MAX_LINE_BYTES)):
                is_long = True
                self._count(text)
            if not text.endswith(b"\n"):
                self._torn = self._size - offset
                return
            yield offset, None if is_long else text

    def _count(self, text: bytes) -> None:
        self._size += len(text)
        self._hasher.update(text)
        if self._wanted is not None and self._size == self._wanted.size:
            self._is_intact = self._hasher.hexdigest() == self._wanted.sha256

    def _columns(self, record: IndexRow, offset: int, length: int) -> dict[str, Any]:
        suite = f"{self._suite}/{record.group}" if record.group else self._suite
        columns = {name: getattr(record, name) for name in COLUMNS if hasattr(record, name)}
        columns |= {"offset": offset, "length": length, "suite": suite, "words": -1, "source": -1}
        if record.kind == "asked":
            columns |= {"words": self._texts.add(record.words), "source": self._texts.add(record.source)}
        return columns

    def _state(self, is_locked: bool) -> str:
        if is_locked:
            return "the run is still being written: the page shows its state when it was opened"
        if self._wanted is None and not self._damage:
            return "the run is not complete: it has no manifest"
        return ""


def _manifest(path: Path) -> tuple[Listed | None, str]:
    """Return the manifest's entry of the log, None without a manifest, and what is wrong with the manifest."""
    try:
        return listed(path).get(RECORDS), ""
    except (DiskError, FormatError) as error:
        return None, str(error).replace(f"{path}/", "")


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    arrays = [pa.array([columns[name] for columns in rows], kind) for name, kind in COLUMNS.items()]
    return pa.RecordBatch.from_arrays(arrays, names=list(COLUMNS))


def _newest(table: pa.Table) -> pa.Table:
    """Return the last row of each position, sorted by position."""
    positions = table["at"].to_numpy()
    _, from_end = np.unique(positions[::-1], return_index=True)
    return table.take(pa.array(len(positions) - 1 - from_end)).combine_chunks()
