"""Stored traces that later recordings are compared with: read by run or by test, and replaced when a change is meant.

Only the data of a stored trace is used. The paths in it are compared as text and never opened.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from worldline.codec import json_text
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.trace import Trace
from worldline.data import manifest as manifests
from worldline.data.load import load_all
from worldline.data.repository.dataset import is_calls, read_instances, read_test_traces
from worldline.data.shards import ShardWriter, require_same_fingerprint
from worldline.storage import publishing, remote
from worldline.storage.remote import Folder

JSON_SUFFIX = ".json"


def run_title(program: Program) -> str:
    """Name a run of a file by its call or arguments, its standard input and its flags. The text does not count."""
    title = program.call if program.call is not None else shlex.join([program.name, *program.argv])
    arguments = shlex.join(program.argv) if program.call is not None else ""
    stdin = f"<<< {program.stdin!r}" if program.stdin else ""
    flags = f"({shlex.join([*program.flags, *program.vm_flags])})" if program.flags or program.vm_flags else ""
    return " ".join(filter(None, (title, arguments, stdin, flags)))


def load_runs(expect: str | Folder, name: str, *, must_exist: bool = True) -> dict[str, Trace]:
    """Load the stored traces of a file by their titles; of two with one title, the later.

    Args:
        expect: Directory, URL or `.json` file of traces.
        name: The name of the file, as its program has it.
        must_exist: Whether there must be stored traces.

    Raises:
        UsageError: There are none, or they belong to tests.
    """
    folder = remote.place(expect)
    if not remote.is_there(folder):
        if must_exist:
            raise UsageError(f"there are no traces at {expect}: record them with -o, or pass --update")
        return {}
    if folder.is_dir() and is_calls(folder):
        raise UsageError(f"{expect} holds the tests of a repository: check them with --pytest REPO")
    return {run_title(trace.program): trace for trace in load_all(expect) if trace.program.name == name}


def update_runs(expect: str | Folder, name: str, traces: Sequence[Trace]) -> None:
    """Replace the stored traces of a file. Those of other files stay.

    Args:
        expect: Directory, URL or `.json` file of traces, created if it is missing.
        name: The name of the file.
        traces: Its new traces.

    Raises:
        UsageError: A `.json` file holds one trace, and there are several.
        FingerprintError: Traces of other files stay, and were recorded with other limits or another interpreter.
    """
    to = remote.place(expect)
    if str(expect).endswith(JSON_SUFFIX) and not to.is_dir():
        if len(traces) != 1:
            raise UsageError(f"{expect} holds one trace, not {len(traces)}: use a directory")
        remote.write(to, "".join(json_text.encode(traces[0])).encode("utf-8", "surrogatepass"))
        return
    others = list(_other_traces(to, name, traces)) if remote.is_there(to) else []
    with tempfile.TemporaryDirectory(prefix="worldline-expected-") as folder:
        store_runs(folder, [*others, *traces])
        publishing.replace_folder(Path(folder), to, manifests.is_own)


def store_runs(directory: str | Folder, traces: Sequence[Trace]) -> None:
    """Store traces of one file in a directory, beside those already there."""
    mark = manifests.fingerprint(limits=traces[-1].limits, interpreter=traces[-1].interpreter)
    with ShardWriter(directory, fingerprint=mark) as writer:
        for trace in traces:
            writer.add(trace)


def _other_traces(directory: Folder, name: str, traces: Sequence[Trace]) -> Iterator[Trace]:
    """The stored traces of other files, which must agree with the new ones on limits and interpreter."""
    others = [trace for trace in load_all(directory) if trace.program.name != name]
    if others:
        stored = manifests.load(directory).fingerprint
        for trace in traces[:1]:
            mark = manifests.fingerprint(limits=trace.limits, interpreter=trace.interpreter)
            require_same_fingerprint(directory, stored, mark)
    return iter(others)


class StoredTests:
    """The stored tests of one repository, as `record --pytest -o` wrote them; the newest revision of several."""

    def __init__(self, expect: str | Folder, name: str) -> None:
        """Open a dataset of recorded calls.

        Args:
            expect: Directory or URL of the dataset.
            name: The name of the repository; it decides if the dataset has several.

        Raises:
            UsageError: There is no such dataset, or several repositories and none has this name.
        """
        self._folder = remote.place(expect)
        if not remote.is_there(self._folder):
            raise UsageError(f"there are no traces at {expect}: record them with -o, or pass --update")
        if not self._folder.is_dir() or not is_calls(self._folder):
            raise UsageError(f"{expect} does not hold the tests of a repository: record them with --pytest REPO -o DIR")
        instances = [row.instance for row in read_instances(self._folder)]
        if not instances:
            raise UsageError(f"{expect} holds no tests: record them with --pytest REPO -o DIR")
        named = [instance for instance in instances if instance.name == name]
        if not named and len({instance.name for instance in instances}) > 1:
            raise UsageError(f"{expect} holds several repositories and none is called {name}: use a dataset of its own")
        self.instance: Instance = (named or instances)[-1]
        self.notes: tuple[str, ...] = ()

    def tests(self) -> Iterator[RecordedTest]:
        """Yield one test at a time."""
        for row, trace in read_test_traces(self._folder):
            if row.instance_id == self.instance.id:
                yield RecordedTest(
                    instance=self.instance,
                    id=row.test_id,
                    outcome=row.outcome,
                    message=row.message,
                    seconds=row.seconds,
                    trace=trace,
                    notes=row.notes,
                )


def replace_tests(expect: str | Folder, write: Callable[[str], object]) -> None:
    """Replace a dataset of recorded calls by one that `write` creates in an empty folder.

    Raises:
        UsageError: The dataset holds other repositories, or is something else.
    """
    to = remote.place(expect)
    if remote.is_there(to):
        if not to.is_dir() or not is_calls(to):
            raise UsageError(f"{expect} does not hold the tests of a repository: pass another place to --expect")
        names = {row.instance.name for row in read_instances(to)}
        if len(names) > 1:
            raise UsageError(
                f"{expect} also holds other repositories ({', '.join(sorted(names))}): record again with -o"
            )
    with tempfile.TemporaryDirectory(prefix="worldline-expected-") as folder:
        write(folder)
        publishing.replace_folder(Path(folder), to, lambda name: manifests.is_own(name, manifests.CALLS))
