"""The folder of a training run: whose it is, one trainer at a time, and how an earlier run in it is forgotten.

    config.json  metrics.jsonl  held-out.bin  diverged.json  step-*/  .lock

Trainers of one run share it: the first holds the lock. What a tutor or a tracker writes beside is theirs.
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

CONFIG, HELD_OUT = "config.json", "held-out.bin"
_DIVERGED = re.compile(r"diverged(-\d+)?\.json")


@contextmanager
def held(out: Path) -> Iterator[None]:
    """A run's folder while it is trained; BusyError if another trainer has it, UsageError if it is no run's."""
    files.make_directory(out)
    _require_run(out)
    with files.Lock(out):
        files.sweep(out, _is_own)
        yield


def clear(out: Path) -> None:
    """Forget an earlier run: its checkpoints, and what it held out."""
    checkpoint.clear(out)
    if (out / HELD_OUT).exists():
        files.remove(out / HELD_OUT)


def _require_run(out: Path) -> None:
    """UsageError unless a folder is empty, or a run's: it has its configuration, written first, or a checkpoint."""
    if (out / CONFIG).exists():
        with suppress(FormatError):
            if {"shape", "sources"} <= listing.read_object(out / CONFIG, limit=files.CHUNK).keys():
                return
        raise UsageError(f"{out} is no training run: its {CONFIG} is something else's")
    there, newest = files.contents(out, _is_own), checkpoint.latest(out)
    if there and (newest is None or not checkpoint.is_model(newest)):
        raise UsageError(f"{out} is neither empty nor a training run: it holds {', '.join(there[:3])}")


def _is_own(name: str) -> bool:
    return name in (CONFIG, HELD_OUT, metrics.NAME) or _DIVERGED.fullmatch(name) is not None
