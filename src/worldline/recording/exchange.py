"""What the host and a boxed program exchange: sealed memory files in, a wire and three capped pipes out.

The program is dead, with its whole family, before the wire is read. Nothing here decodes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import struct
from typing import Any

from worldline.core.limits import Limits

WIRE_HEADER = 64
MAX_REPORT_BYTES = 1 << 12
SLACK = 64 << 10  # beyond `trace_bytes`, for the records that end a trace
BEGUN = b"begun"  # what the report says before the program's first line
MAX_COPIED_BYTES = 1 << 20  # a wire up to this size is copied, a larger one sealed and mapped
# Where these are not, nothing is run: but what runs nothing is imported.
_SIZE_SEALS = getattr(fcntl, "F_SEAL_SHRINK", 0) | getattr(fcntl, "F_SEAL_GROW", 0)


class Drain:
    """A pipe from the box, read up to a cap."""

    def __init__(self, cap: int) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.cap, self.data, self.ended = cap, bytearray(), False

    @property
    def over(self) -> bool:
        """Whether more was written than may be kept."""
        return len(self.data) > self.cap

    def pump(self) -> None:
        """Read what is there. `ended`: nobody can write any more, or nobody should."""
        with contextlib.suppress(BlockingIOError):
            while not self.ended:
                chunk = os.read(self.read_end, 1 << 16)
                self.data += chunk
                self.ended = not chunk or self.over


class Exchange:
    """The files of one run, from their making to what is read back from them."""

    def __init__(
        self, spec: dict[str, Any], stdin: bytes, limits: Limits, parts: bytes = b"", left: int = 0
    ) -> None:
        self._ours: list[int] = []
        self._theirs: list[int] = []
        try:
            self.report = self._drain(MAX_REPORT_BYTES)
            self.outputs = (self._drain(limits.output), self._drain(limits.output))
            self._wire = _wire_file(self._ours, limits.trace_bytes + SLACK)
            inputs = [_sealed_file(self._theirs, data) for data in (json.dumps(spec).encode(), stdin)]
            prepared = [_sealed_file(self._theirs, parts)] if parts else []
            self._left = [_wire_file(self._ours, left)] if left else []
        except BaseException:  # no file is left open when there can be no more of them
            self.close()
            raise
        ends = (drain.write_end for drain in self.outputs)
        self.files = [inputs[0], self._wire, self.report.write_end, inputs[1], *ends, *prepared, *self._left]

    def _drain(self, cap: int) -> Drain:
        drain = Drain(cap)
        self._ours.append(drain.read_end)
        self._theirs.append(drain.write_end)
        return drain

    @property
    def begun(self) -> bool:
        """Whether the program's first line was reached."""
        self.report.pump()
        return self.report.data == BEGUN

    @property
    def committed(self) -> bytes:
        """The wire's header, which changes whenever something is committed."""
        return os.pread(self._wire, WIRE_HEADER, 0)

    def sent(self) -> None:
        """The zygote has them: close what only it needs."""
        while self._theirs:
            os.close(self._theirs.pop())

    def take(self) -> tuple[bytes | memoryview, bytes, bytes]:
        """The wire, stdout and stderr, when nobody can write any more."""
        for drain in self.outputs:
            drain.pump()
        stdout, stderr = (bytes(drain.data[: drain.cap]) for drain in self.outputs)
        return _read_wire(self._wire), stdout, stderr

    @property
    def gathers(self) -> bool:
        """Whether what the program leaves is to be told."""
        return bool(self._left)

    def take_left(self) -> bytes:
        """What was gathered of the files that the program left; nothing where it was not asked for, or not done."""
        for fd in self._left:
            length = int.from_bytes(os.pread(fd, 8, 0), "little")
            return os.pread(fd, min(length, os.fstat(fd).st_size), 8)
        return b""

    def close(self) -> None:
        """Close everything that is still open."""
        self.sent()
        while self._ours:
            os.close(self._ours.pop())


def _memory_file(owner: list[int], name: str) -> int:
    owner.append(os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
    return owner[-1]


def _sealed_file(owner: list[int], data: bytes) -> int:
    fd = _memory_file(owner, "program")
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SIZE_SEALS | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL)
    return fd


def _wire_file(owner: list[int], size: int) -> int:
    """Sparse, and sealed in size: a guest that shrank it could crash a host that maps it."""
    fd = _memory_file(owner, "wire")
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SIZE_SEALS)
    return fd


def _read_wire(fd: int) -> bytes | memoryview:
    """The committed part, for good; a header that claims more than the file holds gets the whole file.

    A large one is not copied: sealed, it cannot be written any more. The kernel refuses the seal while anyone still
    has it mapped for writing (a box that was killed may take a moment to die), and then there is a copy.
    """
    committed: int = struct.unpack_from("<Q", os.pread(fd, WIRE_HEADER, 0), 8)[0]
    if committed <= MAX_COPIED_BYTES:
        return os.pread(fd, max(committed, WIRE_HEADER), 0)
    size = min(committed, os.fstat(fd).st_size)
    try:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    except OSError:
        return bytes(mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ))
    # Private, since before Linux 6.7 nothing could be mapped shared that is sealed so.
    return memoryview(mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ))
