"""Write, read, remove and lock files safely. Every file of the package is written here.

A file appears under its final name complete, or not at all. A `Draft` is a temporary file that is
hashed as it is written; `commit` syncs it, renames it and syncs the directory. A `Lock` keeps a
second writer out of a directory, unless that process ignores locks. Reads are bounded and never
follow a link or open a device. A writer removes only files that have one of its own names.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import itertools
import json
import os
import platform
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from worldline.core.errors import BusyError, DiskError, FormatError

CHUNK = 1 << 20
LOCK_NAME = ".lock"
_LOCK_BYTES = 4096
_TEMPORARY = re.compile(r"\.(.+)\.[0-9]+-[0-9]+\.tmp", re.DOTALL)
_serial = itertools.count()

Own = Callable[[str], bool]
"""Tells whether a file name is one of the writer's own."""


@contextmanager
def disk(path: Path) -> Iterator[None]:
    """Turn an `OSError` into a `DiskError` that names the path."""
    try:
        yield
    except OSError as error:
        raise DiskError(f"{path}: {error.strerror or error}") from error


def make_directory(path: Path) -> None:
    """Create a directory and its parents, and sync their names to disk."""
    with disk(path):
        missing = [path, *path.parents]
        missing = missing[: next(n for n, at in enumerate(missing) if at.exists())]
        path.mkdir(parents=True, exist_ok=True)
        for directory in missing:
            sync_directory(directory.parent)


def sync_directory(path: Path) -> None:
    """Sync the names in a directory to disk."""
    with disk(path):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


class Draft(io.RawIOBase):
    """A file that is being written under a temporary name: append only, hashed as it grows."""

    def __init__(self, path: Path, *, fsync: bool = True) -> None:
        super().__init__()
        self.path, self.size = path, 0
        self._fsync, self._buffer, self._hasher = fsync, bytearray(), hashlib.sha256()
        self._temporary = _temporary(path)
        with disk(self._temporary):
            self._fd = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)

    def writable(self) -> bool:
        """Return True: a draft can only be written."""
        return True

    def tell(self) -> int:
        """Return the number of bytes written so far."""
        return self.size

    def write(self, data: Any) -> int:
        """Append bytes. They reach the disk at `commit` at the latest."""
        size = memoryview(data).nbytes
        # Discarded: a parquet writer that is garbage-collected still writes its footer.
        if self._fd < 0:
            return size
        self._buffer += data
        self.size += size
        if len(self._buffer) >= CHUNK:
            self._drain()
        return size

    def _drain(self) -> None:
        self._hasher.update(self._buffer)
        view = memoryview(bytes(self._buffer))
        self._buffer.clear()
        with disk(self.path):
            while view:
                view = view[os.write(self._fd, view) :]

    def commit(self) -> str:
        """Sync the file and give it its final name.

        Returns:
            The sha256 of its bytes.

        Raises:
            DiskError: Writing failed. Nothing was renamed.
        """
        try:
            self._drain()
            with disk(self.path):
                if self._fsync:
                    os.fsync(self._fd)
                fd, self._fd = self._fd, -1
                os.close(fd)
                os.replace(self._temporary, self.path)
        except BaseException:
            self.discard()
            raise
        if self._fsync:
            sync_directory(self.path.parent)
        return self._hasher.hexdigest()

    def discard(self) -> None:
        """Delete the draft. You can call this twice; a file that cannot be removed is swept later."""
        fd, self._fd = self._fd, -1
        with suppress(OSError):
            if fd >= 0:
                os.close(fd)
        with suppress(OSError):
            os.unlink(self._temporary)


def write(path: Path, data: bytes, *, fsync: bool = True) -> str:
    """Replace a file atomically.

    Args:
        path: The file.
        data: Its new bytes.
        fsync: Sync the file and its directory to disk.

    Returns:
        The sha256 of the bytes.

    Raises:
        DiskError: Writing failed. The old file is unchanged.
    """
    draft = Draft(path, fsync=fsync)
    try:
        draft.write(data)
        return draft.commit()
    except BaseException:
        draft.discard()
        raise


def names(directory: Path) -> list[str]:
    """Return every name in a directory, sorted."""
    with disk(directory):
        return sorted(os.listdir(directory))


# ---- removing


def remove(path: Path) -> None:
    """Remove a file or a link, but not the target of a link."""
    with disk(path):
        os.unlink(path)


def remove_folder(path: Path, own: Own) -> bool:
    """Remove the writer's own files in a folder, and the folder itself if it is then empty.

    A link in place of the folder is removed, not followed. Folders inside it stay.

    Args:
        path: The folder.
        own: Whether a file name is one of the writer's own.

    Returns:
        Whether the folder is gone.
    """
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError as error:
        if not path.is_symlink():
            raise DiskError(f"{path}: {error.strerror}") from error
        remove(path)
        return True
    with disk(path):
        try:
            for name in os.listdir(folder):
                is_folder = stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
                if not is_folder and (own(name) or is_leftover(name, own)):
                    os.unlink(name, dir_fd=folder)
            is_empty = not os.listdir(folder)
        finally:
            os.close(folder)
        if is_empty:
            os.rmdir(path)
    return is_empty


def sweep(directory: Path, own: Own) -> None:
    """Remove the temporary files that killed writers left. Call it only while you hold the lock."""
    for name in names(directory):
        if is_leftover(name, own) and not _is_folder(directory / name):
            remove(directory / name)


def strangers(directory: Path, own: Own) -> list[str]:
    """Return the names in a directory that are not the writer's own: folders, and files of others."""
    return [
        name
        for name in names(directory)
        if _is_folder(directory / name) or not (name == LOCK_NAME or own(name) or is_leftover(name, own))
    ]


