"""Publish whole folders to a store, fetch them and withdraw them.

The manifest is written last and removed first, so a folder with a manifest is complete. Fetched
files are checked against its digests. `fetched` keeps read-only copies in a cache; `fetch` makes a
copy to continue from. The other fields of a manifest are not interpreted here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from worldline.core.errors import DigestError, UsageError
from worldline.storage import files, remote
from worldline.storage.remote import Folder, StorePath

MANIFEST = "manifest.json"  # appears last: a published folder that has one is complete
_MANIFEST_BYTES = 64 << 20


def publish(folder: Path, where: str | Folder, *, last: str = MANIFEST) -> None:
    """Copy every file of a folder to a place, the manifest last.

    A folder published there before loses its manifest first, so an interrupted upload is not complete.

    Args:
        folder: The local folder. It must not contain folders.
        where: A URL or a path.
        last: The name of the manifest.

    Raises:
        UsageError: The folder contains folders.
        DiskError: Reading or writing failed.
    """
    to = remote.place(where)
    remote.make_directory(to)
    there = files.names(folder)
    if nested := [name for name in there if (folder / name).is_dir()]:
        raise UsageError(f"{folder} contains folders, such as {nested[0]}: publish each one separately")
    if (to / last).is_file():
        remote.remove(to / last)
    for name in sorted(there, key=lambda name: name == last):
        with remote.disk(folder / name), (folder / name).open("rb") as source:
            if isinstance(to, StorePath):
                remote.send(source, to / name)
            else:
                files.write(to / name, source.read())


def replace_folder(folder: Path, where: str | Folder, own: files.Own, *, last: str = f".{MANIFEST}") -> None:
    """Publish a folder of shards in place of one that is there. Files of others stay.

    The old manifest is removed first and the new one written last, so an interrupted replacement is not complete.

    Args:
        folder: The new folder, local and without folders inside.
        where: A URL or a path.
        own: Whether a file name belongs to the old folder.
        last: The name of the manifest.

    Raises:
        BusyError: Another process writes there.
        DiskError: Reading or writing failed.
    """
    to = remote.place(where)
    remote.make_directory(to)
    held = remote.lock(to)
    try:
        for name in sorted(remote.contents(to, own), key=lambda name: name.removeprefix(".") != MANIFEST):
            if own(name):
                remote.remove(to / name)
        publish(folder, to, last=last)
    finally:
        held.release()


def withdraw(where: str | Folder, *, first: str = MANIFEST) -> None:
    """Remove a published folder, its manifest first.

    Args:
        where: A URL or a path.
        first: The name of the manifest.
    """
    at = remote.place(where)
    if (at / first).is_file():
        remote.remove(at / first)
    if isinstance(at, Path):
        files.remove_folder(at, lambda name: True)
        return
    with remote.disk(at), remote.reached(at) as (store, path):
        store.delete_dir(path)


def cache_folder() -> Path:
    """Return the folder for copies of remote files: `$XDG_CACHE_HOME/worldline` or `~/.cache/worldline`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "worldline"


def fetched(where: str | Folder) -> Path:
    """Return a local folder with the content of a folder on a store. A local path is returned as it is.

    Each listed file is checked by its digest. The copy is cached under the digest of the manifest and
    fetched again only if the manifest changes.

    Raises:
        UsageError: There is nothing at that place.
        DigestError: A file differs from the manifest.
    """
    at = remote.place(where)
    if isinstance(at, Path):
        return at
    there, manifest = _contents(at)
    key = hashlib.sha256(repr((str(at), sorted(there.items()), manifest)).encode()).hexdigest()
    folder = cache_folder() / key[:32] / at.name
    if folder.is_dir():
        return folder
    files.make_directory(folder.parent)
    with tempfile.TemporaryDirectory(prefix=".fetched-", dir=folder.parent) as half:
        draft_folder = Path(half) / at.name
        _download(at, draft_folder, there, manifest)
        with suppress(OSError):  # another process was faster, and its copy is the same
            os.rename(draft_folder, folder)
    return folder


def _contents(at: StorePath) -> tuple[dict[str, int], bytes]:
    """Return the size of each object in a folder, and the manifest; UsageError if there is nothing."""
    there = {name: size for name, size in remote.sizes(at).items() if name != files.LOCK_NAME}
    if not there:
        below = [name for name in remote.names(at) if name != files.LOCK_NAME]
        content = f"only folders; name one of them, such as {at / below[-1]}" if below else "nothing"
        raise UsageError(f"{at}: there is {content}")
    return there, remote.read_plain(at / MANIFEST, limit=_MANIFEST_BYTES) if MANIFEST in there else b""


def _download(at: StorePath, folder: Path, there: dict[str, int], manifest: bytes) -> None:
    folder.mkdir()
    listed = _listed(manifest)
    for name, size in there.items():
        _fetch(at / name, folder / name, size, listed.get(name))


def fetch(where: str | Folder, folder: Path) -> None:
    """Copy a folder into a new local folder, which appears complete, such as a checkpoint to resume from.

    Args:
        where: A URL or a path.
        folder: The new folder.

    Raises:
        UsageError: The folder exists already, or there is nothing to fetch.
        DigestError: A file differs from the manifest.
    """
    if os.path.lexists(folder):
        raise UsageError(f"{folder} exists already: nothing was fetched")
    at, half = remote.place(where), folder.with_name(f".{folder.name}.new.tmp")
    files.make_directory(folder.parent)
    with remote.disk(half):
        shutil.rmtree(half, ignore_errors=True)
        if isinstance(at, Path):
            shutil.copytree(at, half)
        else:
            _download(at, half, *_contents(at))
        os.rename(half, folder)
    files.sync_directory(folder.parent)


def _fetch(at: StorePath, to: Path, size: int, sha256: str | None) -> None:
    draft = files.Draft(to, fsync=False)
    with remote.disk(at), remote.reached(at) as (store, path), store.open_input_stream(path) as source:
        while data := source.read(8 * files.CHUNK):
            draft.write(data)
    digest = draft.commit()
    if digest != (sha256 or digest) or draft.size != size:
        raise DigestError(f"{at} is not the file that was written: its digest differs from the manifest")


def _listed(manifest: bytes) -> dict[str, str]:
    """Return the digests that a manifest of this package lists."""
    with suppress(ValueError, AttributeError, TypeError, KeyError, RecursionError):
        content = json.loads(manifest) if manifest else {}
        table = content.get("files") or {shard["name"]: shard for shard in content.get("shards", ())}
        return {str(name): str(entry["sha256"]) for name, entry in table.items()}
    return {}
