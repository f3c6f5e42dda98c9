"""The spool: the folder that recorded tests are written to, and its packing into one file when all processes are dead.

Every process has one file of lines, `PID.jsonl`, and one wire per test, `PID-NUMBER.wire`. Lines are appended whole, so
a killed process leaves all of its tests but the last. The host reads a spool as data that a program could have forged.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

_HEADER = 64
_PIECE = 1 << 20
_END_BYTES = 16  # more than the end record of a limit: two texts of five bytes, each after its length


class Wire:
    """The wire file of one test."""

    def __init__(self, path: str, size: int) -> None:
        self.path, self.name = path, os.path.basename(path)
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        os.ftruncate(self.file, size)

    def keep(self) -> bool:
        """Keep what was committed, and give the rest back. Return whether the recorder reached a limit."""
        committed = int.from_bytes(os.pread(self.file, 8, 8), "little")
        size = max(_HEADER, min(committed, os.fstat(self.file).st_size))
        last = os.pread(self.file, min(size, _END_BYTES), size - min(size, _END_BYTES))
        os.ftruncate(self.file, size)
        os.close(self.file)
        return last.endswith((b"\x05limit\x05steps", b"\x05limit\x05bytes"))


class Spool:
    """Writes the events and wires of one process, until all wires of the process have used up their budget."""

    def __init__(self, folder: str, max_bytes: int) -> None:
        self.folder, self._left = folder, max_bytes
        self._stem = os.path.join(folder, str(os.getpid()))
        how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._lines = os.open(f"{self._stem}.jsonl", how, 0o600)
        self.stacks = os.open(f"{self._stem}.stacks", how, 0o600)  # of a test that hangs
        self._number = 0
        self._last: str | None = None

    def write(self, event: dict[str, Any]) -> None:
        """Append one event."""
        os.write(self._lines, json.dumps(event).encode("utf-8", "backslashreplace") + b"\n")

    def new_wire(self, size: int) -> Wire | None:
        """Create the wire of the next test; None if the budget of the process is used up."""
        if self._last is not None:
            self._left -= os.path.getsize(self._last)
        if self._left < size // 16:
            return None
        self._number += 1
        wire = Wire(f"{self._stem}-{self._number}.wire", size)
        self._last = wire.path
        return wire


def pack(folder: str, out: int) -> None:
    """Pack all files of a spool into one: the length of an index, the index, then the bytes of each file.

    The file starts with the length of everything after it, which is written last: without it nothing was packed.
    """
    room = os.fstat(out).st_size
    plain = (entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    # Lines first: where not everything fits, the newest wires are left out.
    files = sorted(plain, key=lambda entry: (entry.name.endswith(".wire"), entry.stat().st_mtime_ns, entry.name))
    index = [(entry.name, entry.stat().st_size) for entry in files]
    head = json.dumps(index).encode()
    end = 16 + len(head) + sum(size for _, size in index)
    while end > room and index:
        end -= index.pop()[1]
        head = json.dumps(index).encode()
    os.pwrite(out, struct.pack("<Q", len(head)) + head, 8)
    at = 16 + len(head)
    for name, size in index:
        at = _copy(os.path.join(folder, name), size, out, at)
    os.pwrite(out, struct.pack("<Q", at - 8), 0)


def _copy(path: str, size: int, out: int, at: int) -> int:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        end = at + size
        while at < end and (data := os.read(fd, min(_PIECE, end - at))):
            at += os.pwrite(out, data, at)
        return end
    finally:
        os.close(fd)
