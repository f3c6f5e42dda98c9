"""Cache prepared programs: read from one sandbox, checked, stored by digest, passed to the next sandbox.

A source may have misled the compiler that made the parts, so they are only executed in a sandbox.
The cache itself is trusted: whoever can write to it can write all files of this user.
guests/prepared.py is the counterpart inside the sandbox.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldline.core.errors import DiskError
from worldline.recording.languages.toolchain import Toolchain
from worldline.storage import files

HEADER = 64  # of the wire file that holds the parts
MAX_PART_BYTES = 256 << 20
# Beyond these, the least recently used files are removed.
MAX_CACHE_BYTES, MAX_CACHE_FILES = 512 << 20, 8192
_unlooked = float("inf")  # bytes stored by this process since it last scanned the cache
_GUESTS = Path(__file__).parents[1] / "guests"


def read(data: bytes | memoryview) -> dict[str, bytes] | None:
    """Unpack parts by name. Return None if no guest packed these bytes."""
    view = memoryview(data)
    try:
        (length,) = struct.unpack_from("<Q", view, 0)
        index = json.loads(bytes(view[8 : 8 + length]))
        if not isinstance(index, dict) or not all(type(size) is int and size >= 0 for size in index.values()):
            return None
    except (struct.error, ValueError, RecursionError):
        return None
    parts, at = {}, 8 + length
    for name, size in index.items():
        parts[name] = bytes(view[at : at + size])
        at += size
    return parts if at == len(view) else None


def key(toolchain: Toolchain, spec: Mapping[str, Any]) -> str:
    """Return the digest of everything that decides the parts: the program, the toolchain and the guest."""
    made_of = {name: spec[name] for name in ("name", "source", "call", "files")}
    made_of |= {name: spec[name] for name in ("flags", "library_digests") if spec.get(name)}
    if toolchain.kind.prepares and spec.get("controlled"):
        made_of["controlled"] = True
    text = json.dumps([made_of, toolchain.language, toolchain.version, toolchain.executables, os.uname().machine])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") + guest_digest(toolchain.kind.guest)).hexdigest()


@lru_cache(maxsize=8)
def guest_digest(name: str) -> bytes:
    """Return the digest of the files of a guest."""
    hasher = hashlib.sha256()
    for path in sorted((_GUESTS / name).rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            hasher.update(path.name.encode() + b"\0" + path.read_bytes())
    return hasher.digest()


def folder() -> Path:
    """Return the folder of the cache."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "worldline" / "parts"


def load(digest: str) -> bytes | None:
    """Return the cached bytes of a digest, and mark them as recently used. None if they are not complete."""
    path = folder() / digest
    with suppress(OSError, DiskError):
        data = files.read(path, limit=MAX_PART_BYTES)
        if data is not None and read(data) is not None:
            os.utime(path)
            return data
    return None


def keep(digest: str, data: bytes) -> None:
    """Store parts if the disk allows it. From time to time, remove the least recently used ones."""
    global _unlooked
    with suppress(DiskError, OSError):
        files.make_directory(folder())
        files.write(folder() / digest, data, fsync=False)
        _unlooked += len(data)
        if _unlooked > MAX_CACHE_BYTES // 64:  # a look takes longer than all the rest where they are thousands
            _shrink()
            _unlooked = 0


def _shrink() -> None:
    with os.scandir(folder()) as entries:
        newest_first = sorted(_cached_files(entries), reverse=True)
    room = MAX_CACHE_BYTES
    for number, (_, size, path) in enumerate(newest_first):
        room -= size
        if room < 0 or number >= MAX_CACHE_FILES:
            files.remove(Path(path))


def _cached_files(entries: Iterable[os.DirEntry[str]]) -> Iterator[tuple[float, int, str]]:
    for entry in entries:
        with suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            yield about.st_mtime, about.st_size, entry.path
