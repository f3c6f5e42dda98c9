"""The operation that each failure is about: diagnosed again, of runs with few failures; all of them or none."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from worldline import files
from worldline.bench.run_dir import RECORDS
from worldline.bench.run_record import parse
from worldline.diagnose.cause import cause
from worldline.errors import WorldlineError
from worldline.page.index_read import WORD
from worldline.page.index_row import NONE, RIGHT, number, shown

FAILURES = 2_000  # failures of a run that are diagnosed
TEXTS = 2 << 20  # bytes of their texts: some seconds


def operations(path: Path, table: pa.Table) -> tuple[pa.Array, str]:
    """A column with each failure's operation (none: it is about no one), and why there is none of any failure."""
    failed = pc.and_(pc.not_equal(table["cause"], RIGHT), pc.is_valid(table["answer"]))
    some = table.filter(failed).select(["offset", "length", "size", "bytes", "digest"])
    texts = (pc.sum(some["size"]).as_py() or 0) + (pc.sum(some["bytes"]).as_py() or 0)
    nothing = pa.nulls(table.num_rows, pa.string())
    if len(some) > FAILURES or texts > TEXTS:
        told = f"{len(some):,} failures with {texts / 1e6:,.1f} MB of traces"
        return nothing.cast(WORD), f"operations are not diagnosed: {told} are too many"
    with files.disk(path / RECORDS):
        file = files.open_regular(path / RECORDS)
        if file is None:
            return nothing.cast(WORD), f"operations are not diagnosed: {RECORDS} is gone"
        with file:
            found = [_operation(file.fileno(), *row.values()) for row in some.to_pylist()]
    column = pc.replace_with_mask(nothing, failed.combine_chunks(), pa.array(found, pa.string()))
    return column.dictionary_encode().cast(WORD), ""


def _operation(fd: int, offset: int, length: int, size: int, written: int, digest: int) -> str:
    """The operation of one failure; a sample that cannot be read is about none."""
    text = os.pread(fd, length, offset)
    if number(text) != digest:
        return NONE
    try:
        return shown(cause(parse(text).sample()).operation or NONE)
    except (WorldlineError, AttributeError, TypeError, ValueError):
        return NONE
