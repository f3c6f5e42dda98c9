"""Record the tests of a repository: `record_tests` executes them in the sandbox, with and without the recorder.

The sandbox has a copy of the repository and an environment that is given or made from the metadata. A test that hangs
or kills its process ends that run only: the tests after it are executed in another one. The host trusts nothing that
the tests wrote (spooled.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.recording.rehearsal.folder import WORK, FolderCopy, copied
from worldline.recording.repository.budget import DEFAULT_BUDGET, TestBudget
from worldline.recording.repository.decoded import ProjectFiles, trace_of
from worldline.recording.repository.environment import Environment, make_environment
from worldline.recording.repository.included import included_source
from worldline.recording.repository.licence import licence_of
from worldline.recording.repository.metadata import read_metadata
from worldline.recording.repository.revision import EXCLUDED, content_revision, has_changes, revision_of
from worldline.recording.repository.session import SessionSettings, run_session
from worldline.recording.repository.spooled import SpooledRun, SpooledTest, read_spool

MAX_RESTARTS = 50
NOT_COLLECTED = (
    "pytest executes nothing if a file cannot be collected: fix the file, or pass -- --continue-on-collection-errors"
)
REFUSED = 4  # pytest's exit status for arguments that it does not take
NO_TESTS = 5  # pytest's exit status where there is nothing to collect
MAX_REPOSITORY_BYTES, MAX_REPOSITORY_FILES = 512 << 20, 50_000
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class TestRecording:
    """The recorded tests of one repository.

    Attributes:
        instance: The revision that was recorded.
        budget: What recording could use.
        notes: What was not followed, restarted or not available.
        seconds: Seconds of the runs with the recorder.
        plain_seconds: Seconds of the runs without.
    """

    __test__ = False

    instance: Instance
    budget: TestBudget
    notes: tuple[str, ...]
    seconds: float
    plain_seconds: float
    files: ProjectFiles = field(repr=False)
    ended: Mapping[str, SpooledTest] = field(repr=False)
    plain: Mapping[str, SpooledTest] = field(repr=False)
    flaky: frozenset[str] = field(default=frozenset(), repr=False)

    def __len__(self) -> int:
        return len(self.ended)

    def tests(self) -> Iterator[RecordedTest]:
        """Yield every test. Traces are decoded one at a time."""
        for test in self.ended.values():
            yield self._test(test)

    def find(self, test_id: str) -> RecordedTest | None:
        """Return one test, or None if it was not executed."""
        test = self.ended.get(test_id)
        return None if test is None else self._test(test)

    def only(self, test_ids: Collection[str]) -> TestRecording:
        """Return the recording with some of its tests."""
        return replace(self, ended={name: test for name, test in self.ended.items() if name in test_ids})

    def _test(self, test: SpooledTest) -> RecordedTest:
        plain = self.plain.get(test.id)
        notes = (*test.notes, "flaky") if test.id in self.flaky else test.notes
        trace = trace_of(test, self.files, self.budget.limits)
        if trace is not None and trace.outcome.kind == "limit":
            notes = (*notes, f"limit {trace.outcome.detail}")
        return RecordedTest(
            instance=self.instance,
            id=test.id,
            outcome=test.outcome,
            plain=plain.outcome if plain else "",
            message=test.message,
            seconds=test.seconds,
            plain_seconds=plain.seconds if plain else 0.0,
            trace=trace,
            notes=notes,
        )

    def as_json(self) -> dict[str, Any]:
        """The tests without their steps, as `record --pytest --json` prints them."""
        return {
            "instance": self.instance.id,
            "licence": self.instance.licence,
            "seconds": self.seconds,
            "plain_seconds": self.plain_seconds,
            "differing": list(self.differing),
            "notes": list(self.notes),
            "tests": [test.as_json() for test in self.tests()],
        }

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """The tests that end differently without the recorder, and not by chance."""
        both = ((test, self.plain.get(test.id)) for test in self.ended.values())
        differing = (test.id for test, plain in both if plain is not None and plain.outcome != test.outcome)
        return tuple(test for test in differing if test not in self.flaky)


def record_tests(
    repository: str | os.PathLike[str],
    *,
    venv: str | None = None,
    python: str | None = None,
    args: Sequence[str] = (),
    tests: Sequence[str] | None = None,
    budget: TestBudget = DEFAULT_BUDGET,
    include: Sequence[str] = (),
    check: bool = True,
    core: str = "auto",
    trust: bool = False,
    overlay: Mapping[str, bytes | None] | None = None,
    instance: Instance | None = None,
    say: Say | None = None,
) -> TestRecording:
    """Execute the tests of a repository in the sandbox and record them.

    Args:
        repository: The root of the repository.
        venv: A virtual environment with everything that the tests need. By default one is made from the metadata.
        python: The interpreter that a new environment is made from.
        args: Arguments for pytest.
        tests: The ids of the tests to execute; by default all that pytest collects.
        budget: What recording may use.
        include: Packages outside the repository to step into.
        check: Also execute the tests without the recorder, and compare the outcomes.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        overlay: Files that replace those of the repository, by path; None removes one.
        instance: What the recording is called; by default the folder and its revision.
        say: Called with the progress.

    Returns:
        The recording.

    Raises:
        UsageError: There is no such repository or environment.
        WorldlineError: pytest could not be started; the message has what it printed.
        NoSandbox: There is no sandbox here.
    """
    root = Path(repository).resolve()
    if not root.is_dir():
        raise UsageError(f"{repository} is not a folder: --pytest takes the root of a repository")
    say = say or (lambda text: None)
    say("preparing the environment")
    environment = _given_environment(root, venv) if venv else make_environment(root, python=python, say=say)
    advice = "remove {} from the folder, or pass a smaller one"
    copy = copied(root, EXCLUDED, max_bytes=MAX_REPOSITORY_BYTES, max_files=MAX_REPOSITORY_FILES, advice=advice)
    _lay_over(copy, {**{path: text.encode() for path, text in environment.files.items()}, **(overlay or {})})
    settings = SessionSettings(
        environment=environment,
        copy=copy,
        args=tuple(args),
        budget=budget,
        include=tuple(include),
        core=core,
        trust=trust,
    )
    runs = _Runs(settings, say)
    only = None if tests is None else list(tests)
    plain = runs.execute(only, record=False) if check else _Executed()
    recorded = runs.execute(only, record=True)
    flaky = _find_flaky(runs, plain, recorded) if check else frozenset[str]()
    return TestRecording(
        instance=instance or instance_of(root),
        budget=budget,
        notes=(*environment.notes, *dict.fromkeys((*plain.notes, *recorded.notes))),
        seconds=recorded.seconds,
        plain_seconds=plain.seconds,
        files=ProjectFiles.of_copy(copy).beside(partial(included_source, environment.python, settings.include)),
        ended=recorded.ended,
        plain=plain.ended,
        flaky=flaky,
    )


def _given_environment(root: Path, venv: str) -> Environment:
    """Return an environment that the user has set up. The repository itself is imported from the copy."""
    python = Path(venv).absolute() / "bin" / "python"
    if not os.access(python, os.X_OK):
        raise UsageError(f"{venv} is not a virtual environment: there is no {python}")
    metadata = read_metadata(root)
    return Environment(python=str(python), notes=metadata.notes, paths=metadata.paths, files=dict(metadata.files))


def recording_of_spool(root: Path, spool: Path, budget: TestBudget, *, seconds: float) -> TestRecording:
    """Read a spool that a pytest process of the user's own wrote (`pytest --worldline DIR`).

    Args:
        root: The root of the repository.
        spool: The folder that the plugin wrote.
        budget: What recording could use.
        seconds: How long the session took.
    """
    run = read_spool({path.name: path.read_bytes() for path in sorted(spool.iterdir()) if path.is_file()})
    ended = {**run.ended, **_culprits(run, "the session ended")}
    return TestRecording(
        instance=instance_of(root),
        budget=budget,
        notes=(),
        seconds=seconds,
        plain_seconds=0.0,
        files=ProjectFiles.of_folder(root),
        ended=ended,
        plain={},
    )


def instance_of(root: Path) -> Instance:
    """Describe a repository. Its revision is its commit or, with changes or without version control, its content."""
    licence, text = licence_of(root)
    try:
        revision = content_revision(root) if has_changes(root) else revision_of(root)
    except UsageError:  # not under version control, or without a commit
        revision = content_revision(root)
    return Instance(name=root.name, revision=revision, licence=licence, licence_text=text)


def _lay_over(copy: FolderCopy, overlay: Mapping[str, bytes | None]) -> None:
    """Replace, add and remove files of a copy."""
    if not overlay:
        return
    changed = {f"{WORK}/{path}" for path in overlay}
    laid = FolderCopy(left_out=copy.left_out)
    blobs = iter(copy.blobs)
    for entry in copy.entries:
        blob = next(blobs) if entry.kind == "file" else None
        if entry.path not in changed:
            laid.entries.append(entry)
            laid.blobs += [blob] if blob is not None else []
    folders = {entry.path for entry in laid.entries if entry.kind == "folder"}
    for path, data in overlay.items():
        if data is None:
            continue
        for parent in reversed(Path(f"{WORK}/{path}").parents):
            if str(parent) not in (".", *folders):
                laid.add_folder(str(parent))
                folders.add(str(parent))
        laid.add_file(f"{WORK}/{path}", data)
    copy.entries, copy.blobs = laid.entries, laid.blobs


@dataclass
class _Executed:
    """The tests of one or several runs."""

    ended: dict[str, SpooledTest] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


class _Runs:
    """Executes tests, in another run after each that was cut short."""

    def __init__(self, settings: SessionSettings, say: Say) -> None:
        self.settings, self.say = settings, say

    def execute(self, only: list[str] | None, *, record: bool) -> _Executed:
        """Execute tests until each has ended, in as many runs as that takes.

        Args:
            only: The ids of the tests; None for all.
            record: Record them.
        """
        executed, without, collected = _Executed(), set[str](), dict[str, None]()
        for turn in range(MAX_RESTARTS + 1):
            self.say(f"{'recording' if record else 'executing'} the tests" + (f", run {turn + 1}" if turn else ""))
            session = run_session(self.settings, only=only, without=sorted(without), record=record)
            executed.seconds += session.seconds
            executed.ended |= session.spooled.ended
            collected |= session.spooled.collected
            without |= session.spooled.ended.keys()
            spooled = session.spooled
            if not turn and not spooled.collected and not spooled.ended and spooled.exit_status != NO_TESTS:
                if session.outcome == f"status {REFUSED}":
                    raise UsageError(f"pytest refused its arguments: {_refusal(session.words)}")
                raise WorldlineError(f"pytest executed no test: {session.words}")
            if (spooled.exit_status is not None and not spooled.begun) or not (spooled.collected or spooled.ended):
                break
            culprits = _culprits(session.spooled, session.outcome)
            executed.ended |= culprits
            without |= culprits.keys()
            executed.notes += [
                f"{test.id}: {test.outcome}, the tests after it ran in another process" for test in culprits.values()
            ]
            if not collected.keys() - without or (not session.spooled.ended and not culprits):
                break
        missing = [test for test in collected if test not in executed.ended]
        executed.ended |= {test: SpooledTest(test, "missing") for test in missing}
        if missing and any(test.outcome == "error" and "::" not in name for name, test in executed.ended.items()):
            executed.notes.append(NOT_COLLECTED)
        return executed


def _refusal(words: str) -> str:
    """Return what pytest says about its arguments."""
    lines = [line.removeprefix("ERROR: ") for line in words.splitlines() if line.startswith("ERROR: ")]
    return "; ".join(lines) or words


def _culprits(run: SpooledRun, outcome: str) -> dict[str, SpooledTest]:
    """Return the tests that had begun when their process ended."""
    kind = "timeout" if run.stacks or outcome == "time" else "crashed"
    message = run.stacks or f"the process of the test ended: {outcome}"
    return {test: SpooledTest(test, kind, message) for test in run.begun}


def _find_flaky(runs: _Runs, plain: _Executed, recorded: _Executed) -> frozenset[str]:
    """Execute differing tests again in both ways; those that do not end as before are flaky."""
    differing = [
        test
        for test, ended in recorded.ended.items()
        if (before := plain.ended.get(test)) and before.outcome != ended.outcome
    ]
    if not differing:
        return frozenset()
    runs.say(f"executing {len(differing)} tests again that ended differently")
    again = [runs.execute(differing, record=record).ended for record in (False, True)]
    return frozenset(
        test
        for test in differing
        if any(
            test not in second or second[test].outcome != first[test].outcome
            for first, second in zip((plain.ended, recorded.ended), again, strict=True)
        )
    )
