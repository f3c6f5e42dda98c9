"""Cache the tools that a guest builds once for a toolchain: a folder by digest, read-only in sandboxes.

Tools are built in a sandbox without any program, and stored where no program can write. A folder
that is not complete counts as missing.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from worldline.core.errors import DiskError
from worldline.recording.languages import artefact
from worldline.recording.languages.toolchain import Toolchain
from worldline.storage import files

MAX_FOLDERS = 12  # beyond it the least recently used are removed, but none that may be in use
IN_USE_SECONDS = 24 * 3600  # since it was last found
INDEX = "index.json"  # written last: the size of each file
DATE = 946684800  # of every file: a JVM compares the date of a jar with its class archive
_INDEX_BYTES = 1 << 16


def key(toolchain: Toolchain) -> str:
    """Return the digest of everything that decides the tools: the toolchain and the guest."""
    text = json.dumps([toolchain.language, toolchain.version, toolchain.executables, os.uname().machine])
    return hashlib.sha256(text.encode() + artefact.guest_digest(toolchain.kind.guest)).hexdigest()


def folder() -> Path:
    """Return the folder that contains one folder per digest."""
    return artefact.folder().with_name("tools")


@functools.cache
def _own_folder() -> Path:
    """Create a folder for this process, if the folder of the user is not writable."""
    path = Path(tempfile.mkdtemp(prefix="worldline-tools-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def find(digest: str) -> Path | None:
    """Return the folder of a digest if it is complete, and mark it as recently used."""
    roots = [folder()]
    if _own_folder.cache_info().currsize:
        roots.append(_own_folder())
    for path in (root / digest for root in roots):
        with suppress(OSError, DiskError):
            if _is_whole(path):
                os.utime(path)
                return path
    return None


def _is_whole(path: Path) -> bool:
    try:
        index = json.loads(files.read(path / INDEX, limit=_INDEX_BYTES) or b"")
    except ValueError:
        return False
    return isinstance(index, dict) and all(
        os.stat(path / name, follow_symlinks=False).st_size == size for name, size in index.items()
    )


def keep(digest: str, contents: Mapping[str, bytes]) -> Path:
    """Store files by name, and remove the folders that were not used for longest.

    Args:
        digest: The digest of the tools.
        contents: The bytes of each file.

    Returns:
        Their folder.
    """
    try:
        path = _write(folder() / digest, contents)
        _shrink()
    except DiskError:
        path = _write(_own_folder() / digest, contents)
    return path


def _write(path: Path, contents: Mapping[str, bytes]) -> Path:
    files.make_directory(path)
    for name, data in contents.items():
        files.write(path / name, data, fsync=False)
        os.utime(path / name, (DATE, DATE))
    index = json.dumps({name: len(data) for name, data in contents.items()})
    files.write(path / INDEX, index.encode(), fsync=False)
    return path


def _shrink() -> None:
    paths = [folder() / name for name in files.names(folder())]
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[MAX_FOLDERS:]:
        with suppress(DiskError, OSError):
            if time.time() - os.path.getmtime(path) > IN_USE_SECONDS:
                files.remove_folder(path, lambda _name: True)
