"""Build a dataset of documents from a recipe: parallel, resumable, deduplicated by program.

Processes make units, which are stored in order, so the result does not depend on their number, and a
killed build resumes after the last stored unit. The same program (equal `split.key`) with the same call
is stored once. Asking a finished directory for more documents continues it, with the same result as
asking for them at once.
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
from typing import Any, cast

import msgspec

from worldline.codec.names import DEFAULT_NOTATION
from worldline.core.errors import UsageError, WorldlineError
from worldline.core.limits import adjusted
from worldline.core.trace import InterpreterInfo
from worldline.data.build.shards import DocumentStore
from worldline.data.build.unit import Unit, UnitJob, sum_coverage
from worldline.data.manifest import MANIFEST_NAME, fingerprint
from worldline.data.mixture import Mixture, recorded_source
from worldline.data.recipe import load_config
from worldline.data.repository.dataset import is_calls
from worldline.parallel.pool import LocalPool, WorkerPool, in_order
from worldline.programs.coverage.coverage import share
from worldline.recording.interpreter import find
from worldline.storage import files
from worldline.storage.remote import Folder

DEFAULT_DOCUMENTS = 10_000
DEFAULT_UNIT_DOCUMENTS = 1024
# Faults per unit that are printed.
MAX_REPORTED_FAULTS = 3


@dataclass(frozen=True)
class BuildProgress:
    """Progress of a build.

    Attributes:
        documents: Documents stored.
        wanted: Documents asked for.
        size: Bytes of the documents.
        duplicates: Documents dropped as duplicates.
        rate: Documents per second of this run.
        covered: Share of the required coverage.
        faults: Programs left out because the tool failed on them.
    """

    documents: int
    wanted: int
    size: int
    duplicates: int
    rate: float
    covered: float
    faults: int = 0


def build_dataset(
    recipe: str | Path | Mixture,
    out: str | Folder,
    *,
    count: int = DEFAULT_DOCUMENTS,
    workers: int = 0,
    seed: int = 0,
    unit: int = DEFAULT_UNIT_DOCUMENTS,
    format: str | None = None,
    max_steps: int | None = None,
    wall: float | None = None,
    trust: bool = False,
    progress: Callable[[BuildProgress], None] | None = None,
    pool: WorkerPool | None = None,
) -> BuildProgress:
    """Generate, record and encode the programs of a recipe, without duplicates. Call again to resume.

    Args:
        recipe: Path or name of a recipe, a mixture, or a dataset of recorded calls.
        out: Directory or URL to write.
        count: Number of documents.
        workers: Number of processes; 0 for one per core.
        seed: Seed of the dataset.
        unit: Documents per unit.
        format: Notation, `compact` or `cwm`; by default the mixture's own.
        max_steps: Maximum number of recorded steps per execution.
        wall: Maximum seconds per execution.
        trust: Whether to run programs without a sandbox.
        progress: Called after every stored unit.
        pool: Worker pool that makes the units (`join_ray`), instead of this machine's cores.

    Returns:
        The final progress.

    Raises:
        UsageError: An argument is invalid, or the sources have too few programs.
        FingerprintError: The directory was built with other settings.
    """
    if count < 1 or unit < 1 or workers < 0:
        raise UsageError("count and unit must be at least 1, workers at least 0 (0: one per core)")
    mixture = recipe if isinstance(recipe, Mixture) else _load_mixture(recipe)
    limits = adjusted(mixture.limits, max_steps=max_steps, wall=wall)
    mixture = replace(mixture, format=format or mixture.format, limits=limits)
    interpreter = find(None)
    plan: dict[str, Any] = {
        "seed": seed,
        "unit": unit,
        "trust": trust,
        "mixture": _describe_mixture(mixture),
        "files": _file_digests(mixture),
    }
    run_fingerprint = fingerprint(
        limits=mixture.limits, interpreter=InterpreterInfo(interpreter.name, interpreter.version, ""), recipe=plan
    )
    store = DocumentStore(out, fingerprint=run_fingerprint)
    try:
        pool = pool or LocalPool(workers or os.cpu_count() or 1, threads=True)
        jobs = (UnitJob(mixture, seed, number, unit, trust) for number in range(store.following, 1 << 31))
        with closing(in_order(pool.map(partial(_UnitProcess, plan["files"]), jobs))) as units:
            return _fill_store(store, units, count, progress)
    finally:
        store.close()


def _load_mixture(recipe: str | Path) -> Mixture:
    if is_calls(recipe):
        return Mixture(sources=(recorded_source(recipe),))
    return cast(Mixture, load_config(recipe, "data", Mixture))


def _describe_mixture(mixture: Mixture) -> dict[str, Any]:
    """The mixture for a fingerprint, without defaults that older datasets do not record."""
    fields: dict[str, Any] = msgspec.to_builtins(mixture)
    return {name: value for name, value in fields.items() if (name, value) != ("format", DEFAULT_NOTATION)}


def _file_digests(mixture: Mixture) -> dict[str, str]:
    """The sha256 of every file that a source draws from."""
    paths = sorted({source.argument for source in mixture.sources if source.argument})
    return {path: digest for path in paths if (digest := _file_digest(Path(path)))}


def _file_digest(path: Path) -> str:
    if path.is_dir():
        # A dataset: its manifest has the digests of its shards.
        path = path / MANIFEST_NAME
    if not path.is_file():
        return ""
    with files.disk(path), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fill_store(
    store: DocumentStore, units: Iterator[Unit], count: int, progress: Callable[[BuildProgress], None] | None
) -> BuildProgress:
    before, started, duplicates, faults = store.documents, time.monotonic(), 0, 0

    def now() -> BuildProgress:
        rate = (store.documents - before) / max(time.monotonic() - started, 1e-9)
        covered = share(store.coverage)
        return BuildProgress(store.documents, count, store.size, duplicates, rate, covered, faults)

    for number, result in enumerate(map(_require_unit, units), store.following) if store.documents < count else ():
        fresh = [
            (row, covers) for row, covers in zip(result.rows, result.covers, strict=True) if row.run not in store.runs
        ]
        duplicates += len(result.rows) - len(fresh)
        faults += len(result.faults)
        for fault in result.faults[:MAX_REPORTED_FAULTS]:
            warnings.warn(f"unit {number}: {fault}", stacklevel=3)
        if not fresh:
            raise UsageError(f"the sources have no more programs: stored {store.documents} of {count} documents")
        room = count - store.documents
        # A unit that is cut is made again for the rest of its documents.
        following = number + (len(fresh) <= room)
        fresh = fresh[:room]
        store.commit([row for row, _ in fresh], sum_coverage([covers for _, covers in fresh]), following=following)
        if progress is not None:
            progress(now())
        if store.documents >= count:
            break
    return now()


class _UnitProcess:
    """A worker that runs a process per unit and ends it when the unit is no longer needed."""

    def __init__(self, digests: Mapping[str, str]) -> None:
        if moved := [path for path, digest in digests.items() if _file_digest(Path(path)) != digest]:
            raise UsageError(f"{moved[0]} differs on {platform.node()}: copy the recipe's files to every node")
        self._process: subprocess.Popen[bytes] | None = None

    def __call__(self, job: UnitJob) -> Unit:
        """Return the documents of a unit."""
        command = [sys.executable, "-m", "worldline.data.build.unit"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self._process = process
            data = process.communicate(msgspec.json.encode(job))[0]
            self._process = None
        if process.returncode:
            raise WorldlineError(f"unit {job.unit} ended with status {process.returncode}")
        return msgspec.msgpack.decode(data, type=Unit)

    def close(self) -> None:
        """Stop the running process."""
        if (process := self._process) is not None:
            process.terminate()


def _require_unit(result: Unit) -> Unit:
    if result.trouble:
        raise UsageError(result.trouble)
    return result
