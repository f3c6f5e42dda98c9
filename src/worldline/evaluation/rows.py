"""Reads the files that benchmarks ship and checks their keys: JSON lines, plain or gzipped, JSON or Parquet."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.storage.inputs import open_input, read_input, unpack

_PARQUET = b"PAR1"  # how these files start


def read_text(path: str | Path) -> str:
    """Read the text of a file, gzipped or not."""
    try:
        return unpack(read_input(path)).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as JSON lines: {error}") from None


def read_rows(path: str | Path, keys: Sequence[str]) -> list[dict[str, str]]:
    """Read the rows of a file; a number in place of a text is converted.

    Args:
        path: JSON lines, a JSON list of objects, or Parquet.
        keys: The texts that every row has. Other columns are ignored.

    Returns:
        The keys of each row.

    Raises:
        UsageError: The file cannot be read, or a row is not JSON or lacks one of `keys`.
    """
    return [{key: str(row[key]) for key in keys} for _, row in read_objects(path, keys)]


def read_objects(path: str | Path, keys: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Read the rows of a file as they are, each with its place for messages.

    Raises:
        UsageError: The file cannot be read, or a row is not JSON or lacks a text or number under one of `keys`.
    """
    records = list(_parquet(path, keys) if _is_parquet(path) else _json(path))
    for place, row in records:
        missing = [key for key in keys if not isinstance(row, dict) or not isinstance(row.get(key), str | int)]
        if missing:
            raise UsageError(f"{path}, {place} has no {', '.join(missing)}")
    if not records:
        raise UsageError(f"{path} has no rows")
    return records


def _json(path: str | Path) -> Iterator[tuple[str, Any]]:
    text = read_text(path)
    if rows := _list(text):
        yield from ((f"row {number}", row) for number, row in enumerate(rows, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", parse_external_json(line)
            except ValueError as error:
                raise UsageError(f"{path}, line {number} is not JSON: {error}") from None


def _list(text: str) -> list[Any]:
    """The items of a text that is one JSON list; nothing if it is anything else."""
    if not text.lstrip().startswith("["):
        return []
    try:
        rows = parse_external_json(text)
    except ValueError:
        return []
    return rows if isinstance(rows, list) else []


def _is_parquet(path: str | Path) -> bool:
    try:
        with open_input(path) as file:
            return file.read(len(_PARQUET)) == _PARQUET
    except OSError:
        return False


def _parquet(path: str | Path, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
    from worldline.storage.arrow import pa, pq

    try:
        file = pq.ParquetFile(path)
        rows = file.read(columns=[key for key in keys if key in file.schema_arrow.names]).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path} cannot be read as Parquet: {error}") from None
    yield from ((f"row {number}", row) for number, row in enumerate(rows, 1))
