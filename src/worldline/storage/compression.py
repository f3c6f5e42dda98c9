"""Compressed files: the end of a name decides how a file is written, its first bytes decide how it is read."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from worldline.storage.files import Draft

UNREADABLE = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""What reading a damaged file raises."""

XZ, GZIP = b"\xfd7zXZ\x00", b"\x1f\x8b"


@contextmanager
def compressing(draft: Draft) -> Iterator[IO[bytes]]:
    """Yield a file that writes to a draft: compressed if its name ends in `.xz` or `.gz`, else plain."""
    suffix = draft.path.suffix
    if suffix == ".xz":
        with lzma.LZMAFile(cast(Any, draft), "wb", preset=6) as file:
            yield cast(IO[bytes], file)
    elif suffix == ".gz":
        # Without a name and a time, so that equal content is equal bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=cast(Any, draft), mtime=0) as file:
            yield cast(IO[bytes], file)
    else:
        yield cast(IO[bytes], draft)


@contextmanager
def open_decompressed(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed if its content is."""
    with open(path, "rb") as file:
        start = file.read(len(XZ))
        file.seek(0)
        if start == XZ:
            with lzma.open(file) as decompressed:
                yield cast(IO[bytes], decompressed)
        elif start.startswith(GZIP):
            with gzip.open(file) as decompressed:
                yield cast(IO[bytes], decompressed)
        else:
            yield file


def decompress(data: bytes) -> bytes:
    """Return the content of a file, decompressed if it is compressed."""
    if data.startswith(XZ):
        return lzma.decompress(data)
    return gzip.decompress(data) if data.startswith(GZIP) else data
