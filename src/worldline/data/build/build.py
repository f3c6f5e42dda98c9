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
import subprocess
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from worldline import files
from worldline.core.trace import InterpreterInfo
from worldline.data.build.shards import Store
from worldline.data.build.unit import Unit, UnitJob, covered
from worldline.data.manifest import fingerprint
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.errors import UsageError, WorldlineError
from worldline.programs.coverage.coverage import share
from worldline.recording.interpreter import find
from worldline.remote import Folder

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


def build(
    recipe: str | Path | Mixture, out: str | Folder, *, count: int, workers: int = 0, seed: int = 0, unit: int = UNIT,
    trust: bool = False, progress: Callable[[BuildProgress], None] | None = None, format: str | None = None,
) -> BuildProgress:  # fmt: skip
    """Store `count` documents of a recipe (a path, a name, or the mixture itself) in a directory, or go on doing so.

    `format` is the notation, where it is not the mixture's own.
    """
    if count < 1 or unit < 1 or workers < 0:
        raise UsageError("count and unit are at least 1, workers at least 0 (0: one a core)")
    mixture = recipe if isinstance(recipe, Mixture) else load_config(recipe, "data", Mixture)
    mixture = replace(mixture, format=format or mixture.format)
    who = find(None)
    plan = {
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
        return _fill(store, mixture, count, workers or os.cpu_count() or 1, seed, unit, trust, progress)
    finally:
        store.close()


def _told(mixture: Mixture) -> dict[str, Any]:
    """A mixture in a fingerprint; what older datasets do not say is left out where it is as it was then."""
    told: dict[str, Any] = msgspec.to_builtins(mixture)
    return {name: value for name, value in told.items() if (name, value) != ("format", "compact")}


def _digests(mixture: Mixture) -> dict[str, str]:
    """The sha256 of every file that a source draws from: another file of that name is another recipe."""
    found = {}
    for path in sorted({source.argument for source in mixture.sources if source.argument}):
        if Path(path).is_file():
            with files.disk(Path(path)), open(path, "rb") as file:
                found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _fill(
    store: Store, mixture: Mixture, count: int, workers: int, seed: int, unit: int, trust: bool,
    progress: Callable[[BuildProgress], None] | None,
) -> BuildProgress:  # fmt: skip
    before, began, duplicates, faults = store.documents, time.monotonic(), 0, 0

    def now() -> BuildProgress:
        rate = (store.documents - before) / max(time.monotonic() - began, 1e-9)
        covered = share(store.coverage)
        return BuildProgress(store.documents, count, store.size, duplicates, rate, covered, faults)

    first = store.following
    jobs = (UnitJob(mixture, seed, number, unit, trust) for number in range(first, 1 << 31))
    for number, made in enumerate(_units(jobs, workers), first) if store.documents < count else ():
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


def _units(jobs: Iterator[UnitJob], workers: int) -> Iterator[Unit]:
    """Units in order, as many processes at work as asked; those that nobody wants any more are ended."""
    running: set[subprocess.Popen[bytes]] = set()

    def run(job: UnitJob) -> Unit:
        command = [sys.executable, "-m", "worldline.data.build.unit"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            running.add(process)
            data = process.communicate(msgspec.json.encode(job))[0]
            running.discard(process)
        if process.returncode:
            raise WorldlineError(f"unit {job.unit} ended with status {process.returncode}")
        return msgspec.msgpack.decode(data, type=Unit)

    pool = ThreadPoolExecutor(workers, "worldline-build")
    flight: deque[Future[Unit]] = deque()
    try:
        for job in jobs:
            flight.append(pool.submit(run, job))
            if len(flight) > workers:
                yield _checked(flight.popleft().result())
    finally:
        for future in flight:
            future.cancel()
        for process in tuple(running):
            process.terminate()
        pool.shutdown(wait=True)


def _checked(made: Unit) -> Unit:
    if made.trouble:
        raise UsageError(made.trouble)
    return made
