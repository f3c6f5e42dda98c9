"""Copy a folder of the host for a sandbox: read once, within bounds, without following links.

The folder is never written. A folder that is too large is refused with a message that suggests what
to exclude. A pipe, a socket or an unreadable file is listed as left out.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.recording.guests.rehearsal.tree import Entry, pack

__all__ = ["MAX_BYTES", "MAX_FILES", "SCRIPT", "WORK", "Entry", "FolderCopy", "copied"]

MAX_BYTES, MAX_FILES = 64 << 20, 10_000
WORK, SCRIPT = "work", "script"
_PAGE = 4096


@dataclass
class FolderCopy:
    """The files that go into a sandbox, and the names that were excluded or could not be read."""

    entries: list[Entry] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def pages(self) -> int:
        """The space that it takes in the sandbox, in bytes of whole pages, plus one page per name."""
        return sum(_PAGE + -(-entry.size // _PAGE) * _PAGE for entry in self.entries)

    def packed(self) -> bytes:
        """Pack the copy into one file."""
        return pack(self.entries, self.blobs)

    def content(self, path: str) -> bytes | None:
        """Return the bytes of a file, by its path in the sandbox."""
        files = [entry for entry in self.entries if entry.kind == "file"]
        at = next((i for i, entry in enumerate(files) if entry.path == path), None)
        return None if at is None else self.blobs[at]

    def add_folder(self, path: str) -> None:
        """Add an empty folder, by its path in the sandbox."""
        self.entries.append(Entry(path, "folder", 0o755))

    def add_file(self, path: str, data: bytes, mode: int = 0o644, time: int = 0) -> None:
        """Add a file to a folder that is already in the copy.

        Args:
            path: Its path in the sandbox.
            data: Its bytes.
            mode: Its permissions.
            time: Its modification time in nanoseconds.
        """
        digest = hashlib.sha256(data).hexdigest()
        self.entries.append(Entry(path, "file", mode, len(data), digest, "", len(data), time))
        self.blobs.append(data)


def copied(
    folder: Path,
    leave_out: Sequence[str] = (),
    *,
    max_bytes: int = MAX_BYTES,
    max_files: int = MAX_FILES,
    advice: str = "name a smaller --folder, or --exclude {}",
) -> FolderCopy:
    """Copy a folder.

    Args:
        folder: The folder.
        leave_out: Patterns of names to exclude, such as `*.bin`.
        max_bytes: The most bytes of all files.
        max_files: The most files and folders.
        advice: What to do about a folder that is too large; `{}` stands for its largest part.

    Raises:
        UsageError: It is not a folder, or it is too large.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: a rehearsal runs in a copy of one")
    sizes, files = _measure(folder, leave_out, max_files)
    total = sum(sizes.values())
    if total > max_bytes or files > max_files:
        heavy, weight = sizes.most_common(1)[0] if sizes else ("", 0)
        raise UsageError(
            f"{folder} is too large to copy: {total:,} bytes in {files:,} files, at most {max_bytes:,} in "
            f"{max_files:,} ({heavy} alone has {weight:,}); {advice.format(heavy)}"
        )
    copy = FolderCopy()
    copy.entries.append(_entry(WORK, "folder", folder.stat()))
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        for name in _names(folder / inner, inner, copy):
            path = f"{inner}/{name}" if inner else name
            if _is_left_out(name, leave_out):
                copy.left_out.append(path)
            elif _add(folder, path, copy):
                waiting.append(path)
    return copy


def _is_left_out(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern.strip("/")) for pattern in patterns)


def _names(folder: Path, inner: str, copy: FolderCopy) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        copy.left_out.append(f"{inner}/")
        return []


def _entry(path: str, kind: str, about: os.stat_result, link: str = "") -> Entry:
    return Entry(path, kind, stat.S_IMODE(about.st_mode) & 0o777, link=link, time=about.st_mtime_ns)


def _add(folder: Path, path: str, copy: FolderCopy) -> bool:
    """Copy one entry. Return whether it is a folder to descend into."""
    real = folder / path
    try:
        about = real.lstat()
        if stat.S_ISDIR(about.st_mode):
            copy.entries.append(_entry(f"{WORK}/{path}", "folder", about))
            return True
        if stat.S_ISLNK(about.st_mode):
            copy.entries.append(_entry(f"{WORK}/{path}", "link", about, os.readlink(real)))
        elif stat.S_ISREG(about.st_mode):
            copy.add_file(f"{WORK}/{path}", _read(real), about.st_mode & 0o777, about.st_mtime_ns)
        else:
            copy.left_out.append(path)
    except OSError:
        copy.left_out.append(path)
    return False


def _read(path: Path) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        return file.read(MAX_BYTES + 1)


def _measure(folder: Path, leave_out: Sequence[str], max_files: int) -> tuple[Counter[str], int]:
    """Return the bytes of each entry of a folder, and the number of files in all of them."""
    sizes: Counter[str] = Counter()
    files = 0
    for place, folders, names in os.walk(folder, onerror=None):
        folders[:] = [name for name in folders if not _is_left_out(name, leave_out)]
        inner = os.path.relpath(place, folder)
        part = "" if inner == "." else inner.split(os.sep)[0]
        for name in names:
            if not _is_left_out(name, leave_out):
                files += 1
                sizes[part or name] += _size(os.path.join(place, name))
        files += len(folders)
        if files > 20 * max_files:
            break
    return sizes, files


def _size(path: str) -> int:
    try:
        about = os.lstat(path)
    except OSError:
        return 0
    return about.st_size if stat.S_ISREG(about.st_mode) else 0
