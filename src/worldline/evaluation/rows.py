"""Reads the JSON lines files that benchmarks ship, plain or gzipped, and checks their keys."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json


def read_text(path: str | Path) -> str:
    """Read the text of a file, gzipped or not."""
    try:
        data = Path(path).read_bytes()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as JSON lines: {error}") from None


def read_rows(path: str | Path, keys: Sequence[str]) -> list[dict[str, str]]:
    """Read the rows of a file; a number in place of a text is converted.

    Raises:
        UsageError: A row is not JSON or lacks one of `keys`.
    """
    lines = enumerate(read_text(path).split("\n"), 1)
    rows = [_row(path, n, line, keys) for n, line in lines if line.strip()]
    if not rows:
        raise UsageError(f"{path} has no rows")
    return rows


def _row(path: str | Path, number: int, line: str, keys: Sequence[str]) -> dict[str, str]:
    try:
        row = parse_external_json(line)
    except ValueError as error:
        raise UsageError(f"{path}, line {number} is not JSON: {error}") from None
    missing = [key for key in keys if not isinstance(row, dict) or not isinstance(row.get(key), str | int)]
    if missing:
        raise UsageError(f"{path}, line {number} has no {', '.join(missing)}")
    return {key: str(row[key]) for key in keys}