def contents(directory: Path, own: Own) -> list[str]:
    """Return the names in a directory, without the lock and the leftovers of killed writers."""
    return [name for name in names(directory) if name != LOCK_NAME and not is_leftover(name, own)]


def is_leftover(name: str, own: Own) -> bool:
    """Tell whether a name is the temporary name of a `Draft` of these files or of a `Lock`."""
    match = _TEMPORARY.fullmatch(name)
    return match is not None and (match[1] == LOCK_NAME or own(match[1]))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}-{next(_serial)}.tmp")


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


# ---- reading


def open_regular(path: Path) -> io.FileIO | None:
    """Open a regular file for reading. Return None for a link, a directory, a pipe or a device."""
    try:  # O_NONBLOCK: opening a pipe must not block
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            return None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    return io.FileIO(fd, "rb")


def digest(file: io.FileIO | io.BytesIO, size: int) -> str:
    """Return the sha256 of at most `size` bytes of a file, and rewind the file."""
    hasher, room = hashlib.sha256(), memoryview(bytearray(min(CHUNK, size)))
    file.seek(0)
    while size > 0 and (count := file.readinto(room[:size])):
        hasher.update(room[:count])
        size -= count
    file.seek(0)
    return hasher.hexdigest()


def read(path: Path, *, limit: int) -> bytes | None:
    """Read a regular file.

    Args:
        path: The file.
        limit: Read at most `limit + 1` bytes, so that the caller can see that a file is too long.

    Returns:
        The bytes, or None for a file that is not regular.
    """
    file = open_regular(path)
    if file is None:
        return None
    with file, disk(path):
        return io.BufferedReader(file).read(limit + 1)


def read_plain(path: Path, *, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes.

    Raises:
        FormatError: It is a link, a folder or a device, or it is longer.
        DiskError: The file cannot be read.
    """
    with disk(path):
        data = read(path, limit=limit)
    if data is None:
        raise FormatError(f"{path} is not a plain file")
    if len(data) > limit:
        raise FormatError(f"{path} is larger than {limit:,} bytes")
    return data


# ---- one writer at a time


class Lock:
    """The right to write to a directory, or to one path in it. One living process holds it at a time.

    The lock file is linked into place together with its content, so it is never empty or torn. A lock
    whose holder is gone is taken over: the process ended, its number belongs to another process, or
    the machine was restarted. A holder on another host cannot be checked and counts as alive.
    """

    def __init__(self, directory: Path, *, only: Path | None = None) -> None:
        self._target, self._fd = only or directory, -1
        self._path = directory / (LOCK_NAME if only is None else f".{only.name}{LOCK_NAME}")
        self._draft = _temporary(self._path)
        try:
            with disk(self._draft):
                # The file stays open while the lock is held, so no other file can get its inode.
                self._fd = os.open(self._draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
                os.write(self._fd, json.dumps(holder(os.getpid())).encode())
                self._acquire()
        except BaseException:
            self._close()
            raise
        finally:
            with suppress(OSError):
                self._draft.unlink(missing_ok=True)

    def _acquire(self) -> None:
        for _ in range(8):
            with suppress(FileExistsError):
                return os.link(self._draft, self._path)
            with suppress(FileNotFoundError):  # it was released meanwhile: link again
                return self._take_over()
        raise BusyError(f"{self._target}: other writers keep taking the lock: try again")

    def _take_over(self) -> None:
        stale = open_regular(self._path)
        if stale is None:
            raise BusyError(f"{self._path} is not a lock file: remove it")
        with stale:
            # If two processes see the same dead holder, one gets the flock and the other a new file.
            try:
                fcntl.flock(stale, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(f"{self._target} is being taken over by another process") from None
            if not self._stands(stale.fileno()):
                raise BusyError(f"{self._target} was just taken over by another process")
            if (who := living(stale.read(_LOCK_BYTES))) is not None:
                raise BusyError(f"{self._target} is being written by {who}; if not, remove {self._path}")
            os.replace(self._draft, self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Release the lock. This does nothing to a lock that another process has taken over."""
        with suppress(OSError):
            if self._fd >= 0 and self._stands(self._fd):
                os.unlink(self._path)
        self._close()

    def _stands(self, fd: int) -> bool:
        """Tell whether this open file is the current lock file."""
        return os.path.samestat(os.fstat(fd), os.stat(self._path, follow_symlinks=False))

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        with suppress(OSError):
            if fd >= 0:
                os.close(fd)


def locked(directory: Path) -> bool:
    """Tell whether a living writer holds the directory."""
    try:
        content = read(directory / LOCK_NAME, limit=_LOCK_BYTES)
    except OSError:
        return False
    return content is not None and living(content) is not None


def holder(pid: int) -> dict[str, str | int]:
    """Return the lock record of a process."""
    return {"pid": pid, "start": _start(pid), "boot": _boot(), "host": platform.node()}


def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def _start(pid: int) -> str:
    """Return the start time of a process in kernel ticks, which identifies it if its number is reused."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "ended" if fields[0] in "ZX" else fields[19]
    return ""


def living(content: bytes) -> str | None:
    """Return who holds a lock with this content, or None if the holder is gone."""
    try:
        holder_record = json.loads(content)
        pid, host = holder_record["pid"], str(holder_record["host"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None  # no Lock wrote this: a lock file always has its content
    if type(pid) is not int:
        return None
    if host != platform.node():
        return f"process {pid} on {host}"
    if holder_record.get("boot") != _boot() or not 0 < pid < 1 << 31:
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return f"process {pid}"
    return f"process {pid}" if holder_record.get("start") == _start(pid) else None
