"""Pack a tree of files into one file: laid out before a script starts, gathered when it is dead.

Links are not followed: a link is its text, and a pipe or socket is only named. What is gathered is
bounded in entries, bytes read and bytes kept; the rest is counted. Runs inside the sandbox and imports
nothing of worldline; recording/rehearsal/ is the other end on the host.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_ENTRIES = 40_000
MAX_NAME_BYTES = 2 << 20  # of all paths together
MAX_READ_BYTES = 512 << 20  # including holes: sparse files are read as zeros
MAX_KEPT_BYTES, MAX_KEPT_FILE_BYTES = 16 << 20, 1 << 20  # of all changed files together, and of one
MAX_GATHERED_BYTES = 64 << 20  # of the whole packed file
_PIECE = 1 << 20
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


class Entry(NamedTuple):
    """One file, folder or link. `kept` bytes of it follow the index; without a digest it was not read."""

    path: str
    kind: str
    mode: int
    size: int = 0
    digest: str = ""
    link: str = ""
    kept: int = 0
    time: int = 0


def pack(entries: list[Entry], blobs: list[bytes], unseen: int = 0) -> bytes:
    """Pack entries and their bytes into one file."""
    index = json.dumps({"entries": entries, "unseen": unseen}).encode()
    return b"".join([struct.pack("<Q", len(index)), index, *blobs])


def read_index(file: int) -> tuple[list[Entry], int]:
    """Return the entries of a packed file from the host, and where their bytes start."""
    (length,) = struct.unpack("<Q", os.pread(file, 8, 0))
    rows: list[list[Any]] = json.loads(_read(file, length, 8))["entries"]
    return [Entry(*row) for row in rows], 8 + length


def lay_out(file: int, root: str) -> None:
    """Create every entry below the root, folders first; set modes and times last, deepest first."""
    entries, at = read_index(file)
    for entry in entries:
        path = f"{root}/{entry.path}"
        if entry.kind == "folder":
            os.makedirs(path, exist_ok=True)
        elif entry.kind == "link":
            os.symlink(entry.link, path)
        else:
            _copy(file, at, entry.kept, path)
            at += entry.kept
    for entry in reversed(entries):
        if entry.kind != "link":
            os.chmod(f"{root}/{entry.path}", entry.mode)
            os.utime(f"{root}/{entry.path}", ns=(entry.time, entry.time))


def _copy(file: int, at: int, size: int, path: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        while size:
            data = os.pread(file, min(size, _PIECE), at)
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            at, size = at + len(data), size - len(data)
    finally:
        os.close(fd)


def _read(file: int, size: int, at: int) -> bytes:
    pieces = []
    while size and (data := os.pread(file, min(size, _PIECE), at)):
        pieces.append(data)
        at, size = at + len(data), size - len(data)
    return b"".join(pieces)


def gather(copied: int, out: int, root: str) -> None:
    """Write what is below the root into a file, with the bytes of changed files only.

    Args:
        copied: The packed file that was laid out.
        out: The file to write to.
        root: The root.
    """
    known = {entry.path: entry.digest for entry in read_index(copied)[0]}
    left = _Found(known)
    for path, about in _walk(root, left):
        left.add(root, path, about)
    data = memoryview(pack(left.entries, left.blobs, left.unseen))
    if len(data) + 8 > MAX_GATHERED_BYTES:
        return  # the host finds nothing, and says so
    at = 8
    while at - 8 < len(data):
        at += os.pwrite(out, data[at - 8 :], at)
    os.pwrite(out, struct.pack("<Q", len(data)), 0)


class _Found:
    """What was gathered so far, and how much more may be."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.entries: list[Entry] = []
        self.blobs: list[bytes] = []
        self.unseen, self.names, self.read, self.kept = 0, 0, 0, 0

    def add(self, root: str, path: str, about: os.stat_result) -> None:
        """Add an entry if there is room for it."""
        self.names += len(path)
        if len(self.entries) >= MAX_ENTRIES or self.names > MAX_NAME_BYTES:
            self.unseen += 1
            return
        kind = _KINDS.get(stat.S_IFMT(about.st_mode), "other")
        entry = Entry(path, kind, stat.S_IMODE(about.st_mode))
        if kind == "file":
            entry = self._file(f"{root}/{path}", entry._replace(size=about.st_size))
        elif kind == "link":
            entry = entry._replace(link=os.readlink(f"{root}/{path}"))
        self.entries.append(entry)

    def _file(self, path: str, entry: Entry) -> Entry:
        self.read += entry.size
        if self.read > MAX_READ_BYTES:
            return entry
        hasher, pieces = hashlib.sha256(), []
        keeps = entry.size <= MAX_KEPT_FILE_BYTES and self.kept + entry.size <= MAX_KEPT_BYTES
        fd = _open(path)
        try:
            while data := os.read(fd, _PIECE):
                hasher.update(data)
                if keeps:
                    pieces.append(data)
        finally:
            os.close(fd)
        digest = hasher.hexdigest()
        if self.known.get(entry.path) == digest or not keeps:
            return entry._replace(digest=digest)
        blob = b"".join(pieces)
        self.blobs.append(blob)
        self.kept += len(blob)
        return entry._replace(digest=digest, kept=len(blob))


def _open(path: str) -> int:
    """Open a plain file for reading, whatever its permissions."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except PermissionError:
        os.chmod(path, 0o400)
        return os.open(path, flags)


def _walk(root: str, left: _Found) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every path below the root with its stat; count folders that cannot be read as unseen."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            names = _names(f"{root}/{folder}")
        except OSError:
            left.unseen += 1
            continue
        for name in names:
            path = f"{folder}/{name}" if folder else name
            try:
                about = os.lstat(f"{root}/{path}")
                yield path, about
            except OSError:
                left.unseen += 1
                continue
            if stat.S_ISDIR(about.st_mode):
                waiting.append(path)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except PermissionError:
        os.chmod(folder, 0o700)
        return sorted(os.listdir(folder))
