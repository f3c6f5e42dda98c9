"""Load traces from a `--json` file or from a directory that `record -o` wrote."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from worldline.codec import json_text
from worldline.core.errors import FormatError, UsageError
from worldline.core.trace import Trace
from worldline.data import shards
from worldline.storage.remote import Folder, place


def load(path: str | Folder, *, number: int = 0) -> Trace:
    """Load one stored trace.

    Args:
        path: File or directory.
        number: Number of the trace in a directory, from 0.

    Returns:
        The trace.

    Raises:
        UsageError: There is no such trace.
    """
    for trace in itertools.islice(load_all(path), number, None):
        return trace
    raise UsageError(f"{path} has no trace number {number}")


def load_all(path: str | Folder) -> Iterator[Trace]:
    """Load every trace at a path, in the order they were written."""
    path = place(path)
    if path.is_dir():
        yield from shards.read(path)
        return
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    try:
        yield json_text.parse(data)
    except FormatError as error:
        raise FormatError(f"{path} is {error}") from None
