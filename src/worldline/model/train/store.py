"""Checkpoints on an object store: each saved checkpoint is uploaded, and a new folder resumes from the newest.

Training itself works on a disk. A checkpoint is complete there before the upload, and complete on the
store once its manifest is there.
"""

from __future__ import annotations

from pathlib import Path

from worldline.core.errors import UsageError
from worldline.model import checkpoint
from worldline.storage import publishing, remote
from worldline.storage.remote import Folder


def require_disk(out: str) -> Path:
    """Return a run's folder on disk. Raise UsageError for the URL of a store."""
    if isinstance(folder := remote.place(out), Path):
        return folder
    raise UsageError(f"{out} is a URL, but training needs a folder on disk: pass the URL as --store")


def fetch_latest(store: Folder, out: Path) -> None:
    """Download the newest complete checkpoint, unless the run's folder has one as new."""
    local, remote_names = checkpoint.latest_checkpoint(out), _list_complete(store)
    if remote_names and (local is None or checkpoint.parse_step(local.name) < checkpoint.parse_step(remote_names[-1])):
        publishing.fetch(store / remote_names[-1], out / remote_names[-1])


def publish_checkpoint(saved: Path, store: Folder, *, keep: int) -> None:
    """Upload a checkpoint and remove all but the newest.

    Args:
        saved: Folder of the checkpoint.
        store: Where to upload it.
        keep: Number of checkpoints to keep there.
    """
    publishing.publish(saved, store / saved.name)
    prune_store(store, keep=keep)


def prune_store(store: Folder, *, keep: int = 0) -> None:
    """Remove all but the newest checkpoints, and incomplete uploads."""
    complete = _list_complete(store)
    retained = complete[max(0, len(complete) - keep) :]
    for name in _list_names(store):
        if name not in retained:
            publishing.withdraw(store / name)


def _list_names(store: Folder) -> list[str]:
    """Names of checkpoints, complete or not, the newest last."""
    names = remote.names(store) if store.is_dir() else []
    return sorted((name for name in names if checkpoint.parse_step(name) >= 0), key=checkpoint.parse_step)


def _list_complete(store: Folder) -> list[str]:
    """Names of complete checkpoints, the newest last."""
    return [name for name in _list_names(store) if (store / name / publishing.MANIFEST).is_file()]
