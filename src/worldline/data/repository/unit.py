"""The worker that records one repository, or some of its tests, into a small dataset of its own.

Whatever goes wrong in a repository is the result of its unit, so it costs nothing but that repository. Only a missing
sandbox concerns them all and is raised.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from worldline.core.errors import FormatError, NoSandbox, WorldlineError
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.data.mine.near import Benchmark
from worldline.data.repository.dataset import CallWriter
from worldline.data.repository.similar import BenchmarkFilter
from worldline.data.repository.stored import InstanceRow, is_test_code
from worldline.recording.repository.calls import CallPaths, calls_of

# Notes of tests whose trace is not stored.
RESEMBLES_NOTE = "trace left out: resembles a benchmark"
TOO_LARGE_NOTE = "trace left out: too large for a row"


class Recording(Protocol):
    """What `record_tests` returns, as far as it is stored."""

    @property
    def instance(self) -> Instance: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def plain_seconds(self) -> float: ...
    def tests(self) -> Iterator[RecordedTest]: ...


RecordRepository = Callable[..., Recording]
"""`record_tests`, or a function with its parameters."""


@dataclass(frozen=True, kw_only=True)
class RecordingUnit:
    """What a worker records: a repository, or some of its tests.

    Attributes:
        key: Identifies the unit in the dataset.
        repository: The path of the repository.
        instance: What it is called.
        tests: The ids of its tests; None for all.
        max_calls: Calls per function to keep.
    """

    key: str
    repository: str
    instance: Instance
    max_calls: int
    tests: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class UnitResult:
    """A recorded unit: the folder of its dataset, or the files of it, or why there is none."""

    unit: RecordingUnit
    folder: str = ""
    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class RecordingJob:
    """Settings of every worker.

    Attributes:
        record: `record_tests`.
        options: Its options.
        notations: Notations in which calls are also stored.
        keep_traces: Whether to store the traces of whole tests.
        benchmark: Functions that must not be resembled.
        folder: Where workers put their datasets; None if the caller cannot see their disk.
    """

    record: RecordRepository
    options: dict[str, Any]
    notations: tuple[str, ...]
    keep_traces: bool
    benchmark: Benchmark
    folder: str | None


class RepositoryWorker:
    """Records one unit at a time."""

    def __init__(self, job: RecordingJob) -> None:
        self.job = job

    def __call__(self, unit: RecordingUnit) -> UnitResult:
        """Record a unit; errors become part of its result."""
        folder = ""
        try:
            folder = tempfile.mkdtemp(prefix="worldline-unit-", dir=self.job.folder)
            store_recording(self._record(unit), folder, unit, self.job)
            if self.job.folder is not None:
                return UnitResult(unit=unit, folder=folder)
            files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        except NoSandbox:
            raise
        except Exception as error:
            shutil.rmtree(folder, ignore_errors=True)
            return UnitResult(unit=unit, error=describe_error(error))
        shutil.rmtree(folder, ignore_errors=True)
        return UnitResult(unit=unit, files=files)

    def _record(self, unit: RecordingUnit) -> Recording:
        tests = None if unit.tests is None else list(unit.tests)
        return self.job.record(unit.repository, tests=tests, instance=unit.instance, **self.job.options)

    def close(self) -> None:
        """Do nothing: sandboxes end with their unit."""


def describe_error(error: BaseException) -> str:
    """Return an error as a line of a report."""
    return str(error) if isinstance(error, WorldlineError) else f"{type(error).__name__}: {error}"


def store_recording(recording: Recording, folder: str, unit: RecordingUnit, job: RecordingJob) -> None:
    """Store a recording as a dataset.

    Args:
        recording: The recording.
        folder: The new dataset.
        unit: What was recorded.
        job: What to store of it.
    """
    paths, similar = CallPaths(unit.max_calls), BenchmarkFilter(job.benchmark)
    notes = list(recording.notes)
    with CallWriter(
        folder, fingerprint={}, notations=job.notations, keep_traces=job.keep_traces, fsync=False
    ) as writer:
        for test in recording.tests():
            notes += _add_calls(writer, test, paths, similar)
            _add_test(writer, test, similar)
        writer.add_instance(
            InstanceRow(
                instance=recording.instance,
                unit=unit.key,
                notes=tuple(dict.fromkeys(notes)),
                seconds=recording.seconds,
                plain_seconds=recording.plain_seconds,
                left_out=similar.left_out,
            )
        )


def _add_calls(writer: CallWriter, test: RecordedTest, paths: CallPaths, similar: BenchmarkFilter) -> list[str]:
    """Add the calls of a test, without those of tests and of benchmarks; return what could not be stored."""
    notes = []
    for call in calls_of(test, paths):
        if test.trace is not None and is_test_code(call.trace.program.name, test.trace):
            continue
        if likes := similar.find(call.trace):
            similar.leave_out(likes)
            continue
        try:
            writer.add(call)
        except FormatError as error:
            notes.append(f"{call.function}: a call was left out: {error}")
    return notes


def _add_test(writer: CallWriter, test: RecordedTest, similar: BenchmarkFilter) -> None:
    if test.trace is not None and similar.find(test.trace):
        writer.add_test(replace(test, notes=(*test.notes, RESEMBLES_NOTE)), keep_trace=False)
        return
    try:
        writer.add_test(test)
    except FormatError:
        writer.add_test(replace(test, notes=(*test.notes, TOO_LARGE_NOTE)), keep_trace=False)
