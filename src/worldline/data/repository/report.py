"""The report on a dataset of recorded calls: per repository its tests, functions, calls, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from worldline.core.text import plural, printable
from worldline.data.mine import near
from worldline.data.mine.near import Benchmark
from worldline.data.repository.dataset import read_functions, read_instances, read_tests
from worldline.data.repository.stored import LeftOutFunction
from worldline.storage.remote import Folder

MAX_PRINTED = 10


@dataclass(frozen=True, kw_only=True)
class RepositoryReport:
    """What is stored of one repository, or why nothing is.

    Attributes:
        repository: Its path; empty if it was recorded earlier, from a path that is not known.
        instance_id: `Instance.id`.
        licence: SPDX identifier; empty if it is not recognised.
        tests: The number of tests by outcome.
        noticing: The ids of tests that end differently without the recorder, and not by chance.
        functions: Functions with a stored call.
        calls: Stored calls.
        steps: Steps of the traces of all tests.
        seconds: How long the tests took with the recorder.
        plain_seconds: How long they took without.
        left_out: Functions that resemble a benchmark's.
        notes: What holds for the whole recording.
        error: Why it could not be recorded.
    """

    repository: str = ""
    instance_id: str = ""
    licence: str = ""
    tests: Mapping[str, int] = field(default_factory=dict)
    noticing: tuple[str, ...] = ()
    functions: int = 0
    calls: int = 0
    steps: int = 0
    seconds: float = 0.0
    plain_seconds: float = 0.0
    left_out: tuple[LeftOutFunction, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the report on this repository as text."""
        name = printable(self.instance_id or self.repository)
        if self.error:
            yield f"{name}: not recorded: {printable(self.error)}"
        if not self.instance_id or (self.error and not self.tests):
            return
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(self.tests.items()))
        plain = f" ({self.plain_seconds:.1f} s unrecorded)" if self.plain_seconds else ""
        yield (
            f"{name}: {plural(sum(self.tests.values()), 'test')} ({outcomes or 'none'}), "
            f"{plural(self.functions, 'function')}, {plural(self.calls, 'call')}, {plural(self.steps, 'step')}, "
            f"{self.seconds:.1f} s{plain}, licence {self.licence or 'unknown'}"
        )
        if self.noticing:
            yield f"  {plural(len(self.noticing), 'test')} ended differently without the recorder:"
            yield from _listed(self.noticing)
        if self.left_out:
            yield f"  {plural(len(self.left_out), 'function')} left out, similar to a benchmark's:"
            yield from _listed([f"{item.function} ({item.why}, {item.other})" for item in self.left_out])
        if self.notes:
            yield from _listed(self.notes)


def _listed(items: Sequence[str]) -> Iterator[str]:
    yield from (f"    {printable(item)}" for item in items[:MAX_PRINTED])
    if len(items) > MAX_PRINTED:
        yield f"    and {len(items) - MAX_PRINTED:,} more"


@dataclass(frozen=True, kw_only=True)
class RepositoriesReport:
    """The repositories of a dataset, and those that could not be recorded.

    Attributes:
        repositories: One report each.
        benchmark: What functions were compared with, and how.
    """

    repositories: tuple[RepositoryReport, ...]
    benchmark: Mapping[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> tuple[RepositoryReport, ...]:
        """The repositories that could not be recorded."""
        return tuple(report for report in self.repositories if report.error)

    @property
    def total(self) -> RepositoryReport:
        """All repositories together."""
        every = self.repositories
        return RepositoryReport(
            tests=dict(sum((Counter(report.tests) for report in every), Counter[str]())),
            noticing=tuple(test for report in every for test in report.noticing),
            functions=sum(report.functions for report in every),
            calls=sum(report.calls for report in every),
            steps=sum(report.steps for report in every),
            seconds=sum(report.seconds for report in every),
            plain_seconds=sum(report.plain_seconds for report in every),
            left_out=tuple(item for report in every for item in report.left_out),
        )

    def lines(self) -> Iterator[str]:
        """Yield the report as text."""
        for report in self.repositories:
            yield from report.lines()
        total = self.total
        yield (
            f"{len(self.repositories) - len(self.failed):,} of {len(self.repositories):,} repositories, "
            f"{plural(sum(total.tests.values()), 'test')}, {plural(total.calls, 'call')}, "
            f"{plural(total.steps, 'step')}; {plural(len(total.left_out), 'function')} left out"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {"repositories": [asdict(report) for report in self.repositories], "benchmark": dict(self.benchmark)}


def benchmark_facts(benchmark: Benchmark, files: Sequence[str]) -> dict[str, Any]:
    """Describe what functions are compared with."""
    return {
        "files": list(files),
        "functions": len(benchmark.names),
        "shingle_tokens": near.SHINGLE_TOKENS,
        "min_shared": near.MIN_SHARED,
        "min_contained": near.MIN_CONTAINED,
        "min_shingles": near.MIN_SHINGLES,
    }


def summarize(directory: str | Folder) -> dict[str, RepositoryReport]:
    """Report on every instance of a dataset, by its id."""
    reports: dict[str, RepositoryReport] = {}
    for row in read_instances(directory):
        report = reports.setdefault(
            row.instance.id, RepositoryReport(instance_id=row.instance.id, licence=row.instance.licence)
        )
        reports[row.instance.id] = replace(
            report,
            seconds=report.seconds + row.seconds,
            plain_seconds=report.plain_seconds + row.plain_seconds,
            left_out=_merged(report.left_out, row.left_out),
            notes=tuple(dict.fromkeys((*report.notes, *row.notes))),
        )
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in reports}
    steps, noticing = Counter[str](), dict[str, list[str]]()
    for test in read_tests(directory):
        outcomes[test.instance_id][test.outcome] += 1
        steps[test.instance_id] += test.steps
        if test.notices_recorder:
            noticing.setdefault(test.instance_id, []).append(test.test_id)
    functions: dict[str, Counter[str]] = {name: Counter() for name in reports}
    for instance_id, function in read_functions(directory):
        functions[instance_id][function] += 1
    return {
        name: replace(
            report,
            tests=dict(outcomes[name]),
            noticing=tuple(noticing.get(name, ())),
            functions=len(functions[name]),
            calls=functions[name].total(),
            steps=steps[name],
        )
        for name, report in reports.items()
    }


def _merged(*parts: tuple[LeftOutFunction, ...]) -> tuple[LeftOutFunction, ...]:
    """Functions that were left out, each once, with all of its calls."""
    merged: dict[str, LeftOutFunction] = {}
    for item in (item for part in parts for item in part):
        before = merged.get(item.function)
        merged[item.function] = item if before is None else replace(item, calls=before.calls + item.calls)
    return tuple(merged.values())
