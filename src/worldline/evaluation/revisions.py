"""Compare the tests of a repository on two revisions, from the recordings of both.

Both recordings are read twice, one trace at a time: once to see which tests the change affects, once to compare those.
A third recording of the tests that seem to differ outside the changed lines tells what differs in any two executions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from worldline.core.errors import UsageError
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.repository.source_change import SourceChange
from worldline.core.trace import Trace
from worldline.data.repository.record import DEFAULT_MAX_CALLS, store_tests
from worldline.diagnose.revisions.affected import AffectedTest, affected_tests
from worldline.diagnose.revisions.compare import Noise, compare_traces, noise_of
from worldline.diagnose.revisions.difference import RevisionDiff
from worldline.diagnose.revisions.sentences import noise_notes
from worldline.diagnose.revisions.source_map import SourceMap
from worldline.recording.repository.budget import DEFAULT_BUDGET, TestBudget
from worldline.recording.repository.record import record_tests
from worldline.recording.repository.revision import files_at, source_change
from worldline.storage.remote import Folder

MAX_KEPT_TRACES = 8  # pairs of traces that stay in memory, to be shown


class RecordedTests(Protocol):
    """The recorded tests of one revision, which can be read more than once."""

    @property
    def instance(self) -> Instance:
        """The revision."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the recording could not follow."""

    def tests(self) -> Iterator[RecordedTest]:
        """Yield one test at a time."""


@dataclass(frozen=True, kw_only=True)
class ComparedTest:
    """An affected test, and how its traces differ.

    Attributes:
        test: The test, its outcomes and why it is affected.
        diff: How the traces differ; None if one side has no trace.
        before: The trace before the change; None if it is not shown.
        after: The trace after the change; None if it is not shown.
    """

    test: AffectedTest
    diff: RevisionDiff | None
    before: Trace | None = None
    after: Trace | None = None

    @property
    def diverges(self) -> bool:
        """Whether it behaves or ends differently."""
        is_other = self.test.outcomes[0] != self.test.outcomes[1]
        return is_other or (self.diff is not None and self.diff.diverges)

    def as_json(self) -> dict[str, Any]:
        """Return it as `record --since --json` prints it."""
        sides = (self.test.before, self.test.after)
        return {
            "test_id": self.test.id,
            "reason": self.test.reason,
            "outcome": dict(zip(("before", "after"), self.test.outcomes, strict=True)),
            "message": {
                side: digest.message if digest else "" for side, digest in zip(("before", "after"), sides, strict=True)
            },
            "functions": list(self.test.touched),
            "diff": None if self.diff is None else self.diff.as_json(),
        }


