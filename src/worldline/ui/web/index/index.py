"""An index of one run's directory, made once by streaming its log: what samples are listed, found and summed by.

Texts stay on disk: a sample's line is read again, by its offset, when it is opened, and is refused where it is not the
line that was indexed. A line that is no record, a torn end or a run that is still written do not stop it: `notes` says
what is not there. What records mean is `suites`'; how samples are chosen is `filter`'s.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from worldline.core.errors import DigestError, FormatError, UsageError
from worldline.evaluation.run.directory import RECORDS, read_config
from worldline.evaluation.run.record import Record, parse
from worldline.storage import files
from worldline.ui.web.index.operations import operations
from worldline.ui.web.index.read import RunLog, scan
from worldline.ui.web.index.row import clean, number
from worldline.ui.web.index.search import SearchedTexts

SORTS = ("at", "name", "steps", "agreed", "bytes", "cause", "seconds", "depth")


@dataclass(frozen=True, kw_only=True)
class RunIndex:
    """A run: its settings, a row for each sample in the order of the suite, and the words they are searched by.

    `left_out` counts the tasks that were not asked, by kind. `operations` is whether failures have one: in an
    older run they are diagnosed, which takes milliseconds each, and is not done where there are many, nor of a trace
    that is long.
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
    written: float = 0.0  # when its log was last written: seconds since 1970
    damage: tuple[str, ...] = ()  # of the notes, those that `verify` would call findings

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """The place in the suite of each row, rising."""
        found: NDArray[np.int64] = self.table["at"].to_numpy()
        return found

    def row(self, at: int) -> int:
        """The row of the sample at a place of the suite; UsageError where there is none."""
        found = int(np.searchsorted(self.positions, at)) if 0 <= at < 1 << 62 else len(self)
        if found >= len(self) or self.positions[found] != at:
            raise UsageError(f"{self.name} has no sample {at}")
        return found

    def beside(self, at: int) -> tuple[int | None, int | None]:
        """The places of the samples before and behind one."""
        row = self.row(at)
        before = int(self.positions[row - 1]) if row else None
        return before, int(self.positions[row + 1]) if row + 1 < len(self) else None

    def order(self, sort: str) -> NDArray[np.int64]:
        """The rows in the order of a column, rising; those without a value come last, equal ones by their place."""
        if sort not in SORTS:
            raise UsageError(f"samples are sorted by one of {', '.join(SORTS)}, not {sort!r}")
        return self.orders[sort]

    def record(self, at: int) -> Record:
        """The whole record at a place of the suite, read again; an error where it is not the one that was indexed."""
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
            raise DigestError(f"{log}: sample {at} has changed since the page was opened; open it again")
        return _checked(parse(text), log, at)


def build(path: str | Path) -> RunIndex:
    """The index of a run's directory; UsageError or FormatError where it is none."""
    path = Path(path)
    with files.disk(path):
        config = read_config(path)
    suite, model = (clean(str(config.get(key, "")))[:200] or "none" for key in ("suite", "model"))
    log = scan(path, suite)
    known, why, is_none = operations(path, log.table)
    table = log.table.drop_columns(["operation"]).append_column("operation", known).combine_chunks()
    damage = _damage(log)
    notes = *damage, *_notes(log), *([why] if why else ())
    return RunIndex(
        path=path, name=clean(path.resolve().name), suite=suite, model=model, config=config, table=table,
        texts=log.texts, orders=_orders(table), left_out=log.left_out, operations=not is_none, notes=notes,
        damage=damage, written=_written(path),
    )  # fmt: skip


def _written(path: Path) -> float:
    try:
        return (path / RECORDS).stat().st_mtime
    except OSError:
        return 0.0


def _damage(log: RunLog) -> tuple[str, ...]:
    """What is wrong with a log: how many lines cannot be read, which, and why."""
    found = []
    if log.strange:
        more = log.strange - len(log.troubles)
        told = "; ".join((*log.troubles, *([f"and {more:,} more"] if more else ())))
        lines = "lines are no records" if log.strange > 1 else "line is no record"
        found.append(f"{log.strange:,} {lines} of a run: {told}")
    return (*found, log.damage) if log.damage else tuple(found)


def _notes(log: RunLog) -> tuple[str, ...]:
    """What a reader must know of a log that is not as a finished run leaves it."""
    found = []
    if log.torn:
        found.append(f"the last line is torn ({log.torn:,} bytes): it is not counted")
    if log.state:
        found.append(log.state)
    if log.texts.is_full:
        found.append(f"only the first {log.texts.limit >> 20} MiB of names, calls and sources are searched")
    return tuple(found)


def _orders(table: pa.Table) -> dict[str, NDArray[np.int64]]:
    keys = pa.table({name: _sortable(table[name]) for name in SORTS})
    rising = ("at", "ascending")
    every = {name: pc.sort_indices(keys, sort_keys=[(name, "ascending"), rising]) for name in SORTS}
    return {name: rows.to_numpy().astype(np.int64) for name, rows in every.items()}


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Words as the rank of each, which sorts faster."""
    if not pa.types.is_dictionary(column.type):
        return column
    words = column.combine_chunks().dictionary
    ranks = np.empty(len(words), dtype=np.int32)
    ranks[pc.sort_indices(words).to_numpy()] = np.arange(len(words))
    return pa.chunked_array([pc.take(pa.array(ranks), column.combine_chunks().indices)])


def _checked(record: Record, log: Path, at: int) -> Record:
    """The record, where its program is the one that it names: a changed byte of the program is seen."""
    try:
        is_same = record.at == at and record.program == record.ask.program.digest
        record.ask.prompt  # noqa: B018 - that the options are some
    except (AttributeError, TypeError, ValueError) as error:
        raise FormatError(f"{log}: sample {at} has no program that could be asked: {error}") from None
    if not is_same:
        raise DigestError(f"{log}: the program of sample {at} is not the one that its record names")
    return record
