"""Folders on an object store, by URL: what `files` is to a disk, as far as a store can keep its promises.

A `StorePath` is a name on a store (`s3://bucket/key?endpoint_override=...`, `gs://`), reached by pyarrow; a plain path
and a `file://` URL are a Path, and every act here on a Path is that of `files`. An object appears whole or not at all,
and is written once. There is no rename, no append and no lock: a `Mark` tells writers of each other, and does not hold
them back. What is in an object is not known here. pyarrow comes late.
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
"""A file on disk, or the bytes of an object."""


@dataclass(frozen=True, order=True)
class StorePath:
    """A name on an object store; what is below it has its name and a slash in front."""

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
        """The last part of its key."""
        return self._inside.rpartition("/")[2]

    @property
    def parent(self) -> StorePath:
        """What it is in."""
        return replace(self, key=self.key.rpartition("/")[0])

    @property
    def suffix(self) -> str:
        """What its name ends in, from the last dot on."""
        return Path(self.name).suffix

    def _info(self) -> Any:
        with disk(self), reached(self) as (store, path):
            return store.get_file_info(path)

    def exists(self) -> bool:
        """Whether there is an object of this name, or one below it."""
        return bool(self._info().type.name != "NotFound")

    def is_file(self) -> bool:
        """Whether there is an object of this name."""
        return bool(self._info().is_file)

    def is_dir(self) -> bool:
        """Whether there are objects below this name: a store knows no empty folder."""
        return self.exists() and not self.is_file()

    def size(self) -> int:
        """How many bytes the object has; FileNotFoundError where there is none."""
        info = self._info()
        if not info.is_file:
            raise FileNotFoundError(2, "no such object", str(self))
        return int(info.size)

    def read_bytes(self) -> bytes:
        """The whole object."""
        with disk(self), reached(self) as (store, path), store.open_input_file(path) as file:
            return bytes(file.readall())

    def open_input(self) -> Any:
        """The object as pyarrow's file, whose parts are asked for as they are read."""
        with reached(self) as (store, path):
            return store.open_input_file(path)


Folder = Path | StorePath
"""Where a folder is: on disk or on a store."""


def is_url(text: object) -> bool:
    """Whether this is the URL of a store, or a place on one, and no plain path."""
    return isinstance(text, StorePath) or (isinstance(text, str) and _URL.match(text) is not None)


def place(where: str | Folder) -> Folder:
    """A URL as the place that it names; a plain path and a `file://` URL as a Path."""
    if isinstance(where, Path | StorePath):
        return where
    if not is_url(where):
        if _NEARLY.match(where):
            raise UsageError(f"{where}: a URL has two slashes behind its colon; write ./{where} for a file")
        return Path(where)
    try:
        parts = urlsplit(where)
    except ValueError as error:  # file://[
        raise UsageError(f"{where!r} is no URL: {error}") from None
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise UsageError(f"{where}: a file's URL has three slashes: file:///DIR")
        return Path(unquote(parts.path))
    if not parts.netloc:
        raise UsageError(f"{where}: a URL of a store names a bucket: {parts.scheme}://BUCKET/KEY")
    return StorePath(parts.scheme, parts.netloc, parts.path.strip("/"), parts.query)


@cache
def _file_system(scheme: str, bucket: str, query: str) -> Any:
    from pyarrow import ArrowException, fs  # type: ignore[import-untyped]

    url = f"{scheme}://{bucket}" + (f"?{query}" if query else "")
    try:
        return fs.FileSystem.from_uri(url)[0]
    except (ArrowException, ValueError) as error:
        raise UsageError(f"{url}: pyarrow has no such store: {error}") from None


@contextmanager
def reached(at: StorePath) -> Iterator[tuple[Any, str]]:
    """The file system of a place and its path in there; a store's refusal is an OSError that can be shown in a line."""
    store = _file_system(at.scheme, at.bucket, at.query)
    try:
        yield store, at._inside
    except OSError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise type(error)(error.errno or 5, lines[0][:300]) from error


# ---- what `files` does, on either


@contextmanager
def disk(at: Folder) -> Iterator[None]:
    """Turn the refusal of a disk or a store into a DiskError that names the place."""
    try:
        yield
    except OSError as error:
        raise DiskError(f"{at}: {error.strerror or error}") from error


def make_directory(at: Folder) -> None:
    """Make a folder durably; on a store there is none to make, but its bucket must be there."""
    if isinstance(at, Path):
        return files.make_directory(at)
    with disk(at):
        if not StorePath(at.scheme, at.bucket, "", at.query).exists():
            raise UsageError(
                f"{at}: there is no bucket {at.bucket!r}, or it is not ours to see: make it first"
            )


def is_there(at: Folder) -> bool:
    """Whether something has this name, if only a link."""
    return os.path.lexists(at) if isinstance(at, Path) else at.exists()


def names(at: Folder) -> list[str]:
    """Every name in a folder, sorted."""
    if isinstance(at, Path):
        return files.names(at)
    from pyarrow import fs

    with disk(at), reached(at) as (store, path):
        infos = store.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return sorted(info.base_name for info in infos)


def sizes(at: Folder) -> dict[str, int]:
    """The size of every file in a folder, by one listing."""
    if isinstance(at, Path):
        with disk(at), os.scandir(at) as entries:
            return {
                entry.name: entry.stat().st_size for entry in entries if entry.is_file(follow_symlinks=False)
            }
    from pyarrow import fs

    with disk(at), reached(at) as (store, path):
        infos = store.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return {entry.base_name: int(entry.size) for entry in infos if entry.is_file}


