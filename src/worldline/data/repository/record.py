"""Record the tests of many repositories into one dataset: `record_repositories`.

Each repository is a unit of work for a worker process or a Ray node; a repository alone is split into groups of its
test files. The order of the dataset is that of the list, whatever the workers. A repository that fails, hangs or kills
its worker costs only itself and is reported. A killed run resumes with the units that are missing.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any

from worldline.core.errors import NoSandbox, UsageError, WorldlineError
from worldline.core.repository.recorded_test import Instance
from worldline.data import manifest as manifests
from worldline.data.mine.near import Benchmark
from worldline.data.repository.dataset import CallWriter, read_path_digests
from worldline.data.repository.report import RepositoriesReport, RepositoryReport, benchmark_facts, summarize
from worldline.data.repository.stored import InstanceRow
from worldline.data.repository.unit import (
    RecordingJob,
    RecordingUnit,
    RecordRepository,
    RepositoryWorker,
    UnitResult,
    describe_error,
    store_recording,
)
from worldline.parallel.pool import LocalPool, WorkerPool, in_order
from worldline.recording.repository.budget import DEFAULT_BUDGET, TestBudget
from worldline.recording.repository.calls import CallPaths
from worldline.recording.repository.record import TestRecording, instance_of, record_tests
from worldline.storage.inputs import read_input
from worldline.storage.remote import Folder, place

DEFAULT_MAX_CALLS = 8
# Groups of test files per worker, for a repository that is alone.
GROUPS_PER_WORKER = 2
MAX_LIST_BYTES = 16 << 20
_Results = Generator[tuple[int, UnitResult], None, None]


def record_repositories(
    repositories: Sequence[str],
    out: str | Folder,
    *,
    workers: int = 1,
    ray: str | None = None,
    venv: str | None = None,
    python: str | None = None,
    args: Sequence[str] = (),
    budget: TestBudget = DEFAULT_BUDGET,
    include: Sequence[str] = (),
    check: bool = True,
    core: str = "auto",
    trust: bool = False,
    max_calls: int = DEFAULT_MAX_CALLS,
    notations: Sequence[str] = (),
    keep_traces: bool = True,
    leave_out: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
    record: RecordRepository = record_tests,
) -> RepositoriesReport:
    """Record the tests of repositories and store their calls in a dataset.

    Repeating a killed call resumes it. A revision that is stored is not recorded again; a repository that failed is.

    Args:
        repositories: Paths of repositories, and of lists of them: `.txt` files, or any file as `@FILE`.
        out: Directory or URL of the dataset.
        workers: Number of processes.
        ray: Address of a Ray cluster to record on; `auto` uses or starts one. Its nodes must have the repositories.
        venv: A virtual environment for the tests; by default each repository gets its own.
        python: The interpreter that new environments are made from.
        args: Arguments for pytest.
        budget: What recording one repository may use.
        include: Packages outside the repositories to step into.
        check: Also execute the tests without the recorder, and compare the outcomes.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        max_calls: Calls to keep of each function: the first with distinct paths.
        notations: Notations in which each call is also stored as text: `compact`, `cwm`.
        keep_traces: Whether to store the traces of whole tests, which `export_rows` needs.
        leave_out: Benchmark files; functions similar to theirs are left out, and so are calls that step into them.
        progress: Called with a line about each unit.
        record: Records one repository.

    Returns:
        The report, which is also stored as `report.json`.

    Raises:
        UsageError: A list cannot be read, or an option is invalid.
        NoSandbox: There is no sandbox here.
        FingerprintError: The dataset was recorded with other settings.
    """
    if max_calls < 1:
        raise UsageError(f"max_calls must be at least 1, not {max_calls}")
    pool = _pool(workers, ray, trust)
    benchmark = Benchmark.read(leave_out)
    options: dict[str, Any] = {"venv": venv, "python": python, "args": tuple(args), "budget": budget}
    options |= {"include": tuple(include), "check": check, "core": core, "trust": trust}
    mark = _fingerprint(options, max_calls, [*leave_out])
    listed = _name_instances(list_repositories(repositories))
    with (
        tempfile.TemporaryDirectory(prefix="worldline-repositories-", ignore_cleanup_errors=True) as folder,
        CallWriter(out, fingerprint=mark, notations=notations, keep_traces=keep_traces) as writer,
    ):
        job = RecordingJob(
            record=record,
            options=options,
            notations=writer.notations,
            keep_traces=keep_traces,
            benchmark=benchmark,
            folder=folder if ray is None else None,
        )
        plan = _plan_units(listed, writer, job, max_calls, 0 if workers == 1 and ray is None else workers)
        say = progress or (lambda line: None)
        results = _run_units(pool, partial(RepositoryWorker, job), plan.units)
        with closing(in_order(_landed(results, folder))) as ordered:
            for result in ordered:
                _store(writer, result, plan)
                say(_progress_line(result))
        _finish(writer, listed, plan)
        report = _report(place(out), listed, plan, benchmark_facts(benchmark, leave_out))
        writer.write_report(_report_text(report.as_json()))
    return report


def store_tests(
    recording: TestRecording,
    out: str | Folder,
    *,
    max_calls: int = DEFAULT_MAX_CALLS,
    include: Sequence[str] = (),
    notations: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    unit: str | None = None,
    report: dict[str, Any] | None = None,
) -> RepositoryReport:
    """Store the calls of one recording in a dataset, beside those already there.

    Args:
        recording: The recorded tests.
        out: Directory or URL of the dataset.
        max_calls: Calls to keep of each function: the first with distinct paths.
        include: Packages outside the repository that were stepped into.
        notations: Notations in which each call is also stored as text: `compact`, `cwm`.
        leave_out: Benchmark files; functions similar to theirs are left out.
        unit: What the recording is called, if it is only a part of the repository's tests.
        report: Stored as `report.json`.

    Returns:
        The report on this repository.

    Raises:
        FingerprintError: The dataset was recorded with other settings.
    """
    options = {"budget": recording.budget, "args": (), "include": tuple(include)}
    mark, instance = _fingerprint(options, max_calls, [*leave_out]), recording.instance
    with (
        tempfile.TemporaryDirectory(prefix="worldline-repositories-", ignore_cleanup_errors=True) as folder,
        CallWriter(out, fingerprint=mark, notations=notations) as writer,
    ):
        key = instance.id if unit is None else unit
        recorded = RecordingUnit(key=key, repository="", instance=instance, max_calls=2 * max_calls)
        job = RecordingJob(
            record=record_tests,
            options={},
            notations=writer.notations,
            keep_traces=True,
            benchmark=Benchmark.read(leave_out),
            folder=folder,
        )
        part = str(Path(folder) / "part")
        store_recording(recording, part, recorded, job)
        writer.adopt(part, _stored_paths(writer, instance, max_calls).keep)
        if report is not None:
            writer.write_report(_report_text(report))
    return summarize(place(out))[instance.id]


def _report_text(report: dict[str, Any]) -> bytes:
    return json.dumps(report, indent=1, ensure_ascii=True).encode() + b"\n"


def list_repositories(repositories: Iterable[str]) -> list[str]:
    """Return the paths of repositories, each once, in order.

    Args:
        repositories: Paths, and lists of paths: `.txt` files, or any file as `@FILE`. A list has one path per line,
            relative to its own folder; `#` starts a comment.

    Raises:
        UsageError: A list cannot be read.
    """
    paths: dict[str, None] = {}
    for entry in repositories:
        file = Path(entry.removeprefix("@"))
        if not entry.startswith("@") and not (entry.endswith(".txt") and file.is_file()):
            paths[entry] = None
            continue
        try:
            text = read_input(file, limit=MAX_LIST_BYTES).decode()
        except OSError as error:
            raise UsageError(f"{entry} cannot be read as a list of repositories: {error.strerror}") from None
        except ValueError as error:
            raise UsageError(f"{entry} is not a list of repositories: {error}") from None
        listed = (line.partition("#")[0].strip() for line in text.splitlines())
        paths |= dict.fromkeys(str(file.parent / Path(line).expanduser()) for line in listed if line)
    return list(paths)


def _pool(workers: int, ray: str | None, trust: bool) -> WorkerPool:
    if ray is None:
        return LocalPool(workers)
    from worldline.parallel.ray_pool import join_ray

    return join_ray(ray, trust=trust)


def _fingerprint(options: dict[str, Any], max_calls: int, leave_out: list[str]) -> dict[str, Any]:
    """What determines the calls besides the repositories, their environments and the number of workers."""
    benchmarks = sorted(hashlib.sha256(read_input(path)).hexdigest() for path in leave_out)
    return {
        "code": manifests.code_version(),
        "budget": asdict(options["budget"]),
        "args": list(options["args"]),
        "include": list(options["include"]),
        "max_calls": max_calls,
        "leave_out": benchmarks,
    }


def _name_instances(paths: Sequence[str]) -> dict[str, Instance | str]:
    """The instance of each repository, or why it has none. Folders of one name are told apart by their parents."""
    listed: dict[str, Instance | str] = {}
    for path in paths:
        root = Path(path).resolve()
        try:
            listed[path] = instance_of(root) if root.is_dir() else f"{path} is not a folder"
        except Exception as error:
            listed[path] = describe_error(error)
    counts = Counter(instance.name for instance in listed.values() if isinstance(instance, Instance))
    for path, instance in listed.items():
        if isinstance(instance, Instance) and counts[instance.name] > 1:
            listed[path] = replace(instance, name=f"{Path(path).resolve().parent.name}/{instance.name}")
    return listed


@dataclass
class _RecordingPlan:
    """The units to record, the paths that calls of split repositories have taken, and the errors by repository."""

    units: list[RecordingUnit] = field(default_factory=list)
    paths: dict[str, CallPaths] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def _plan_units(
    listed: dict[str, Instance | str], writer: CallWriter, job: RecordingJob, max_calls: int, workers: int
) -> _RecordingPlan:
    """Plan what is missing in the dataset; a repository alone is split for several workers."""
    plan, seen = _RecordingPlan(), set[str]()
    for path, instance in listed.items():
        if isinstance(instance, str):
            plan.errors[path] = instance
            continue
        if instance.id in seen:
            plan.errors[path] = f"{instance.id} is in the list twice"
        elif not writer.holds_unit(instance.id):
            is_split = workers > 0 and len(listed) == 1
            unit = RecordingUnit(key=instance.id, repository=path, instance=instance, max_calls=max_calls)
            if is_split or writer.holds_instance(instance.id):
                plan.paths[instance.id] = _stored_paths(writer, instance, max_calls)
                # So many that the first distinct calls of the whole repository are among those of each part.
                unit = replace(unit, max_calls=2 * max_calls)
            plan.units += _split(unit, writer, job, workers, plan) if is_split else [unit]
        seen.add(instance.id)
    return plan


def _stored_paths(writer: CallWriter, instance: Instance, max_calls: int) -> CallPaths:
    """The paths of the stored calls of an instance."""
    paths = CallPaths(max_calls)
    for function, path in read_path_digests(writer.directory, instance.id):
        paths.keep(function, path)
    return paths


def _split(
    unit: RecordingUnit, writer: CallWriter, job: RecordingJob, workers: int, plan: _RecordingPlan
) -> list[RecordingUnit]:
    """Split a repository into groups of its test files, without the tests that are stored."""
    options = {**job.options, "args": (*job.options["args"], "--collect-only"), "check": False}
    try:
        collected = job.record(unit.repository, tests=None, instance=unit.instance, **options)
        tests = [test.id for test in collected.tests()]
    except NoSandbox:
        raise
    except Exception as error:
        plan.errors[unit.repository] = describe_error(error)
        return []
    missing = [test for test in tests if not writer.holds_test(unit.instance.id, test)]
    files = [list(group) for _, group in groupby(missing, key=lambda test: test.partition("::")[0])]
    return [
        replace(unit, key=hashlib.sha256(json.dumps([unit.key, group]).encode()).hexdigest(), tests=tuple(group))
        for group in _groups(files, GROUPS_PER_WORKER * workers)
    ]


def _groups(files: Sequence[list[str]], count: int) -> Iterator[list[str]]:
    """Join the tests of neighbouring files into at most `count` groups of similar size."""
    size, group = ceil(sum(map(len, files)) / count), list[str]()
    for tests in files:
        group += tests
        if len(group) >= size:
            yield group
            group = []
    if group:
        yield group


def _run_units(pool: WorkerPool, start: Callable[[], RepositoryWorker], units: Sequence[RecordingUnit]) -> _Results:
    """Results with the numbers of their units. Units whose worker died are tried again, each alone."""
    waiting = list(range(len(units)))
    while waiting:
        finished: set[int] = set()
        submitted: list[int] = []

        def feed(numbers: Sequence[int], submitted: list[int] = submitted) -> Iterator[RecordingUnit]:
            for number in numbers:
                submitted.append(number)
                yield units[number]

        try:
            with closing(pool.map(start, feed(waiting))) as results:
                for at, result in results:
                    finished.add(submitted[at])
                    yield submitted[at], result
            return
        except WorldlineError as error:
            # Other errors explain why nothing can be recorded at all.
            if type(error) is not WorldlineError:
                raise
        suspects = [number for number in submitted if number not in finished]
        for number in suspects:
            yield number, _run_alone(pool, start, units[number])
        waiting = [number for number in waiting if number not in finished and number not in suspects]


def _run_alone(pool: WorkerPool, start: Callable[[], RepositoryWorker], unit: RecordingUnit) -> UnitResult:
    try:
        with closing(pool.map(start, [unit])) as results:
            return next(results)[1]
    except WorldlineError as error:
        if type(error) is not WorldlineError:
            raise
        return UnitResult(unit=unit, error=f"its worker was killed: {error}")


def _landed(results: _Results, folder: str) -> _Results:
    """Put results that came as bytes into folders."""
    with closing(results):
        for number, result in results:
            if result.files:
                landed = tempfile.mkdtemp(dir=folder)
                for name, data in result.files.items():
                    (Path(landed) / name).write_bytes(data)
                result = replace(result, files={}, folder=landed)
            yield number, result


def _store(writer: CallWriter, result: UnitResult, plan: _RecordingPlan) -> None:
    """Add a recorded unit to the dataset and commit it."""
    if result.error:
        plan.errors[result.unit.repository] = result.error
        return
    paths = plan.paths.get(result.unit.instance.id)
    writer.adopt(result.folder, None if paths is None else paths.keep)
    writer.flush()
    shutil.rmtree(result.folder, ignore_errors=True)


def _finish(writer: CallWriter, listed: dict[str, Instance | str], plan: _RecordingPlan) -> None:
    """Note that the repositories that were recorded in parts are complete."""
    for path, instance in listed.items():
        if isinstance(instance, Instance) and path not in plan.errors and not writer.holds_unit(instance.id):
            writer.add_instance(InstanceRow(instance=instance, unit=instance.id))
    writer.flush()


def _progress_line(result: UnitResult) -> str:
    tests = "" if result.unit.tests is None else f", {len(result.unit.tests):,} tests"
    state = f"not recorded: {result.error}" if result.error else "recorded"
    return f"{result.unit.instance.id}{tests}: {state}"


def _report(
    out: Folder, listed: dict[str, Instance | str], plan: _RecordingPlan, benchmark: dict[str, Any]
) -> RepositoriesReport:
    """Report on everything that is stored, and on what failed now."""
    stored = summarize(out)
    reports = []
    for path, instance in listed.items():
        instance_id = instance.id if isinstance(instance, Instance) else ""
        report = stored.pop(instance_id, RepositoryReport(instance_id=instance_id))
        reports.append(replace(report, repository=path, error=plan.errors.get(path, "")))
    return RepositoriesReport(repositories=(*reports, *stored.values()), benchmark=benchmark)
