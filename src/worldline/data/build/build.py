"""`build`: a dataset of documents from a recipe, on all cores, resumable, deduplicated by program.

Units are made by processes and stored in their order, so the result does not depend on how many there are, and a build
that was killed goes on after the last unit it stored. Deduplicated means: the same program (equal `split.key`, so with
every renaming) with the same call is stored once; with another call it is another execution, and stored. A finished
directory asked for more documents goes on, and ends as if it had been asked for them at once. What a unit is decided by
is `unit`, what is on disk `shards`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from worldline.codec.names import DEFAULT_NOTATION
from worldline.core.errors import UsageError, WorldlineError
from worldline.core.limits import adjusted
from worldline.core.trace import InterpreterInfo
from worldline.data.build.shards import Store
from worldline.data.build.unit import Unit, UnitJob, covered
from worldline.data.manifest import fingerprint
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.parallel.pool import Here, Workshop, in_order
from worldline.programs.coverage.coverage import share
from worldline.recording.interpreter import find
from worldline.storage import files
from worldline.storage.remote import Folder

COUNT = 10_000  # documents
UNIT = 1024  # documents
TOLD = 3  # faults of a unit that are told in words


@dataclass(frozen=True)
class BuildProgress:
    """How far a build has come. `rate` is documents a second of this run, `covered` the share of what is required."""

    documents: int
    wanted: int
    size: int
    duplicates: int
    rate: float
    covered: float
    faults: int = 0  # programs on which the tool failed, which are left out


def build_dataset(
    recipe: str | Path | Mixture,
    out: str | Folder,
    *,
    count: int = COUNT,
    workers: int = 0,
    seed: int = 0,
    unit: int = UNIT,
    format: str | None = None,
    max_steps: int | None = None,
    wall: float | None = None,
    trust: bool = False,
    progress: Callable[[BuildProgress], None] | None = None,
    workshop: Workshop | None = None,
) -> BuildProgress:
    """Generate, record and encode the programs of a recipe, without duplicates. Call again to resume.

    Args:
        recipe: A file, a name in `recipes/`, or the mixture itself.
        out: The folder or URL of the dataset.
        count: How many documents.
        workers: Processes at once; 0 for one per core.
        seed: Which documents.
        unit: Documents made at a time.
        format: The notation, `compact` or `cwm`; that of the mixture by default.
        max_steps: Limit of one execution: recorded steps.
        wall: Limit of one execution: seconds.
        trust: Execute without a sandbox.
        progress: Called after each unit.
        workshop: Who makes the units, where that is not this machine (`join_ray`).

    Returns:
        How many documents there are, and which share of what is required they cover.

    Raises:
        UsageError: The recipe cannot be read, or a number is out of range.
    """
    if count < 1 or unit < 1 or workers < 0:
        raise UsageError("count and unit are at least 1, workers at least 0 (0: one a core)")
    mixture = recipe if isinstance(recipe, Mixture) else load_config(recipe, "data", Mixture)
    limits = adjusted(mixture.limits, max_steps=max_steps, wall=wall)
    mixture = replace(mixture, format=format or mixture.format, limits=limits)
    who = find(None)
    plan: dict[str, Any] = {
        "seed": seed,
        "unit": unit,
        "trust": trust,
        "mixture": _told(mixture),
        "files": _digests(mixture),
    }
    mark = fingerprint(
        limits=mixture.limits, interpreter=InterpreterInfo(who.name, who.version, ""), recipe=plan
    )
    store = Store(out, fingerprint=mark)
    try:
        shop = workshop or Here(workers or os.cpu_count() or 1, threads=True)
        jobs = (UnitJob(mixture, seed, number, unit, trust) for number in range(store.following, 1 << 31))
        with closing(in_order(shop.map(partial(_UnitProcess, plan["files"]), jobs))) as units:
            return _fill(store, units, count, progress)
    finally:
        store.close()


def _told(mixture: Mixture) -> dict[str, Any]:
    """A mixture in a fingerprint; what older datasets do not say is left out where it is as it was then."""
    told: dict[str, Any] = msgspec.to_builtins(mixture)
    return {name: value for name, value in told.items() if (name, value) != ("format", DEFAULT_NOTATION)}


def _digests(mixture: Mixture) -> dict[str, str]:
    """The sha256 of every file that a source draws from: another file of that name is another recipe."""
    paths = sorted({source.argument for source in mixture.sources if source.argument})
    return {path: digest for path in paths if (digest := _digest(Path(path)))}


def _digest(path: Path) -> str:
    if not path.is_file():
        return ""
    with files.disk(path), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fill(
    store: Store, units: Iterator[Unit], count: int, progress: Callable[[BuildProgress], None] | None
) -> BuildProgress:
    before, began, duplicates, faults = store.documents, time.monotonic(), 0, 0

    def now() -> BuildProgress:
        rate = (store.documents - before) / max(time.monotonic() - began, 1e-9)
        covered = share(store.coverage)
        return BuildProgress(store.documents, count, store.size, duplicates, rate, covered, faults)

    for number, made in enumerate(map(_checked, units), store.following) if store.documents < count else ():
        fresh = [
            (row, covers)
            for row, covers in zip(made.rows, made.covers, strict=True)
            if row.run not in store.runs
        ]
        duplicates += len(made.rows) - len(fresh)
        faults += len(made.faults)
        for fault in made.faults[:TOLD]:
            warnings.warn(f"unit {number}: {fault}", stacklevel=3)
        if not fresh:
            raise UsageError(f"the sources have no more programs: {store.documents} documents of {count}")
        room = count - store.documents
        following = number + (len(fresh) <= room)  # a unit that is cut is made again for what it still has
        fresh = fresh[:room]
        store.commit([row for row, _ in fresh], covered([covers for _, covers in fresh]), following=following)
        if progress is not None:
            progress(now())
        if store.documents >= count:
            break
    return now()


class _UnitProcess:
    """One worker: a process for each unit, which ends when nobody wants the unit any more."""

    def __init__(self, digests: Mapping[str, str]) -> None:
        if moved := [path for path, digest in digests.items() if _digest(Path(path)) != digest]:
            raise UsageError(
                f"{moved[0]} is not on {platform.node()} as it is here: a recipe's files must be on every node"
            )
        self._process: subprocess.Popen[bytes] | None = None

    def __call__(self, job: UnitJob) -> Unit:
        """The documents of a unit."""
        command = [sys.executable, "-m", "worldline.data.build.unit"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self._process = process
            data = process.communicate(msgspec.json.encode(job))[0]
            self._process = None
        if process.returncode:
            raise WorldlineError(f"unit {job.unit} ended with status {process.returncode}")
        return msgspec.msgpack.decode(data, type=Unit)

    def close(self) -> None:
        """End what is under way."""
        if (process := self._process) is not None:
            process.terminate()


def _checked(made: Unit) -> Unit:
    if made.trouble:
        raise UsageError(made.trouble)
    return made
