"""Store traces and load them: a `--json` file, or a directory that `store` or `record -o` wrote.

A directory of recorded calls (`record --pytest`) is loaded as the traces of its calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from worldline.codec import json_text
from worldline.core.errors import FormatError, UsageError
from worldline.core.trace import Trace
from worldline.data import shards
from worldline.data.manifest import fingerprint
from worldline.data.repository.dataset import is_calls, read_traces
from worldline.storage.inputs import read_input
from worldline.storage.remote import Folder, is_url, place


def load(path: str | Folder, *, number: int = 0) -> Trace:
    """Load one stored trace.

    Args:
        path: Directory of traces or of recorded calls, its URL, or a file that `record --json` wrote.
        number: Number of the trace in a directory, from 0.

    Returns:
        The trace.

    Raises:
        UsageError: There is no such trace.
    """
    count = 0
    for count, trace in enumerate(load_all(path), 1):
        if count > number:
            return trace
    has = f"{count:,} traces, numbered from 0" if count else "no trace"
    raise UsageError(f"{path} has no trace number {number}: it has {has}")


def load_all(path: str | Folder) -> Iterator[Trace]:
    """Load every trace at a path.

    Args:
        path: Directory of traces or of recorded calls, its URL, or a file that `record --json` wrote.

    Returns:
        The traces one by one, in the order they were written.
    """
    path = place(path)
    if path.is_dir():
        yield from (read_traces if is_calls(path) else shards.read)(path)
        return
    try:
        data = read_input(path) if isinstance(path, Path) else path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    try:
        yield json_text.parse(data)
    except FormatError as error:
        raise FormatError(f"{path} is {error}") from None


def is_stored(path: str | Folder) -> bool:
    """Whether a path is that of stored traces, not of a program: a folder, a URL or a `.json` file."""
    return str(path).endswith(".json") or is_url(str(path)) or Path(str(path)).is_dir()


def store(trace: Trace, directory: str | Folder) -> bool:
    """Store a trace in a directory of parquet shards, beside those already there.

    Args:
        trace: The trace to store.
        directory: A folder or a URL, created where it is missing.

    Returns:
        Whether the trace was new; False where its program is stored there already.
    """
    mark = fingerprint(limits=trace.limits, interpreter=trace.interpreter)
    with shards.ShardWriter(directory, fingerprint=mark) as writer:
        return writer.add(trace)
