"""Export recorded tests in the layout that other groups use: one row per test with its trace as text.

The columns are `instance_id`, `test_id`, `affected` (the functions that the test stepped into) and `text`. Hugging Face
`datasets` loads both file types. pyarrow is imported late.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from worldline.codec.names import DEFAULT_NOTATION
from worldline.codec.notation import notation as notation_named
from worldline.core.errors import UsageError
from worldline.data.frames import MAX_FRAME_BYTES
from worldline.data.repository.dataset import read_test_traces
from worldline.storage import files, remote
from worldline.storage.remote import Folder

GROUP_ROWS = 256
GROUP_CHARACTERS = 32 << 20


@dataclass(frozen=True)
class ExportedRows:
    """How many tests were exported, and how many have no text: no trace, or none that the notation can write."""

    rows: int
    without_text: int


def export_rows(directory: str | Folder, out: str | Folder, *, notation: str = DEFAULT_NOTATION) -> ExportedRows:
    """Write the tests of a dataset as rows `instance_id, test_id, affected, text`.

    Args:
        directory: A dataset of recorded calls.
        out: The file to write, on disk or at a URL: parquet, or JSON lines if its name ends with `.jsonl`.
        notation: The notation of the texts: `compact` or `cwm`.

    Returns:
        The number of rows.

    Raises:
        UsageError: The file has another type, or the dataset holds no traces of tests.
    """
    notation_named(notation)
    path = remote.place(out)
    if path.suffix not in _WRITERS:
        raise UsageError(f"{out}: name a file that ends with {' or '.join(_WRITERS)}")
    counts = {"rows": 0, "without_text": 0}
    draft = remote.draft(path)
    try:
        _WRITERS[path.suffix](draft, _rows(directory, notation, counts))
        if not counts["rows"]:
            raise UsageError(f"{directory} holds no traces of tests that can be written in the notation {notation}")
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    return ExportedRows(**counts)


def _rows(directory: str | Folder, notation: str, counts: dict[str, int]) -> Iterator[dict[str, Any]]:
    from worldline.data.repository.tables import notation_text

    for test, trace in read_test_traces(directory):
        text = None if trace is None else notation_text(trace, notation, max_bytes=MAX_FRAME_BYTES)
        counts["without_text" if text is None else "rows"] += 1
        if text is not None:
            facts = {"instance_id": test.instance_id, "test_id": test.test_id, "affected": list(test.affected)}
            yield {**facts, "text": text}


def _write_parquet(draft: files.Draft, rows: Iterator[dict[str, Any]]) -> None:
    from worldline.storage.arrow import pa, pq

    text = pa.string()
    kinds = {"instance_id": text, "test_id": text, "affected": pa.list_(text), "text": text}
    schema = pa.schema([pa.field(name, kind) for name, kind in kinds.items()])
    with pq.ParquetWriter(draft, schema, compression="zstd", write_page_checksum=True) as writer:
        for group in _groups(rows):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows in groups that fit in memory."""
    group, characters = list[dict[str, Any]](), 0
    for row in rows:
        group.append(row)
        characters += len(row["text"])
        if len(group) >= GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _write_lines(draft: files.Draft, rows: Iterator[dict[str, Any]]) -> None:
    for row in rows:
        draft.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


_WRITERS: dict[str, Callable[[files.Draft, Iterator[dict[str, Any]]], None]] = {
    ".parquet": _write_parquet,
    ".jsonl": _write_lines,
}
