"""Read and write folders on an object store, by URL, with the functions of `files`.

A `StorePath` is a name on a store (`s3://bucket/key?endpoint_override=...`, `gs://`), accessed
through pyarrow. A plain path and a `file://` URL are a `Path`, for which every function here calls
`files`. An object appears complete or not at all, and is written once. A store has no rename, no
append and no lock: a `Mark` announces a writer, but does not stop another. pyarrow is imported
late, because it is slow to import.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from worldline.core.errors import BusyError, DiskError, FormatError, UsageError
from worldline.storage import files

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_NEARLY = re.compile(r"(?:s3|gs|gcs|file):", re.IGNORECASE)  # a URL but for its slashes
_LOCK_BYTES = 4096

Readable = io.FileIO | io.BytesIO
"""An open file on disk, or the bytes of an object."""


@dataclass(frozen=True, order=True)
class StorePath:
    """A name on an object store. The names below it start with it and a slash."""

    scheme: str
    bucket: str
    key: str
    query: str = ""

    def __truediv__(self, name: str) -> StorePath:
        return replace(self, key=f"{self.key}/{name}" if self.key else name)

    def __str__(self) -> str:
        return f"{self.scheme}://{self._inside}" + (f"?{self.query}" if self.query else "")

    @property
    def _inside(self) -> str:
        return f"{self.bucket}/{self.key}".rstrip("/")

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self._inside.rpartition("/")[2]

    @property
    def parent(self) -> StorePath:
        """The folder that contains this name."""
        return replace(self, key=self.key.rpartition("/")[0])

    @property
    def suffix(self) -> str:
        """The end of the name, from its last dot."""
        return Path(self.name).suffix

    def _info(self) -> Any:
        with disk(self), reached(self) as (store, path):
            return store.get_file_info(path)

    def exists(self) -> bool:
        """Tell whether there is an object with this name, or one below it."""
        return bool(self._info().type.name != "NotFound")

    def is_file(self) -> bool:
        """Tell whether there is an object with this name."""
        return bool(self._info().is_file)

    def is_dir(self) -> bool:
        """Tell whether there are objects below this name. A store has no empty folders."""
        return self.exists() and not self.is_file()

    def size(self) -> int:
        """Return the size of the object in bytes; FileNotFoundError if there is none."""
        info = self._info()
        if not info.is_file:
            raise FileNotFoundError(2, "no such object", str(self))
        return int(info.size)

    def read_bytes(self) -> bytes:
        """Read the whole object."""
        with disk(self), reached(self) as (store, path), store.open_input_file(path) as file:
            return bytes(file.readall())

    def open_input(self) -> Any:
        """Open the object as a pyarrow file, which fetches the parts that are read."""
        with reached(self) as (store, path):
            return store.open_input_file(path)


Folder = Path | StorePath
"""The place of a folder: on disk or on a store."""


def is_url(text: object) -> bool:
    """Tell whether this is the URL of a store or a `StorePath`, not a plain path."""
    return isinstance(text, StorePath) or (isinstance(text, str) and _URL.match(text) is not None)


def place(where: str | Folder) -> Folder:
    """Parse a URL or a path.

    Returns:
        A `StorePath` for a URL of a store, a `Path` for a plain path or a `file://` URL.

    Raises:
        UsageError: The URL is malformed.
    """
    if isinstance(where, Path | StorePath):
        return where
    if not is_url(where):
        if _NEARLY.match(where):
            raise UsageError(f"{where}: a URL has two slashes after its colon; write ./{where} for a file")
        return Path(where)
    try:
        parts = urlsplit(where)
    except ValueError as error:  # file://[
        raise UsageError(f"{where!r} is not a URL: {error}") from None
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise UsageError(f"{where}: a file's URL has three slashes: file:///DIR")
        return Path(unquote(parts.path))
    if not parts.netloc:
        raise UsageError(f"{where}: a URL of a store names a bucket: {parts.scheme}://BUCKET/KEY")
    return StorePath(parts.scheme, parts.netloc, parts.path.strip("/"), parts.query)


@cache
def _file_system(scheme: str, bucket: str, query: str) -> Any:
    from worldline.storage.arrow import fs, pa

    url = f"{scheme}://{bucket}" + (f"?{query}" if query else "")
    try:
        return fs.FileSystem.from_uri(url)[0]
    except (pa.ArrowException, ValueError) as error:
        raise UsageError(f"{url}: pyarrow has no such store: {error}") from None


@contextmanager
def reached(at: StorePath) -> Iterator[tuple[Any, str]]:
    """Yield the file system of a place and the path in it. Errors of the store become one-line OSErrors."""
    store = _file_system(at.scheme, at.bucket, at.query)
    try:
        yield store, at._inside
    except OSError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise type(error)(error.errno or 5, lines[0][:300]) from error


# ---- the functions of `files`, on disk or on a store


@contextmanager
def disk(at: Folder) -> Iterator[None]:
    """Turn an error of a disk or a store into a `DiskError` that names the place."""
    try:
        yield
    except OSError as error:
        raise DiskError(f"{at}: {error.strerror or error}") from error


def make_directory(at: Folder) -> None:
    """Create a folder durably. A store has no folders to create, but the bucket must exist."""
    if isinstance(at, Path):
        return files.make_directory(at)
    with disk(at):
        if not StorePath(at.scheme, at.bucket, "", at.query).exists():
            raise UsageError(f"{at}: there is no bucket {at.bucket!r}, or you may not see it: create it first")


def is_there(at: Folder) -> bool:
    """Tell whether something has this name, even if it is only a link."""
    return os.path.lexists(at) if isinstance(at, Path) else at.exists()


def names(at: Folder) -> list[str]:
    """Return every name in a folder, sorted.

    Raises:
        UsageError: It is a file.
        DiskError: It cannot be read.
    """
    if isinstance(at, Path):
        if at.exists() and not at.is_dir():
            raise UsageError(f"{at} is not a folder")
        return files.names(at)
    from worldline.storage.arrow import fs

    with disk(at), reached(at) as (store, path):
        infos = store.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return sorted(info.base_name for info in infos)


def sizes(at: Folder) -> dict[str, int]:
    """Return the size of every file in a folder, from one listing."""
    if isinstance(at, Path):
        with disk(at), os.scandir(at) as entries:
            return {entry.name: entry.stat().st_size for entry in entries if entry.is_file(follow_symlinks=False)}
    from worldline.storage.arrow import fs

    with disk(at), reached(at) as (store, path):
        infos = store.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return {entry.base_name: int(entry.size) for entry in infos if entry.is_file}


def contents(at: Folder, own: files.Own) -> list[str]:
    """Return the names in a folder, without the lock and the leftovers of killed writers."""
    if isinstance(at, Path):
        return files.contents(at, own)
    return [name for name in names(at) if name != files.LOCK_NAME]


def sweep(at: Folder, own: files.Own) -> None:
    """Remove the temporary files that killed writers left. On a store there are none."""
    if isinstance(at, Path):
        files.sweep(at, own)


def remove(at: Folder) -> None:
    """Remove a file or an object."""
    if isinstance(at, Path):
        return files.remove(at)
    with disk(at), reached(at) as (store, path):
        store.delete_file(path)


def read(at: Folder, *, limit: int) -> bytes | None:
    """Read at most `limit + 1` bytes of a file. Return None if it is not a regular file."""
    if isinstance(at, Path):
        return files.read(at, limit=limit)
    with reached(at) as (store, path), store.open_input_file(path) as file:
        return bytes(file.read(limit + 1))


def read_plain(at: Folder, *, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes.

    Raises:
        FormatError: It is not a regular file, or it is longer.
        DiskError: The file cannot be read.
    """
    if isinstance(at, Path):
        return files.read_plain(at, limit=limit)
    with disk(at):
        data = read(at, limit=limit)
    if data is None or len(data) > limit:
        raise FormatError(f"{at} is larger than {limit:,} bytes")
    return data


