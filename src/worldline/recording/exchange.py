"""The files that the host and a sandboxed program exchange: sealed memory files, a wire and pipes.

The program and all its processes are dead before the wire is read. Nothing here decodes it.
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
SLACK = 64 << 10  # bytes beyond `trace_bytes`, for the records that end a trace
BEGUN = b"begun"  # the report before the first line of the program
MAX_COPIED_BYTES = 1 << 20  # a larger wire is sealed and mapped
# Systems without these seals execute nothing, but can import this module.
_SIZE_SEALS = getattr(fcntl, "F_SEAL_SHRINK", 0) | getattr(fcntl, "F_SEAL_GROW", 0)


class Drain:
    """A pipe from the sandbox, read up to a cap."""

    def __init__(self, cap: int) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.cap, self.data, self.ended = cap, bytearray(), False

    @property
    def over(self) -> bool:
        """Whether more was written than the cap."""
        return len(self.data) > self.cap

    def pump(self) -> None:
        """Read what is available. `ended` is set at the end of the pipe or beyond the cap."""
        with contextlib.suppress(BlockingIOError):
            while not self.ended:
                chunk = os.read(self.read_end, 1 << 16)
                self.data += chunk
                self.ended = not chunk or self.over


class Exchange:
    """The files of one run, from their creation until their content is read."""

    def __init__(self, spec: dict[str, Any], stdin: bytes, limits: Limits, parts: bytes = b"", left: int = 0) -> None:
        self._ours: list[int] = []
        self._theirs: list[int] = []
        try:
            self.report = self._drain(MAX_REPORT_BYTES)
            self.outputs = (self._drain(limits.output), self._drain(limits.output))
            self._wire = _wire_file(self._ours, limits.trace_bytes + SLACK)
            inputs = [_sealed_file(self._theirs, data) for data in (json.dumps(spec).encode(), stdin)]
            prepared = [_sealed_file(self._theirs, parts)] if parts else []
            self._left = [_wire_file(self._ours, left)] if left else []
        except BaseException:  # leave no file open, for example if there are too many
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
        """Whether the program reached its first line."""
        self.report.pump()
        return self.report.data == BEGUN

    @property
    def committed(self) -> bytes:
        """The header of the wire, which changes with every commit."""
        return os.pread(self._wire, WIRE_HEADER, 0)

    def sent(self) -> None:
        """Close the files that only the zygote needs, once it has them."""
        while self._theirs:
            os.close(self._theirs.pop())

    def take(self) -> tuple[bytes | memoryview, bytes, bytes]:
        """Return the wire, stdout and stderr, when nobody can write any more."""
        for drain in self.outputs:
            drain.pump()
        stdout, stderr = (bytes(drain.data[: drain.cap]) for drain in self.outputs)
        return _read_wire(self._wire), stdout, stderr

    @property
    def gathers(self) -> bool:
        """Whether the files that the program leaves are gathered."""
        return bool(self._left)

    def take_left(self) -> bytes:
        """Return the files that the program left; empty if they were not requested or not gathered."""
        for fd in self._left:
            length = int.from_bytes(os.pread(fd, 8, 0), "little")
            return os.pread(fd, min(length, os.fstat(fd).st_size), 8)
        return b""

    def close(self) -> None:
        """Close all open files."""
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
    """Create a sparse file sealed in size: a guest that shrank it could crash a host that maps it."""
    fd = _memory_file(owner, "wire")
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SIZE_SEALS)
    return fd


def _read_wire(fd: int) -> bytes | memoryview:
    """Return the committed part of the wire; the whole file if the header claims more than it holds.

    A large wire is sealed and mapped instead of copied. The kernel refuses the seal while another
    process has it mapped for writing (a killed sandbox may take a moment to die). Then it is copied.
    """
    committed: int = struct.unpack_from("<Q", os.pread(fd, WIRE_HEADER, 0), 8)[0]
    if committed <= MAX_COPIED_BYTES:
        return os.pread(fd, max(committed, WIRE_HEADER), 0)
    size = min(committed, os.fstat(fd).st_size)
    try:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    except OSError:
        return bytes(mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ))
    # Private: before Linux 6.7 a file with this seal could not be mapped shared.
    return memoryview(mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ))
