"""Check that programs and tests still behave as their stored traces: what `record --expect` does.

Nothing that a stored trace names is opened or executed. It contributes calls, arguments and inputs for the file that
the caller names, and the texts and steps to compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.events import ENDED
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.repository.source_change import ChangedFile, SourceChange
from worldline.core.text import plural
from worldline.core.trace import Trace
from worldline.data.repository.record import DEFAULT_MAX_CALLS, store_tests
from worldline.evaluation.expected.stored import (
    StoredTests,
    load_runs,
    replace_tests,
    run_title,
    store_runs,
    update_runs,
)
from worldline.evaluation.revisions import ComparedTest, RecordedTests, RevisionComparison, compare_recordings
from worldline.recording.collect import require_call
from worldline.recording.recorder import DEFAULT_LIMITS, record_many
from worldline.recording.repository.budget import DEFAULT_BUDGET, TestBudget
from worldline.recording.repository.record import TestRecording, record_tests
from worldline.storage.remote import Folder, is_there, place

MAX_NAMED = 5  # names in one note
NOT_EXECUTED = ("unsupported", "host-fault")


@dataclass(frozen=True, kw_only=True)
class TraceCheck:
    """Whether runs or tests behave as their stored traces.

    Attributes:
        subject: What was checked: a file or a repository.
        expect: Where the stored traces are.
        noun: What one entry is called: `run` or `test`.
        count: How many entries were compared.
        comparisons: How they compare; one for each version of the sources that the stored traces were recorded from.
        problems: What could not be compared, and why. Each fails the check.
        notes: What a reader should know. A note does not fail the check.
        is_updated: Whether the new recordings have replaced the stored ones.
    """

    subject: str
    expect: str
    noun: str
    count: int
    comparisons: tuple[RevisionComparison, ...]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_updated: bool = False

    def __repr__(self) -> str:
        return f"<TraceCheck of {self.subject}: {plural(self.count, self.noun)}, {len(self.changed):,} changed>"

    @property
    def changed(self) -> tuple[ComparedTest, ...]:
        """The entries that behave differently from their stored traces."""
        return tuple(test for comparison in self.comparisons for test in comparison.diverging)

    @property
    def is_unchanged(self) -> bool:
        """Whether everything was compared and behaves as recorded."""
        return not self.changed and not self.problems

    def as_json(self) -> dict[str, Any]:
        """Return the object that `record --expect --json` prints."""
        return {
            "subject": self.subject,
            "expect": self.expect,
            "unchanged": self.is_unchanged,
            "updated": self.is_updated,
            "compared": self.count,
            "changed": [test.as_json() for test in self.changed],
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


def check_traces(
    program: Program,
    expect: str | Folder,
    *,
    calls: Sequence[str] | None = None,
    update: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    python: str | None = None,
    core: str = "auto",
    trust: bool = False,
    control: Control | None = None,
    out: str | Folder | None = None,
) -> TraceCheck:
    """Record runs of a program again, and compare them with stored traces.

    Lines are compared where they are now: a line that only moved is the same line, and a rewritten statement with the
    same effect is no difference. A run that differs outside the changed lines is recorded once more, and what differs
    between two executions of the same text, such as a clock, is named in a note and not compared.

    Args:
        program: The program as it is now; `load_program` reads one from a file. If it names a call, arguments or
            standard input, that run is checked; otherwise every stored run of a file with this name.
        expect: Stored traces: a directory or URL that `store` or `record -o` wrote, or a file of `record --json`.
        calls: The calls to check instead.
        update: Replace the stored traces of the file by the new recordings, and add those that are missing.
        limits: What each run may use.
        python: The Python interpreter that executes the program.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        control: The control of the hidden inputs.
        out: Directory or URL that also gets the new recordings.

    Returns:
        The check, with the first divergence of each run.

    Raises:
        UsageError: There are no stored traces, or none of this file.
        NoSandbox: There is no sandbox here.
    """
    stored = load_runs(expect, program.name, must_exist=not update)
    programs = _runs_to_check(program, calls, stored, is_update=update)
    if not programs:
        raise UsageError(f"{expect} has no trace of {program.name}: record it with -o, or pass --update")
    record = partial(record_many, limits=limits, python=python, core=core, trust=trust, control=control)
    recorded = {run_title(trace.program): trace for trace in record(programs)}
    problems = list(_unchecked(recorded, None if update else stored.keys(), str(expect)))
    compared = {title: trace for title, trace in recorded.items() if title in stored and _is_executed(trace)}

    def again(titles: Sequence[str]) -> RecordedTests:
        return _Runs(
            {run_title(trace.program): trace for trace in record([compared[title].program for title in titles])}
        )

    comparisons = []
    for titles in _by_sources(stored, compared):
        before, after = _Runs({title: stored[title] for title in titles}), _Runs({t: compared[t] for t in titles})
        comparisons.append(_compare(before, after, str(expect), again))
    is_updated = update and not problems
    if is_updated:
        update_runs(expect, program.name, list(recorded.values()))
    if out is not None:
        store_runs(out, list(recorded.values()))
    return TraceCheck(
        subject=program.name,
        expect=str(expect),
        noun="run",
        count=len(compared),
        comparisons=tuple(comparisons),
        problems=tuple(problems),
        notes=_notes([(stored[title], trace) for title, trace in compared.items()], comparisons),
        is_updated=is_updated,
    )


def check_tests(
    repository: str | Path,
    expect: str | Folder,
    *,
    update: bool = False,
    venv: str | None = None,
    python: str | None = None,
    args: Sequence[str] = (),
    budget: TestBudget = DEFAULT_BUDGET,
    include: Sequence[str] = (),
    core: str = "auto",
    trust: bool = False,
    out: str | Folder | None = None,
    max_calls: int = DEFAULT_MAX_CALLS,
    notations: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    say: Callable[[str], None] | None = None,
) -> TraceCheck:
    """Record the tests of a repository again, and compare them with stored ones.

    A stored test that pytest no longer collects fails the check, unless `args` choose what pytest collects. A new test
    is a note.

    Args:
        repository: The root of the repository.
        expect: Directory or URL of the tests that `record_repositories` or `record --pytest -o` stored.
        update: Replace the stored tests by the new recording.
        venv: A virtual environment with everything that the tests need. By default one is made from the metadata.
        python: The interpreter that a new environment is made from.
        args: Arguments for pytest.
        budget: What recording may use.
        include: Packages outside the repository to step into.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        out: Directory or URL of a dataset that also gets the new recording.
        max_calls: Calls to store of each function.
        notations: Notations in which each stored call is also written as text.
        leave_out: Benchmark files; functions similar to theirs are not stored.
        say: Called with the progress.

    Returns:
        The check, with the first divergence of each test.

    Raises:
        UsageError: There are no stored tests, or there is no such repository.
        WorldlineError: pytest could not be started.
        NoSandbox: There is no sandbox here.
    """
    root = Path(repository).resolve()
    before = None if update and not is_there(place(expect)) else StoredTests(expect, root.name)
    shared: dict[str, Any] = {"venv": venv, "python": python, "args": args, "budget": budget, "include": include}
    record = partial(record_tests, root, check=False, core=core, trust=trust, say=say, **shared)
    recording = record()
    if not len(recording):
        raise UsageError(f"pytest collected no test in {repository}: check the folder, and the arguments for pytest")
    check = TraceCheck(subject=root.name, expect=str(expect), noun="test", count=0, comparisons=())
    if before is not None:
        check = _checked_tests(check, before, recording, lambda names: record(tests=names), is_chosen=bool(args))
    store = partial(
        store_tests, recording, max_calls=max_calls, include=include, notations=notations, leave_out=leave_out
    )
    if update:
        replace_tests(expect, store)
        check = replace(check, is_updated=True)
    if out is not None:
        store(out)
    return check


def _checked_tests(
    check: TraceCheck,
    before: StoredTests,
    recording: TestRecording,
    again: Callable[[Sequence[str]], RecordedTests],
    *,
    is_chosen: bool,
) -> TraceCheck:
    """Compare the tests that both sides have, and name the others. `is_chosen`: pytest was asked for some tests."""
    stored = {test.id: test.trace for test in before.tests()}
    both = [test for test in recording.ended if test in stored]
    if not both:
        raise UsageError(f"{check.expect} has no test that pytest collects in {check.subject}: record them with -o")
    gone = () if is_chosen else [test for test in stored if test not in recording.ended]
    new = [test for test in recording.ended if test not in stored]
    after = recording.only(both)
    comparison = _compare(_Chosen(before, frozenset(both)), after, check.expect, again)
    pairs = [(stored[test.id], test.trace) for test in after.tests()]
    notes = _notes([(old, now) for old, now in pairs if old is not None and now is not None], [comparison])
    unknown = f"no trace yet of {_listed(new, check.noun)}; --update records it"
    return replace(
        check,
        count=len(both),
        comparisons=(comparison,),
        problems=tuple(f"{test}: pytest does not collect it any more; --update removes its trace" for test in gone),
        notes=(unknown, *notes) if new else notes,
    )


@dataclass(frozen=True)
class _Runs:
    """Runs of one file, by their titles."""

    traces: Mapping[str, Trace]
    notes: tuple[str, ...] = ()

    @property
    def instance(self) -> Instance:
        return Instance(name=next(iter(self.traces.values())).program.name)

    def tests(self) -> Iterator[RecordedTest]:
        for title, trace in self.traces.items():
            kind, detail = trace.outcome.kind, trace.outcome.detail
            outcome = kind if kind in ENDED else f"{kind} {detail}".rstrip()
            yield RecordedTest(instance=self.instance, id=title, outcome=outcome, trace=trace)


@dataclass(frozen=True)
class _Chosen:
    """Some tests of a recording."""

    tests_of: RecordedTests
    names: frozenset[str]

    @property
    def instance(self) -> Instance:
        return self.tests_of.instance

    @property
    def notes(self) -> tuple[str, ...]:
        return self.tests_of.notes

    def tests(self) -> Iterator[RecordedTest]:
        return (test for test in self.tests_of.tests() if test.id in self.names)


def _runs_to_check(
    program: Program, calls: Sequence[str] | None, stored: Mapping[str, Trace], *, is_update: bool
) -> list[Program]:
    """The runs of the program that are meant. An update records all stored runs again, so that they share one text."""
    others = [replace(trace.program, source=program.source, files=program.files) for trace in stored.values()]
    for call in calls or ():
        require_call(call, program.language)
    named = [replace(program, call=call) for call in calls or ()]
    is_named = program.call is not None or program.argv or program.stdin or program.flags or program.vm_flags
    if calls is None and (is_named or not others):
        named = [program] if is_update or others else []
    chosen = [*others, *named] if is_update or not named else named
    return list({run_title(run): run for run in chosen}.values())


def _is_executed(trace: Trace) -> bool:
    return trace.outcome.kind not in NOT_EXECUTED


def _unchecked(recorded: Mapping[str, Trace], stored: Collection[str] | None, expect: str) -> Iterator[str]:
    """Say which runs cannot be compared, and why."""
    for title, trace in recorded.items():
        if not _is_executed(trace):
            yield f"{title}: not executed: {trace.outcome.kind} {trace.outcome.detail}"
        elif stored is not None and title not in stored:
            yield f"{title}: no trace in {expect}; --update records it"


def _by_sources(stored: Mapping[str, Trace], titles: Iterable[str]) -> Iterable[list[str]]:
    """Group runs by the texts that their stored traces were recorded from."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for title in titles:
        program = stored[title].program
        groups.setdefault((program.source, program.files), []).append(title)
    return groups.values()


