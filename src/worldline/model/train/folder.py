"""Folder of a training run: one trainer process group at a time holds it.

    config.json  metrics.jsonl  held-out.bin  diverged.json  step-*/  .lock

Trainers of one run share the folder; the first holds the lock. Tutors and trackers may add files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worldline.core.errors import FormatError, UsageError
from worldline.model import checkpoint
from worldline.model.train import metrics
from worldline.storage import files, listing

CONFIG_FILE, HELD_OUT_FILE = "config.json", "held-out.bin"
_DIVERGED_NAME = re.compile(r"diverged(-\d+)?\.json")


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """Hold a run's folder while it is trained.

    Args:
        out: Folder of the run; created if missing.

    Raises:
        BusyError: Another trainer holds it.
        UsageError: The folder contains something else.
    """
    files.make_directory(out)
    _require_run(out)
    with files.Lock(out):
        files.sweep(out, _is_run_file)
        yield


def clear_folder(out: Path) -> None:
    """Remove an earlier run's checkpoints and held-out documents."""
    checkpoint.clear_checkpoints(out)
    if (out / HELD_OUT_FILE).exists():
        files.remove(out / HELD_OUT_FILE)


def _require_run(out: Path) -> None:
    """Raise UsageError unless a folder is empty or has a run's configuration or checkpoint."""
    if (out / CONFIG_FILE).exists():
        with suppress(FormatError):
            if {"shape", "sources"} <= listing.read_object(out / CONFIG_FILE, limit=files.CHUNK).keys():
                return
        raise UsageError(f"{out} is not a training run: its {CONFIG_FILE} has another format")
    contents, newest = files.contents(out, _is_run_file), checkpoint.latest_checkpoint(out)
    if contents and (newest is None or not checkpoint.is_model(newest)):
        raise UsageError(f"{out} is neither empty nor a training run: it contains {', '.join(contents[:3])}")


def _is_run_file(name: str) -> bool:
    return name in (CONFIG_FILE, HELD_OUT_FILE, metrics.METRICS_FILE) or _DIVERGED_NAME.fullmatch(name) is not None