def open_regular(at: Folder, *, size: int) -> Readable | None:
    """Open a file for reading. Return None if it is not a regular file.

    An object is read at once, so that the checked bytes are the bytes that are used.

    Args:
        at: The file.
        size: The size that an object should have. One more byte is read, to see that it is longer.
    """
    if isinstance(at, Path):
        return files.open_regular(at)
    data = read(at, limit=size)
    return None if data is None else io.BytesIO(data)


def open_parts(at: Folder) -> Readable | None:
    """Open a file to read parts of it. Return None if it is not regular. Only those parts are fetched."""
    if isinstance(at, Path):
        return files.open_regular(at)
    file: Readable = at.open_input()  # pyarrow's, which reads as these do
    return file


def write(at: Folder, data: bytes, *, fsync: bool = True) -> str:
    """Replace a file or an object atomically. Return the sha256 of its bytes."""
    if isinstance(at, Path):
        return files.write(at, data, fsync=fsync)
    send(io.BytesIO(data), at)
    return hashlib.sha256(data).hexdigest()


def send(source: io.BytesIO | io.BufferedReader, at: StorePath) -> None:
    """Copy a file to a store. The object appears when all of it has arrived.

    The copy runs in a thread, because only the main thread receives signals. A pyarrow stream cannot be
    aborted: interrupted by Ctrl-C, it would store the part that it has. So a copy always completes.
    """
    from concurrent.futures import ThreadPoolExecutor

    with disk(at), reached(at) as (store, path), ThreadPoolExecutor(1) as sender:
        # Start the thread first: nobody waits for one that an interrupt meets while it starts.
        sender.submit(int).result()
        sender.submit(_copy, source, store, path).result()


