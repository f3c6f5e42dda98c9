"""Read files that a user names: links are followed, devices and pipes are refused, sizes are bounded.

A refusal is an `OSError` with a reason, like any other file that cannot be read.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
from typing import BinaryIO

MAX_SOURCE_BYTES = 1 << 24
MAX_STDIN_BYTES = 1 << 26
MAX_INPUT_BYTES = 1 << 31
_GZIP = b"\x1f\x8b"  # how gzipped files start


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: The file cannot be read or is not a regular file.
    """
    # Without O_NONBLOCK, opening a pipe would wait for its other end.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(fd, "rb")
    os.close(fd)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    reason = "not a regular file; store what a pipe or a device gives in a file first"
    raise OSError(errno.EINVAL, reason, os.fspath(path))


def read_input(path: str | os.PathLike[str], *, limit: int = MAX_INPUT_BYTES) -> bytes:
    """Read a regular file of at most `limit` bytes.

    Raises:
        OSError: The file cannot be read, is not a regular file, or is larger.
    """
    with open_input(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit:,} bytes", os.fspath(path))
    return data


def unpack(data: bytes, *, limit: int = MAX_INPUT_BYTES) -> bytes:
    """Return what gzipped bytes hold, and other bytes as they are.

    Raises:
        OSError: They hold more than `limit` bytes, or are damaged.
        EOFError: They end early.
        zlib.error: They are damaged.
    """
    if not data.startswith(_GZIP):
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        unpacked = file.read(limit + 1)
    if len(unpacked) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit:,} bytes when unpacked")
    return unpacked
