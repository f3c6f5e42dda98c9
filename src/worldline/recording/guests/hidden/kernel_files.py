"""Swap the reads of files that the kernel writes anew: `/dev/urandom`, and everything below `/proc`; and the load.

Their bytes are hidden inputs. With a seed, random bytes, UUIDs, the time since the start and the load follow from it.
Other files of `/proc` hold what the kernel says, so two runs with one seed may differ there; a replay has the same.
"""

from __future__ import annotations

import _io
import builtins
import posix
from collections.abc import Callable
from typing import Any

from .tape import Swap, Tape
from .virtual_clock import VirtualClock

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_RANDOM_DEVICES = ("/dev/urandom", "/dev/random")
_RANDOM_FOLDER = "/proc/sys/kernel/random/"
_CHUNK = 256  # a buffered file asks for more bytes than the program does; shorter reads are always whole
_NO_LOAD = b"0.00 0.00 0.00 1/1 1\n"
_FROM_HERE = 1  # of `lseek`
_readlink, _lseek = posix.readlink, posix.lseek


def install(tape: Tape, clock: VirtualClock, swap: Swap) -> None:
    """Swap the functions that read from a descriptor, and `getloadavg`."""
    files = KernelFiles(tape, clock)
    _swap_descriptors(files, swap)
    _swap_file_objects(files, swap)

    def getloadavg() -> Any:
        return tape.draw("load", load() if tape.live else (0.0, 0.0, 0.0))

    load: Any = swap(posix, "getloadavg", getloadavg)


class KernelFiles:
    """Decides what a read of a file gives."""

    def __init__(self, tape: Tape, clock: VirtualClock) -> None:
        self._tape, self._clock = tape, clock
        self._texts: dict[str, bytes] = {}  # of files that are read in pieces

    def path(self, fd: int) -> str:
        """Return the path of a file that the kernel writes; empty for all others."""
        try:
            path = _readlink(f"/proc/self/fd/{fd}")
        except (OSError, OverflowError, ValueError):
            return ""
        return path if path.startswith("/proc/") or path in _RANDOM_DEVICES else ""

    def read(self, path: str, fd: int, size: int, real: Callable[[], bytes]) -> bytes:
        """Read at most `size` bytes of such a file; `real` reads from the file itself."""
        start = 0 if path in _RANDOM_DEVICES else _position(fd)
        content = real()
        if path in _RANDOM_DEVICES:
            count = len(content)
            drawn: bytes = self._tape.draw(f"urandom {count}", content if self._tape.live else self._random(count))
            return drawn
        if not self._tape.live and _is_decided(path):
            if start == 0:
                self._texts[path] = self._seeded(path)
            content = self._texts.get(path, b"")[start:][: None if size < 0 else size]
        text: bytes = self._tape.draw("proc", content)
        return text

    def _random(self, count: int) -> bytes:
        return self._tape.bits(8 * count).to_bytes(count, "little") if count else b""

    def _seeded(self, path: str) -> bytes:
        """Return what a file of the kernel holds in a run with a seed."""
        if path == "/proc/uptime":
            now = self._clock.now() // 10**7
            return b"%d.%02d 0.00\n" % (now // 100, now % 100)
        if path == "/proc/loadavg":
            return _NO_LOAD
        digits = self._random(16).hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])).encode() + b"\n"


def _is_decided(path: str) -> bool:
    """Tell whether a seed decides what a file holds."""
    return path in ("/proc/uptime", "/proc/loadavg") or (path.startswith(_RANDOM_FOLDER) and path.endswith("id"))


def _position(fd: int) -> int:
    try:
        return _lseek(fd, 0, _FROM_HERE)
    except OSError:
        return 0


def _swap_descriptors(files: KernelFiles, swap: Swap) -> None:
    def read(*args: Any, **kwargs: Any) -> Any:
        path = files.path(args[0]) if len(args) == 2 and type(args[0]) is int else ""
        return files.read(path, args[0], args[1], lambda: original(*args)) if path else original(*args, **kwargs)

    original: Any = swap(posix, "read", read)


def _swap_file_objects(files: KernelFiles, swap: Swap) -> None:
    """Swap the methods by which every file object reads, buffered or not."""
    kind: Any = _io.FileIO

    def path_of(self: Any) -> str:
        return "" if self.closed else files.path(self.fileno())

    def readinto(self: Any, buffer: Any, /) -> Any:
        path = path_of(self)
        if not path:
            return into(self, buffer)
        with memoryview(buffer) as view, view.cast("B") as target:
            size = min(len(target), _CHUNK) if path in _RANDOM_DEVICES else len(target)
            data = files.read(path, self.fileno(), size, lambda: some(self, size))
            target[: len(data)] = data
        return len(data)

    def read(self: Any, size: Any = -1, /) -> Any:
        path = path_of(self)
        if not path:
            return some(self, size)
        if size is None or size < 0:
            return readall(self)
        return files.read(path, self.fileno(), size, lambda: some(self, size))

    def readall(self: Any) -> Any:
        path = path_of(self)
        if not path or path in _RANDOM_DEVICES:
            return whole(self)  # a random device never ends
        return files.read(path, self.fileno(), -1, lambda: whole(self))

    into: Any = swap(kind, "readinto", readinto)
    some: Any = swap(kind, "read", read)
    whole: Any = swap(kind, "readall", readall)