def contents(at: Folder, own: files.Own) -> list[str]:
    """The names in a folder, but for a lock and what killed writers of these files left."""
    if isinstance(at, Path):
        return files.contents(at, own)
    return [name for name in names(at) if name != files.LOCK_NAME]


def sweep(at: Folder, own: files.Own) -> None:
    """Remove what killed writers left under temporary names; on a store they leave none."""
    if isinstance(at, Path):
        files.sweep(at, own)


def remove(at: Folder) -> None:
    """Remove a file or an object."""
    if isinstance(at, Path):
        return files.remove(at)
    with disk(at), reached(at) as (store, path):
        store.delete_file(path)


def read(at: Folder, *, limit: int) -> bytes | None:
    """A file's bytes, at most `limit + 1` of them; None if it is no regular file."""
    if isinstance(at, Path):
        return files.read(at, limit=limit)
    with reached(at) as (store, path), store.open_input_file(path) as file:
        return bytes(file.read(limit + 1))


def read_plain(at: Folder, *, limit: int) -> bytes:
    """A file's bytes; FormatError where it is no plain file, or longer than `limit`."""
    if isinstance(at, Path):
        return files.read_plain(at, limit=limit)
    with disk(at):
        data = read(at, limit=limit)
    if data is None or len(data) > limit:
        raise FormatError(f"{at} is larger than {limit:,} bytes")
    return data


def open_regular(at: Folder, *, size: int) -> Readable | None:
    """A file opened for reading; None if it is no regular one.

    Of an object that should have `size` bytes, all of them: what is checked is then what is used. Of a longer one the
    first byte too many is read as well, so that it is seen.
    """
    if isinstance(at, Path):
        return files.open_regular(at)
    data = read(at, limit=size)
    return None if data is None else io.BytesIO(data)


def open_parts(at: Folder) -> Readable | None:
    """A file opened for reading parts of it; None if it is no regular one. Of an object no more is asked for."""
    if isinstance(at, Path):
        return files.open_regular(at)
    file: Readable = at.open_input()  # pyarrow's, which reads as these do
    return file


def write(at: Folder, data: bytes, *, fsync: bool = True) -> str:
    """Replace a file or an object by these bytes, all or nothing; their sha256."""
    if isinstance(at, Path):
        return files.write(at, data, fsync=fsync)
    send(io.BytesIO(data), at)
    return hashlib.sha256(data).hexdigest()


def send(source: io.BytesIO | io.BufferedReader, at: StorePath) -> None:
    """Copy a file to a store: the object appears when all of it has arrived.

    In a thread, as signals are heard elsewhere: pyarrow's streams cannot be given up, and one that is left early, as
    by Ctrl-C, puts what it has had until then in the object's place. What was begun is sent to its end.
    """
    from concurrent.futures import ThreadPoolExecutor

    with disk(at), reached(at) as (store, path), ThreadPoolExecutor(1) as sender:
        # Its thread first: one that an interrupt meets while it starts is waited for by nobody.
        sender.submit(int).result()
        sender.submit(_copy, source, store, path).result()


def _copy(source: io.BytesIO | io.BufferedReader, store: Any, path: str) -> None:
    with store.open_output_stream(path) as target:
        while data := source.read(8 * files.CHUNK):
            target.write(data)


class _StoreDraft(files.Draft):
    """A draft that is written to a temporary file here, and sent whole when it is committed."""

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
    """A file being written, which appears when it is committed."""
    return files.Draft(at, fsync=fsync) if isinstance(at, Path) else _StoreDraft(at)


# ---- one writer at a time, as far as that can be known


class Mark:
    """An object that says who writes here. It holds nobody back: `require` finds that another has come since."""

    def __init__(self, folder: StorePath) -> None:
        self._at, self._folder = folder / files.LOCK_NAME, folder
        if (holder := _writer(folder)) is not None:
            raise BusyError(f"{folder} is being written by {holder}; if not, remove {self._at}")
        self._text = json.dumps({**files.holder(os.getpid()), "token": secrets.token_hex(8)}).encode()
        write(self._at, self._text)
        self.require()

    def require(self) -> None:
        """BusyError unless the mark is still ours: before what another writer could lose by it."""
        with disk(self._at), suppress(FileNotFoundError):
            if read(self._at, limit=_LOCK_BYTES) == self._text:
                return
        raise BusyError(f"{self._folder} was taken over by another writer: this one has stopped")

    def release(self) -> None:
        """Let the next writer in; does nothing to a mark that is no longer ours."""
        with suppress(BusyError, DiskError):
            self.require()
            remove(self._at)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock(at: Folder) -> files.Lock | Mark:
    """The right to write to a folder; on a store, its announcement."""
    return files.Lock(at) if isinstance(at, Path) else Mark(at)


def require(held: files.Lock | Mark) -> None:
    """BusyError where another writer has come since: only on a store, whose marks hold nobody back."""
    if isinstance(held, Mark):
        held.require()


def locked(at: Folder) -> bool:
    """Whether a living writer holds the folder."""
    return files.locked(at) if isinstance(at, Path) else _writer(at) is not None


def _writer(folder: StorePath) -> str | None:
    with disk(folder), suppress(FileNotFoundError):
        content = read(folder / files.LOCK_NAME, limit=_LOCK_BYTES)
        return None if content is None else files.living(content)
    return None
