"""A run's checkpoints on a store: each that is saved is sent there, and a new folder goes on from the newest.

Training itself stays on a disk: a checkpoint is whole there before it is sent, and on the store once its manifest is
there.
"""

from __future__ import annotations

from pathlib import Path

from worldline.core.errors import UsageError
from worldline.model import checkpoint
from worldline.storage import publishing, remote
from worldline.storage.remote import Folder


def require_disk(out: str) -> Path:
    """A run's folder, which is on a disk; UsageError of a URL of a store."""
    if isinstance(at := remote.place(out), Path):
        return at
    raise UsageError(f"{out}: a training works on a disk: give it a folder, and this URL to --store")


def bring(store: Folder, out: Path) -> None:
    """The newest checkpoint that is whole there into a run's folder, unless that has one as new."""
    here, there = checkpoint.latest(out), _steps(store)
    if there and (here is None or checkpoint.step_of(here.name) < checkpoint.step_of(there[-1])):
        publishing.fetch(store / there[-1], out / there[-1])


def send(saved: Path, store: Folder, *, keep: int) -> None:
    """Put a checkpoint there, and remove all but the newest."""
    publishing.publish(saved, store / saved.name)
    clear(store, keep=keep)


def clear(store: Folder, *, keep: int = 0) -> None:
    """Remove all but the newest checkpoints, and what is there of those that were never sent to their end."""
    whole = _steps(store)
    kept = whole[max(0, len(whole) - keep) :]
    for name in _named(store):
        if name not in kept:
            publishing.withdraw(store / name)


def _named(store: Folder) -> list[str]:
    """The names of checkpoints, whole or not, the newest last."""
    found = remote.names(store) if store.is_dir() else []
    return sorted((name for name in found if checkpoint.step_of(name) >= 0), key=checkpoint.step_of)


def _steps(store: Folder) -> list[str]:
    """The names of the checkpoints that are whole, the newest last."""
    return [name for name in _named(store) if (store / name / publishing.MANIFEST).is_file()]
