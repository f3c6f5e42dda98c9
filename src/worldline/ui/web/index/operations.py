"""The operation of each failure: from its record or, in an older run with few failures, diagnosed again."""

from __future__ import annotations

import os
from pathlib import Path

from worldline.core.errors import WorldlineError
from worldline.core.fault import RowFault, call_or_fault
from worldline.diagnose.diagnosis import cause
from worldline.evaluation.run.directory import RECORDS
from worldline.evaluation.run.record import parse
from worldline.storage import files
from worldline.storage.arrow import pa, pc
from worldline.ui.web.index.read import WORD
from worldline.ui.web.index.row import NONE, RIGHT, listed, number

MAX_FAILURES = 2_000  # to diagnose in one run
MAX_TOTAL_BYTES = 2 << 20  # of their texts: a few seconds
MAX_TRACE_BYTES = 128 << 10  # of both texts of one failure: some tenths of a second


def operations(path: Path, table: pa.Table) -> tuple[pa.Array, str, bool]:
    """Find the operation of each failure.

    Returns:
        The column of operations, a note on failures that were not diagnosed, and whether no operation is known.
    """
    known = table["operation"].combine_chunks().cast(pa.string())
    failed = pc.and_(pc.not_equal(table["cause"], RIGHT), pc.is_valid(table["answer"])).combine_chunks()
    unknown = pc.and_(failed, pc.is_null(known))
    sizes = pc.add(pc.fill_null(table["size"], 0), pc.fill_null(table["bytes"], 0)).combine_chunks()
    short = pc.and_(unknown, pc.less_equal(sizes, MAX_TRACE_BYTES))
    some, texts = table.filter(short), pc.sum(sizes.filter(short)).as_py() or 0
    are_missing = known.null_count == len(known)
    if len(some) > MAX_FAILURES or texts > MAX_TOTAL_BYTES:
        size = f"{len(some):,} failures with {texts / 1e6:,.1f} MB of traces"
        return known.cast(WORD), f"operations are not diagnosed: {size} are too many", are_missing
    with files.disk(path / RECORDS):
        file = files.open_regular(path / RECORDS)
        if file is None:
            return known.cast(WORD), f"operations are not diagnosed: {RECORDS} is missing", are_missing
        with file:
            rows = some.select(["offset", "length", "digest"]).to_pylist()
            diagnosed = [_operation(file.fileno(), **row) for row in rows]
    column = pc.replace_with_mask(known, short, pa.array(diagnosed, pa.string()))
    long = (pc.sum(unknown).as_py() or 0) - len(some)
    size = f"{long:,} failures with traces over {MAX_TRACE_BYTES >> 10} KB"
    note = f"operations are not diagnosed of {size}" if long else ""
    return column.dictionary_encode().cast(WORD), note, bool(long) and are_missing and not diagnosed


def _operation(fd: int, offset: int, length: int, digest: int) -> str:
    text = os.pread(fd, length, offset)
    if number(text) != digest:
        return NONE
    try:
        operation = call_or_fault(lambda: listed(cause(parse(text).sample()).operation or NONE))
    except WorldlineError:
        return NONE
    return NONE if isinstance(operation, RowFault) else operation