@dataclass(frozen=True, kw_only=True)
class RevisionComparison:
    """The tests that a change affects, those that end differently first.

    Attributes:
        instance: The revision after the change.
        change: What changed.
        sources: The places of the change in both revisions.
        tests: The affected tests.
        count: How many tests each side has.
        notes: What the recordings could not follow.
    """

    instance: Instance
    change: SourceChange
    sources: SourceMap
    tests: tuple[ComparedTest, ...]
    count: tuple[int, int]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<RevisionComparison of {self.instance.id} since {self.change.since[:12]}: {len(self.tests)} tests>"

    @property
    def fixed(self) -> tuple[ComparedTest, ...]:
        """The tests that failed before the change and pass after it."""
        return tuple(test for test in self.tests if test.test.is_fixed)

    @property
    def broken(self) -> tuple[ComparedTest, ...]:
        """The tests that passed before the change and fail after it."""
        return tuple(test for test in self.tests if test.test.is_broken)

    @property
    def diverging(self) -> tuple[ComparedTest, ...]:
        """The tests that behave or end differently."""
        return tuple(test for test in self.tests if test.diverges)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `record --since --json` prints."""
        files = {
            file.path or file.old_path: {
                "before": sorted(file.lines.changed_before),
                "after": sorted(file.lines.changed_after),
            }
            for file in self.change.files
        }
        return {
            "instance_id": self.instance.id,
            "since": self.change.since,
            "changed_lines": files,
            "tests": {"before": self.count[0], "after": self.count[1]},
            "affected": [test.as_json() for test in self.tests],
            "fixed": [test.test.id for test in self.fixed],
            "broken": [test.test.id for test in self.broken],
            "notes": list(self.notes),
        }


def compare_revisions(
    repository: str | Path,
    since: str,
    *,
    venv: str | None = None,
    python: str | None = None,
    args: Sequence[str] = (),
    tests: Sequence[str] | None = None,
    budget: TestBudget = DEFAULT_BUDGET,
    include: Sequence[str] = (),
    repeat: bool = True,
    trust: bool = False,
    out: str | Folder | None = None,
    max_calls: int = DEFAULT_MAX_CALLS,
    notations: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    say: Callable[[str], None] | None = None,
) -> RevisionComparison:
    """Record the tests of a repository before and after a change, and show what the change does to them.

    The sources of the revision are executed with the tests of the working tree, because a fix usually adds the test
    that fails without it. The repository is only read.

    Args:
        repository: The root of a git repository.
        since: The revision before the change. The working tree is the revision after it.
        venv: A virtual environment with everything that the tests need. By default one is made from the metadata.
        python: The interpreter that a new environment is made from.
        args: Arguments for pytest.
        tests: The ids of the tests to execute; by default all that pytest collects.
        budget: What recording may use.
        include: Packages outside the repository to step into.
        repeat: Record tests that seem to differ outside the changed lines once more, and ignore what differs between
            any two executions, such as a clock.
        trust: Execute without a sandbox, as yourself.
        out: Directory or URL of a dataset that gets the affected tests of both revisions and, as `report.json`, the
            comparison. By default nothing is stored.
        max_calls: Calls to store of each function.
        notations: Notations in which each stored call is also written as text.
        leave_out: Benchmark files; functions similar to theirs are not stored.
        say: Called with the progress.

    Returns:
        The tests that the change affects, with the first diverging step of each.

    Raises:
        UsageError: The folder is not a git repository, has no such revision, or has not changed since.
        WorldlineError: pytest could not be started.
        NoSandbox: There is no sandbox here.
    """
    say = say or (lambda text: None)
    change = source_change(repository, since)
    if not change.files and not change.other_paths:
        raise UsageError(f"{repository} has not changed since {since}: pass an earlier revision to --since")
    record = partial(
        record_tests,
        repository,
        venv=venv,
        python=python,
        args=args,
        budget=budget,
        include=include,
        check=False,
        trust=trust,
    )
    after = record(tests=tests, say=lambda text: say(f"after: {text}"))
    overlay = files_at(repository, since)
    # The sources of the revision with the tests of the working tree are neither of the two.
    revision = f"{change.since[:7]}+{after.instance.revision.lstrip('+')[:4]}"
    instance = replace(after.instance, revision=revision)
    before = record(tests=tests, overlay=overlay, instance=instance, say=lambda text: say(f"before: {text}"))

    def again(names: Sequence[str]) -> RecordedTests:
        return record(tests=names, say=lambda text: say(f"once more: {text}"))

    say("comparing the traces")
    comparison = compare_recordings(before, after, change, again=again if repeat else None)
    if out is not None:
        say(f"storing {len(comparison.tests):,} tests of both revisions")
        affected = {test.test.id for test in comparison.tests}
        for recording in (before, after):
            store_tests(
                recording.only(affected),
                out,
                max_calls=max_calls,
                include=include,
                notations=notations,
                leave_out=leave_out,
                unit=f"{recording.instance.id} since {change.since}",
                report=comparison.as_json(),
            )
    return comparison


def compare_recordings(
    before: RecordedTests,
    after: RecordedTests,
    change: SourceChange,
    *,
    tests_differ: bool = False,
    is_every_test: bool = False,
    again: Callable[[Sequence[str]], RecordedTests] | None = None,
) -> RevisionComparison:
    """Compare the recorded tests of two revisions.

    Args:
        before: The tests on the sources before the change.
        after: The tests after the change.
        change: What changed, tests included.
        tests_differ: Whether the test files also differ between the recordings. By default both sides executed the
            test files after the change.
        is_every_test: Compare every test, not only those that the change affects: something else may have changed
            their behaviour, such as a dependency.
        again: Records some tests after the change once more, to tell what differs in any two executions.

    Returns:
        The affected tests with their differences. Values that were not compared because they differ in any two
        executions are named in the notes.
    """
    lines = change if tests_differ else replace(change, files=tuple(f for f in change.files if not f.is_test))
    sources = SourceMap.of(lines)
    counts = _Counting(before), _Counting(after)
    affected = affected_tests(counts[0].tests(), counts[1].tests(), change, sources, is_every_test=is_every_test)
    compared = _compare(before, after, affected, sources)
    unsure = [name for name, test in compared.items() if _is_unsure(test)]
    noises = set[Noise]()
    if again is not None and unsure:
        repeated = again(unsure)
        chosen = [test for test in affected if test.id in set(unsure)]
        compared |= _compare(before, after, chosen, sources, repeated, noises)
    return RevisionComparison(
        instance=after.instance,
        change=change,
        sources=sources,
        tests=tuple(_kept(compared[test.id] for test in affected)),
        count=(counts[0].count, counts[1].count),
        notes=tuple(dict.fromkeys((*before.notes, *after.notes, *noise_notes(noises)))),
    )


@dataclass
class _Counting:
    """Counts the tests of a recording while they are read."""

    recording: RecordedTests
    count: int = 0

    def tests(self) -> Iterator[RecordedTest]:
        for test in self.recording.tests():
            self.count += 1
            yield test


def _is_unsure(test: ComparedTest) -> bool:
    """Tell whether a difference may have another reason than the change."""
    first = None if test.diff is None else test.diff.first
    return first is not None and not first.is_in_changed_lines


def _compare(
    before: RecordedTests,
    after: RecordedTests,
    affected: Sequence[AffectedTest],
    sources: SourceMap,
    again: RecordedTests | None = None,
    noises: set[Noise] | None = None,
) -> dict[str, ComparedTest]:
    """Compare the traces of some tests; `again` has the tests after the change once more, `noises` gets their noise."""
    compared = {test.id: ComparedTest(test=test, diff=None) for test in affected}
    shown = Counter[bool]()
    for old, new, repeated in _together(compared, before, after, again):
        if new is None or old is None or old.trace is None or new.trace is None:
            continue
        noise = frozenset[Noise]()
        if repeated is not None and repeated.trace is not None:
            noise = noise_of(new.trace, repeated.trace)
            if noises is not None:
                noises |= noise
        diff = compare_traces(old.trace, new.trace, sources, noise=noise)
        test = ComparedTest(test=compared[new.id].test, diff=diff, before=old.trace, after=new.trace)
        is_other_end = test.test.reason == "outcome"
        shown[is_other_end] += test.diverges
        is_shown = test.diverges and shown[is_other_end] <= MAX_KEPT_TRACES
        compared[new.id] = test if is_shown else _without_traces(test)
    return compared


def _kept(tests: Iterator[ComparedTest]) -> Iterator[ComparedTest]:
    """Drop all but the first few pairs of traces."""
    shown = 0
    for test in tests:
        shown += test.before is not None
        yield test if shown <= MAX_KEPT_TRACES else _without_traces(test)


def _without_traces(test: ComparedTest) -> ComparedTest:
    diff = None if test.diff is None else replace(test.diff, pairs=(), differing=frozenset())
    return replace(test, diff=diff, before=None, after=None)


def _together(
    names: Collection[str], before: RecordedTests, after: RecordedTests, again: RecordedTests | None
) -> Iterator[tuple[RecordedTest | None, RecordedTest | None, RecordedTest | None]]:
    """Yield the recordings of each test together. Recordings in the same order are read side by side."""
    olds, repeats = _Lookup(before, names), _Lookup(again, names)
    for test in after.tests():
        if test.id in names:
            yield olds.take(test.id), test, repeats.take(test.id)


class _Lookup:
    """Finds tests of a recording by id, in one pass, whatever their order."""

    def __init__(self, recording: RecordedTests | None, names: Collection[str]) -> None:
        self._tests = iter(()) if recording is None else recording.tests()
        self._names, self._passed = names, dict[str, RecordedTest]()

    def take(self, name: str) -> RecordedTest | None:
        while name not in self._passed:
            test = next(self._tests, None)
            if test is None:
                return None
            if test.id in self._names:
                self._passed[test.id] = test
        return self._passed.pop(name)
