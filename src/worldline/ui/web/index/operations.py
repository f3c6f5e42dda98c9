"""The operation that each failure is about: as its record says or, of an older run, diagnosed again.

Diagnosing is for runs with few failures; long traces are left out.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from worldline.core.errors import WorldlineError
from worldline.core.fault import RowFault, call_or_fault
from worldline.diagnose.diagnosis import cause
from worldline.evaluation.run.directory import RECORDS
from worldline.evaluation.run.record import parse
from worldline.storage import files
from worldline.ui.web.index.read import WORD
from worldline.ui.web.index.row import NONE, RIGHT, listed, number

FAILURES = 2_000  # failures of a run that are diagnosed
TEXTS = 2 << 20  # bytes of their texts: some seconds
LONG = 128 << 10  # bytes of both texts of a failure that is left out: some tenths of a second


def operations(path: Path, table: pa.Table) -> tuple[pa.Array, str, bool]:
    """A column with each failure's operation (none: it is about no one), what is left out, and whether that is all."""
    known = table["operation"].combine_chunks().cast(pa.string())
    failed = pc.and_(pc.not_equal(table["cause"], RIGHT), pc.is_valid(table["answer"])).combine_chunks()
    unknown = pc.and_(failed, pc.is_null(known))
    sizes = pc.add(pc.fill_null(table["size"], 0), pc.fill_null(table["bytes"], 0)).combine_chunks()
    short = pc.and_(unknown, pc.less_equal(sizes, LONG))
    some, texts = table.filter(short), pc.sum(sizes.filter(short)).as_py() or 0
    is_none = known.null_count == len(known)
    if len(some) > FAILURES or texts > TEXTS:
        told = f"{len(some):,} failures with {texts / 1e6:,.1f} MB of traces"
        return known.cast(WORD), f"operations are not diagnosed: {told} are too many", is_none
    with files.disk(path / RECORDS):
        file = files.open_regular(path / RECORDS)
        if file is None:
            return known.cast(WORD), f"operations are not diagnosed: {RECORDS} is gone", is_none
        with file:
            rows = some.select(["offset", "length", "digest"]).to_pylist()
            found = [_operation(file.fileno(), **row) for row in rows]
    column = pc.replace_with_mask(known, short, pa.array(found, pa.string()))
    long = (pc.sum(unknown).as_py() or 0) - len(some)
    why = (
        f"operations are not diagnosed of {long:,} failures with traces over {LONG >> 10} KB" if long else ""
    )
    return column.dictionary_encode().cast(WORD), why, bool(long) and is_none and not found


def _operation(fd: int, offset: int, length: int, digest: int) -> str:
    """The operation of one failure; a sample that cannot be read is about none."""
    text = os.pread(fd, length, offset)
    if number(text) != digest:
        return NONE
    try:
        found = call_or_fault(lambda: listed(cause(parse(text).sample()).operation or NONE))
    except WorldlineError:
        return NONE
    return NONE if isinstance(found, RowFault) else found
