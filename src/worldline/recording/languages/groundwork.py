"""What a guest makes once for a toolchain, before any program: compiled in a box, kept in a folder by digest.

A folder of files that a box which prepares programs has read-only, and a box that runs them has not. A list of their
sizes, written last, says that it is whole.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from worldline import files
from worldline.errors import DiskError
from worldline.recording.languages import artefact
from worldline.recording.languages.toolchain import Toolchain

LIST = "list.json"
KEPT = 8  # folders; what was not used for longest goes first
_LARGEST_LIST = 1 << 20


def folder(toolchain: Toolchain) -> Path:
    """Where it is kept for a toolchain and the guest as it is."""
    digest = artefact.key(toolchain, {"name": "", "source": "", "call": "groundwork", "files": {}})
    return artefact.folder().with_name("groundwork") / f"{toolchain.language}-{digest[:32]}"


def is_whole(path: Path) -> bool:
    """Whether all of it is there, as it was made."""
    with suppress(OSError, DiskError, ValueError, AttributeError):
        data = files.read(path / LIST, limit=_LARGEST_LIST)
        listed: dict[str, int] = json.loads(data or b"{}")
        return bool(listed) and all(os.stat(path / name).st_size == size for name, size in listed.items())
    return False


def keep(path: Path, made: dict[str, bytes]) -> bool:
    """Keep it, and let go of folders that were not used for longest; False where the disk does not let us."""
    if any("/" in name or name.startswith(".") for name in made):
        return False
    try:
        files.make_directory(path)
        for name, data in made.items():
            files.write(path / name, data)
        listed = {name: len(data) for name, data in made.items()}
        files.write(path / LIST, json.dumps(listed).encode())
        _shrink(path)
    except (DiskError, OSError):
        return False
    return True


def use(path: Path) -> None:
    """Say that it was used."""
    with suppress(OSError):
        os.utime(path / LIST)


def _shrink(newest: Path) -> None:
    others = [newest.parent / name for name in files.names(newest.parent) if name != newest.name]
    by_age = sorted(others, key=_used, reverse=True)
    for path in by_age[KEPT - 1 :]:
        files.remove_folder(path, lambda name: True)


def _used(path: Path) -> float:
    try:
        return os.stat(path / LIST).st_mtime
    except OSError:
        return 0.0