def _copy(source: io.BytesIO | io.BufferedReader, store: Any, path: str) -> None:
    with store.open_output_stream(path) as target:
        while data := source.read(8 * files.CHUNK):
            target.write(data)


class _StoreDraft(files.Draft):
    """A draft in a local temporary file, which `commit` sends to the store."""

    def __init__(self, at: StorePath) -> None:
        self._at, self._folder = at, tempfile.TemporaryDirectory(prefix="worldline-")
        super().__init__(Path(self._folder.name) / at.name, fsync=False)

    def commit(self) -> str:
        try:
            sha256 = super().commit()
            with self.path.open("rb") as whole:
                send(whole, self._at)
        finally:
            self._folder.cleanup()
        return sha256

    def discard(self) -> None:
        super().discard()
        self._folder.cleanup()


def draft(at: Folder, *, fsync: bool = True) -> files.Draft:
    """Start a file that appears when it is committed."""
    return files.Draft(at, fsync=fsync) if isinstance(at, Path) else _StoreDraft(at)


# ---- one writer at a time, as far as a store allows


class Mark:
    """An object that names the current writer. It stops nobody: `require` notices another writer."""

    def __init__(self, folder: StorePath) -> None:
        self._at, self._folder = folder / files.LOCK_NAME, folder
        if (holder := _writer(folder)) is not None:
            raise BusyError(f"{folder} is being written by {holder}; if not, remove {self._at}")
        self._text = json.dumps({**files.holder(os.getpid()), "token": secrets.token_hex(8)}).encode()
        write(self._at, self._text)
        self.require()

    def require(self) -> None:
        """Check that the mark is still ours, before a change that another writer would lose.

        Raises:
            BusyError: Another writer has replaced it.
        """
        with disk(self._at), suppress(FileNotFoundError):
            if read(self._at, limit=_LOCK_BYTES) == self._text:
                return
        raise BusyError(f"{self._folder} was taken over by another writer: this one has stopped")

    def release(self) -> None:
        """Remove the mark. This does nothing to a mark that is no longer ours."""
        with suppress(BusyError, DiskError):
            self.require()
            remove(self._at)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock(at: Folder) -> files.Lock | Mark:
    """Lock a folder for writing. On a store this is only an announcement."""
    return files.Lock(at) if isinstance(at, Path) else Mark(at)


def require(held: files.Lock | Mark) -> None:
    """Check that no other writer has come. Only a store needs this, because marks stop nobody.

    Raises:
        BusyError: Another writer has replaced the mark.
    """
    if isinstance(held, Mark):
        held.require()


def locked(at: Folder) -> bool:
    """Tell whether a living writer holds the folder."""
    return files.locked(at) if isinstance(at, Path) else _writer(at) is not None


def _writer(folder: StorePath) -> str | None:
    with disk(folder), suppress(FileNotFoundError):
        content = read(folder / files.LOCK_NAME, limit=_LOCK_BYTES)
        return None if content is None else files.living(content)
    return None