def _compare(
    before: RecordedTests, after: RecordedTests, expect: str, again: Callable[[Sequence[str]], RecordedTests]
) -> RevisionComparison:
    """Compare two recordings. What changed in the sources is known from the texts that the traces hold."""
    old, new = _texts(before), _texts(after)
    files = [
        ChangedFile(path=path, old_path=path, before=old[path], after=text)
        for path, text in new.items()
        if path in old and old[path] != text
    ]
    change = SourceChange(since=expect, files=tuple(files))
    return compare_recordings(before, after, change, tests_differ=True, again=again, is_every_test=True)


def _texts(recording: RecordedTests) -> dict[str, str]:
    texts: dict[str, str] = {}
    for test in recording.tests():
        if test.trace is not None:
            texts[test.trace.program.name] = test.trace.program.source
            texts.update(test.trace.program.files)
    return texts


def _notes(pairs: Sequence[tuple[Trace, Trace]], comparisons: Sequence[RevisionComparison]) -> tuple[str, ...]:
    """Say what a reader of a check should know."""
    notes: dict[str, None] = {}
    for before, after in pairs:
        versions = [f"{trace.interpreter.name} {trace.interpreter.version}" for trace in (before, after)]
        if versions[0] != versions[1]:
            notes[f"recorded with {versions[0]}, executed with {versions[1]}"] = None
    cut = [after for before, after in pairs if not {before.outcome.kind, after.outcome.kind} <= {*ENDED}]
    if cut:
        notes[f"compared up to a limit: {_listed([run_title(trace.program) for trace in cut], 'trace')}"] = None
    return (*notes, *dict.fromkeys(note for comparison in comparisons for note in comparison.notes))


def _listed(names: Sequence[str], noun: str) -> str:
    more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    return f"{plural(len(names), noun)}: {', '.join(names[:MAX_NAMED])}{more}"
