"""Pack the parts of a prepared program: made in one sandbox, cached by the host, passed to the next.

A guest of a compiled language has these acts: `prepare` returns parts by name, `run` finds them as
files, and `tools` builds what a toolchain needs once. Parts are packed into the wire file, behind
its header. Runs inside the sandbox and imports nothing of worldline;
recording/languages/artefact.py is the counterpart on the host.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from typing import Any, NoReturn

from .refused import Refused

HEADER = 64
PREPARED = b"prepared"
_Act = Callable[[dict[str, Any]], dict[str, bytes]]


def prepare(act: _Act, spec: dict[str, Any], wire: int, report: int) -> NoReturn:
    """Write what the guest makes into the wire file: the parts of a program, or tools. Ends the process.

    Args:
        act: The function of the guest.
        spec: The program and its settings.
        wire: The file for the parts.
        report: The file that reports success or the reason of a refusal.
    """
    try:
        parts = act(spec)
    except Refused as refusal:
        os.write(2, refusal.message.encode("utf-8", "backslashreplace"))
        os.write(report, f"unsupported {refusal}".encode("utf-8", "backslashreplace")[:4000])
        os._exit(1)
    data = pack(parts)
    if HEADER + len(data) > os.fstat(wire).st_size:
        os.write(report, b"unsupported source: what was compiled is too large")
        os._exit(1)
    _write(lambda view, at: os.pwrite(wire, view, HEADER + at), data)
    os.pwrite(wire, b"WLW1" + struct.pack("<IQ", 0, HEADER + len(data)), 0)
    os.write(report, PREPARED)
    os._exit(0)


def pack(parts: dict[str, bytes]) -> bytes:
    """Pack parts into one file: the length of each, then each."""
    index = json.dumps({name: len(data) for name, data in parts.items()}).encode()
    return struct.pack("<Q", len(index)) + index + b"".join(parts.values())


def unpack(file: int, folder: str) -> dict[str, str]:
    """Write each part as a file into a folder. Return the paths by name."""
    os.mkdir(folder)
    (length,) = struct.unpack("<Q", os.pread(file, 8, 0))
    at, paths = 8 + length, {}
    for name, size in json.loads(os.pread(file, length, 8)).items():
        paths[name] = os.path.join(folder, name)
        fd = os.open(paths[name], os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o755)
        _copy(file, at, size, fd)
        os.close(fd)
        at += size
    return paths


def _copy(file: int, at: int, size: int, to: int) -> None:
    while size:
        data = os.pread(file, min(size, 1 << 20), at)
        _write(lambda view, _at: os.write(to, view), data)
        at, size = at + len(data), size - len(data)


def _write(act: Callable[[memoryview, int], int], data: bytes) -> None:
    view, at = memoryview(data), 0
    while at < len(view):
        at += act(view[at:], at)
