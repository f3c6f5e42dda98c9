"""A run's checkpoints on a store: each that is saved is sent there, and a new folder goes on from the newest.

Training itself stays on a disk: a checkpoint is whole there before it is sent, and on the store once its manifest is
there.
"""

from __future__ import annotations

from pathlib import Path

from worldline import remote
from worldline.model import checkpoint
from worldline.remote import Folder


def bring(store: Folder, out: Path) -> None:
    """The newest checkpoint that is whole there into a run's folder, unless that has one as new."""
    here, there = checkpoint.latest(out), _steps(store)
    if there and (here is None or checkpoint.step_of(here.name) < checkpoint.step_of(there[-1])):
        remote.fetch(store / there[-1], out / there[-1])


def send(saved: Path, store: Folder, *, keep: int) -> None:
    """Put a checkpoint there, and remove all but the newest."""
    remote.publish(saved, store / saved.name)
    clear(store, keep=keep)


def clear(store: Folder, *, keep: int = 0) -> None:
    """Remove all but the newest checkpoints."""
    there = _steps(store)
    for name in there[: max(0, len(there) - keep)]:
        remote.withdraw(store / name)


def _steps(store: Folder) -> list[str]:
    """The names of the checkpoints that are whole, the newest last."""
    found = [name for name in remote.names(store) if checkpoint.step_of(name) >= 0] if store.is_dir() else []
    return sorted(
        (name for name in found if (store / name / remote.MANIFEST).is_file()), key=checkpoint.step_of
    )
