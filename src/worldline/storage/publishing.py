"""Whole folders on a store: published with the manifest last, fetched and checked by its digests, withdrawn.

What is fetched to be read is kept in a cache; what is fetched to go on with has a folder of its own. What else a
manifest says is not known here.
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

MANIFEST = "manifest.json"  # of what is published: the last to appear, so that what has one is whole
_MANIFEST_BYTES = 64 << 20


def publish(folder: Path, where: str | Folder, *, last: str = MANIFEST) -> None:
    """Put every file of a folder at a place, the manifest last: what has one there is whole.

    One that was published there before loses its manifest first.
    """
    to = remote.place(where)
    remote.make_directory(to)
    there = files.names(folder)
    if nested := [name for name in there if (folder / name).is_dir()]:
        raise UsageError(f"{folder} holds folders, {nested[0]} among them: publish each by itself")
    if (to / last).is_file():
        remote.remove(to / last)
    for name in sorted(there, key=lambda name: name == last):
        with remote.disk(folder / name), (folder / name).open("rb") as source:
            if isinstance(to, StorePath):
                remote.send(source, to / name)
            else:
                files.write(to / name, source.read())


def withdraw(where: str | Folder, *, first: str = MANIFEST) -> None:
    """Remove what was published at a place, the manifest first: what has none is not taken for whole."""
    at = remote.place(where)
    if (at / first).is_file():
        remote.remove(at / first)
    if isinstance(at, Path):
        files.remove_folder(at, lambda name: True)
        return
    with remote.disk(at), remote.reached(at) as (store, path):
        store.delete_dir(path)


def cache_folder() -> Path:
    """Where copies of what is on stores are kept: `$XDG_CACHE_HOME/worldline`, or `~/.cache/worldline`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "worldline"


def fetched(where: str | Folder) -> Path:
    """A folder on a store as one on disk, each listed file checked by its digest; a folder on disk as it is.

    It is kept under the digest of its manifest, and not fetched again as long as that stands.
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
        with suppress(OSError):  # another process was quicker: its copy is the same
            os.rename(draft_folder, folder)
    return folder


def _contents(at: StorePath) -> tuple[dict[str, int], bytes]:
    """The size of each object of a folder, and its manifest; UsageError where there is nothing."""
    there = {name: size for name, size in remote.sizes(at).items() if name != files.LOCK_NAME}
    if not there:
        below = [name for name in remote.names(at) if name != files.LOCK_NAME]
        content = f"only folders; name one of them, as {at / below[-1]}" if below else "nothing"
        raise UsageError(f"{at}: there is {content}")
    return there, remote.read_plain(at / MANIFEST, limit=_MANIFEST_BYTES) if MANIFEST in there else b""


def _download(at: StorePath, folder: Path, there: dict[str, int], manifest: bytes) -> None:
    folder.mkdir()
    listed = _listed(manifest)
    for name, size in there.items():
        _fetch(at / name, folder / name, size, listed.get(name))


def fetch(where: str | Folder, folder: Path) -> None:
    """Bring what is at a place into a new folder, which appears whole: a checkpoint, so that a training goes on."""
    if os.path.lexists(folder):
        raise UsageError(f"{folder} is there already: nothing was fetched")
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
        raise DigestError(f"{at} is not the file that was written: its manifest says another")


def _listed(manifest: bytes) -> dict[str, str]:
    """The digests that a manifest of this package lists; what else it says is its room's."""
    with suppress(ValueError, AttributeError, TypeError, KeyError, RecursionError):
        content = json.loads(manifest) if manifest else {}
        table = content.get("files") or {shard["name"]: shard for shard in content.get("shards", ())}
        return {str(name): str(entry["sha256"]) for name, entry in table.items()}
    return {}
