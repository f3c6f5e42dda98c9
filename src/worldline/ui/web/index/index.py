"""The index of one run's directory, made once by streaming its log.

Texts stay on disk. A sample's line is read again by its offset when it is opened, and refused if it has changed.
Lines that are not records, a torn end, or a run that is still being written are reported in `notes`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import DigestError, FormatError, UsageError
from worldline.evaluation.run.directory import RECORDS, read_config
from worldline.evaluation.run.record import Record, parse
from worldline.storage import files
from worldline.storage.arrow import pa, pc
from worldline.ui.web.index.operations import operations
from worldline.ui.web.index.read import RunLog, scan
from worldline.ui.web.index.row import clean, number
from worldline.ui.web.index.search import SearchedTexts

SORTS = ("at", "name", "steps", "agreed", "bytes", "cause", "seconds", "depth")


@dataclass(frozen=True, kw_only=True)
class RunIndex:
    """A run: its settings, one row per sample in the order of the suite, and the texts that are searched.

    `left_out` counts the tasks that were not predicted, by kind. `operations` tells whether failures have one: in an
    older run they must be diagnosed, which is not done if there are many or their traces are long. `damage` are the
    notes that `verify` would report. `written` is when the log was last written, in seconds since 1970.
    """

    path: Path
    name: str
    suite: str
    model: str
    config: Mapping[str, Any]
    table: pa.Table
    texts: SearchedTexts
    orders: Mapping[str, NDArray[np.int64]]
    left_out: Mapping[str, int]
    operations: bool
    notes: tuple[str, ...] = ()
    written: float = 0.0
    damage: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """The position in the suite of each row, ascending."""
        positions: NDArray[np.int64] = self.table["at"].to_numpy()
        return positions

    def row(self, at: int) -> int:
        """Return the row of the sample at a position of the suite.

        Raises:
            UsageError: There is no such sample.
        """
        row = int(np.searchsorted(self.positions, at)) if 0 <= at < 1 << 62 else len(self)
        if row >= len(self) or self.positions[row] != at:
            raise UsageError(f"{self.name} has no sample {at}")
        return row

    def neighbours(self, at: int) -> tuple[int | None, int | None]:
        """Return the positions of the samples before and after one."""
        row = self.row(at)
        before = int(self.positions[row - 1]) if row else None
        return before, int(self.positions[row + 1]) if row + 1 < len(self) else None

    def order(self, sort: str) -> NDArray[np.int64]:
        """Return the rows sorted by a column, ascending; rows without a value come last."""
        if sort not in SORTS:
            raise UsageError(f"samples can be sorted by {', '.join(SORTS)}, not by {sort!r}")
        return self.orders[sort]

    def record(self, at: int) -> Record:
        """Read the whole record at a position of the suite.

        Raises:
            DigestError: The record has changed since it was indexed.
            FormatError: It is not a valid record.
        """
        row = self.row(at)
        start, size = self.table["offset"][row].as_py(), self.table["length"][row].as_py()
        log = self.path / RECORDS
        with files.disk(log):
            file = files.open_regular(log)
            if file is None:
                raise FormatError(f"{log} is not a file")
            with file:
                text = os.pread(file.fileno(), size, start)
        if number(text) != self.table["digest"][row].as_py():
            raise DigestError(f"{log}: sample {at} has changed since the page was opened: start `view` again")
        return _checked(parse(text), log, at)


def build(path: str | Path) -> RunIndex:
    """Index a run's directory.

    Raises:
        UsageError, FormatError: The directory is not a run.
    """
    path = Path(path)
    with files.disk(path):
        config = read_config(path)
    suite, model = (clean(str(config.get(key, "")))[:200] or "none" for key in ("suite", "model"))
    log = scan(path, suite)
    known, note, are_missing = operations(path, log.table)
    table = log.table.drop_columns(["operation"]).append_column("operation", known).combine_chunks()
    damage = _damage(log)
    return RunIndex(
        path=path,
        name=clean(path.resolve().name),
        suite=suite,
        model=model,
        config=config,
        table=table,
        texts=log.texts,
        orders=_orders(table),
        left_out=log.left_out,
        operations=not are_missing,
        notes=(*damage, *_notes(log), *([note] if note else ())),
        damage=damage,
        written=_written(path),
    )


def _written(path: Path) -> float:
    try:
        return (path / RECORDS).stat().st_mtime
    except OSError:
        return 0.0


def _damage(log: RunLog) -> tuple[str, ...]:
    damage = [log.damage] if log.damage else []
    if log.unreadable:
        more = log.unreadable - len(log.reasons)
        reasons = "; ".join((*log.reasons, *([f"and {more:,} more"] if more else ())))
        lines = "lines are not records" if log.unreadable > 1 else "line is not a record"
        damage.insert(0, f"{log.unreadable:,} {lines}: {reasons}")
    return tuple(damage)


def _notes(log: RunLog) -> tuple[str, ...]:
    notes = []
    if log.torn:
        notes.append(f"the last line is torn ({log.torn:,} bytes) and not counted")
    if log.state:
        notes.append(log.state)
    if log.texts.is_full:
        notes.append(f"only the first {log.texts.limit >> 20} MiB of names, calls and sources are searched")
    return tuple(notes)


def _orders(table: pa.Table) -> dict[str, NDArray[np.int64]]:
    keys = pa.table({name: _sortable(table[name]) for name in SORTS})
    orders = {}
    for name in SORTS:
        rows = pc.sort_indices(keys, sort_keys=[(name, "ascending"), ("at", "ascending")])
        orders[name] = rows.to_numpy().astype(np.int64)
    return orders


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the ranks of words, which sort faster than the words."""
    if not pa.types.is_dictionary(column.type):
        return column
    words = column.combine_chunks().dictionary
    ranks = np.empty(len(words), dtype=np.int32)
    ranks[pc.sort_indices(words).to_numpy()] = np.arange(len(words))
    return pa.chunked_array([pc.take(pa.array(ranks), column.combine_chunks().indices)])


def _checked(record: Record, log: Path, at: int) -> Record:
    """Return the record if its program has the digest that the record names."""
    try:
        is_same = record.at == at and record.program == record.ask.program.digest
        record.ask.prompt  # noqa: B018 - raises if the options are not valid
    except (AttributeError, TypeError, ValueError) as error:
        raise FormatError(f"{log}: sample {at} has no valid program: {error}") from None
    if not is_same:
        raise DigestError(f"{log}: the program of sample {at} does not match its digest")
    return record
