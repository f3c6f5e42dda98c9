"""Decode the wire of a test into a trace whose program is the test's file with the files it stepped into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from worldline.core.events import EVENTS
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.repository.recorded_test import FAILING_OUTCOMES
from worldline.core.trace import NO_TEXT, InterpreterInfo, Outcome, Trace
from worldline.recording import wire
from worldline.recording.collect import decode
from worldline.recording.exchange import SLACK
from worldline.recording.rehearsal.folder import WORK, FolderCopy
from worldline.recording.repository.spooled import SpooledTest

_RAISE = EVENTS.index("raise")
NO_STEPS = "test.py"  # the name of the file of a test that has no step of the repository


class ProjectFiles:
    """The texts of a repository, by path: of a copy, or of the folder itself; and of packages beside it."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._texts: dict[str, str] = {}

    @classmethod
    def of_copy(cls, copy: FolderCopy) -> ProjectFiles:
        """Return the files of a copy."""
        names = (entry.path for entry in copy.entries if entry.kind == "file")
        blobs = {name.removeprefix(f"{WORK}/"): blob for name, blob in zip(names, copy.blobs, strict=True)}
        return cls(blobs.get)

    @classmethod
    def of_folder(cls, root: Path) -> ProjectFiles:
        """Return the files below a folder, as they are when they are first asked for."""

        def read(path: str) -> bytes | None:
            try:
                return (root / path).read_bytes()
            except (OSError, ValueError):
                return None

        return cls(read)

    def beside(self, read: Callable[[str], bytes | None]) -> ProjectFiles:
        """Return the files with those that another function reads, where the repository has none of that name."""
        own = self._read

        def read_either(path: str) -> bytes | None:
            data = own(path)
            return read(path) if data is None else data

        return ProjectFiles(read_either)

    def text(self, path: str) -> str:
        """Return the text of a Python file; empty if it is not there."""
        if path not in self._texts:
            data = self._read(path)
            self._texts[path] = "" if data is None else decode(data, path)
        return self._texts[path]


def trace_of(test: SpooledTest, files: ProjectFiles, limits: Limits) -> Trace | None:
    """Decode the trace of a test; None if it has no steps."""
    if test.wire is None:
        return None
    decoded = wire.decode(test.wire, steps=limits.steps, weight=limits.trace_bytes + SLACK)
    if not len(decoded.columns):
        return None
    meta = {"name": "cpython", "version": "", "core": "python", **decoded.meta}
    trace = Trace(
        program=_program(test, {frame.file for frame in decoded.frames}, files),
        interpreter=InterpreterInfo(meta["name"], meta["version"], meta["core"]),
        limits=limits,
        outcome=decoded.end or Outcome("killed", "the process of the test ended"),
        columns=decoded.columns,
        frames=decoded.frames,
        hidden=tuple(decoded.hidden),
        notes=tuple(decoded.notes),
    )
    return trace if trace.outcome.kind != "returned" else _with_outcome(trace, test)


def _program(test: SpooledTest, stepped: set[str], files: ProjectFiles) -> Program:
    path, _, name = test.id.partition("::")
    name = name.rpartition("::")[2].partition("[")[0]
    others = tuple((file, files.text(file)) for file in sorted(stepped) if file != path)
    call = f"{name}()" if name.isidentifier() else None
    return Program(source=files.text(path), name=path if path.endswith(".py") else NO_STEPS, call=call, files=others)


def _with_outcome(trace: Trace, test: SpooledTest) -> Trace:
    """Return the trace with the outcome of its test: the last exception if it failed."""
    if test.outcome not in FAILING_OUTCOMES:
        return replace(trace, outcome=Outcome("returned", "None"))
    columns = trace.columns
    raised = (i for i in range(len(columns) - 1, -1, -1) if columns.event[i] == _RAISE)
    last = next(raised, None)
    if last is None or columns.arg[last] == NO_TEXT:
        return replace(trace, outcome=Outcome("raised", "an exception outside the repository's own code"))
    return replace(trace, outcome=Outcome("raised", columns.texts[columns.arg[last]]))
