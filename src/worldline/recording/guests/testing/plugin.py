"""A pytest plugin that records every test, from its fixtures to their teardown, and writes a spool folder.

It is executed by the repository's own interpreter and imports nothing of worldline. One wire per test holds its steps;
one line of JSON per event says which tests were collected, began and ended (spool.py). A test ends as it would without
the plugin: the recorder reads frames and never calls the program's methods, and detaches when the budget of a test is
spent. Only the thread that executes the test is recorded; threads, processes and forks are noted.

Without `record` in its settings the plugin only reports outcomes, so that both kinds of run are the same otherwise.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import pytest

from .. import behavior, python
from .guest import SETTINGS
from .own_files import own_files
from .spool import Spool

MAX_MESSAGE_CHARACTERS = 20_000


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin with the settings that the host wrote, in the main process and in workers of xdist."""
    path = os.environ.get(SETTINGS)
    if path:
        with open(path, encoding="utf-8") as file:
            settings = json.load(file)
        try:
            config.pluginmanager.register(TestRecorder(settings), "worldline-recorder")
        except ValueError as error:  # a package to step into that is not there
            raise pytest.UsageError(str(error)) from None


class TestRecorder:
    """Records each test, and reports its outcome."""

    __test__ = False  # not a class of tests

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.spool = Spool(settings["spool"], settings["spool_bytes"])
        self.only = set(settings["only"]) if settings["only"] is not None else None
        self.without = set(settings["without"])
        self.core = _load_core(settings["native"]) if settings["record"] else None
        self.files = own_files(settings["root"], settings["include"]) if self.core else {}
        self.test: str | None = None
        self.recorder: Any = None
        self.reports: list[pytest.TestReport] = []
        self.notes: Counter[str] = Counter()
        self.pid = os.getpid()
        if self.core:
            sys.addaudithook(self._hook)
            if not behavior.THREAD_STARTS_ARE_AUDITED:
                python.audit_thread_starts(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        slug = python.NOTES.get(event)
        if slug is not None and self.test is not None and os.getpid() == self.pid:
            self.notes[slug] += 1

    # ---- what is executed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the tests that the host asks for, and leave out those that have ended a run before."""
        wanted = [item for item in items if self._is_wanted(item.nodeid)]
        if len(wanted) < len(items):
            config.hook.pytest_deselected(items=[item for item in items if not self._is_wanted(item.nodeid)])
            items[:] = wanted
        self.spool.write({"collected": [item.nodeid for item in items]})

    def _is_wanted(self, test: str) -> bool:
        return test not in self.without and (self.only is None or test in self.only)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Report a file that cannot be imported as a test that ends with an error."""
        if report.failed:
            self.spool.write({"end": report.nodeid, "outcome": "error", "message": _message(report)})

    # ---- one test

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record a test with its fixtures and their teardown."""
        self.reports.clear()
        self.notes.clear()
        wire = self.spool.new_wire(self.settings["wire_bytes"]) if self.core else None
        self.spool.write({"begin": item.nodeid, "wire": wire and wire.name})
        if self.settings["seconds"]:
            faulthandler.dump_traceback_later(self.settings["seconds"], exit=True, file=self.spool.stacks)
        started = time.perf_counter()
        if wire is not None:
            try:
                self.recorder = _start(self.core, wire.file, self.files, self.settings["limits"])
            except (RuntimeError, ValueError):  # a recorder is running, or the tool of the recorder is taken
                self.notes["unrecorded"] += 1
        self.test = item.nodeid  # from now on: the recorder itself sets a trace function
        try:
            yield
        finally:
            self.test = None
            if self.recorder is not None:
                self._stop()
            seconds = time.perf_counter() - started
            if self.settings["seconds"]:
                faulthandler.cancel_dump_traceback_later()
            if wire is not None:
                self._forget_own_traces(wire.keep())
            outcome, message = _outcome(self.reports)
            self.spool.write(
                {
                    "end": item.nodeid,
                    "outcome": outcome,
                    "message": message,
                    "seconds": seconds,
                    "wire": wire and wire.name,
                    "notes": sorted(self.notes),
                }
            )

    def _forget_own_traces(self, has_detached: bool) -> None:
        """Forget the event of a recorder that has switched itself off: the test did not set a trace function."""
        if has_detached and self.notes["settrace"] <= 1:
            del self.notes["settrace"]

    def _stop(self) -> None:
        recorder, self.recorder = self.recorder, None
        if not recorder.stop():
            self.notes["tampered"] += 1
        recorder.end("returned", "None")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the reports of the running test. The main process of xdist gets them from its workers, and has none."""
        if report.nodeid == self.test:
            self.reports.append(report)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Say that the process has executed all its tests."""
        self.spool.write({"finish": int(exitstatus)})


def _load_core(native: str | None) -> Any:
    """Load the native recorder, or the readable one."""
    if native is not None:
        return python.load_native(native)
    from .. import recorder

    return recorder


def _start(core: Any, wire: int, files: dict[str, str], limits: dict[str, int]) -> Any:
    """Start a recorder on the calling thread."""
    names: Callable[[CodeType], tuple[str, ...]] = python.global_names
    recorder = core.Recorder(wire, files, limits, names, detach=True)
    recorder.meta("name", sys.implementation.name)
    recorder.meta("version", ".".join(map(str, sys.version_info[:3])))
    recorder.meta("core", "native" if core.__name__ == "_recorder" else "python")
    recorder.start()
    return recorder


def _outcome(reports: list[pytest.TestReport]) -> tuple[str, str]:
    """Return the outcome that pytest counts, and why: the first failure decides."""
    for report in reports:
        if report.failed:
            return "failed" if report.when == "call" else "error", _message(report)
    for report in reports:
        expected = hasattr(report, "wasxfail")
        if report.skipped:
            return "xfailed" if expected else "skipped", _message(report)
        if expected and report.when == "call":
            return "xpassed", ""
    return ("passed" if reports else "missing"), ""


def _message(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):  # a skipped test: file, line, reason
        return str(report.longrepr[2])[:MAX_MESSAGE_CHARACTERS]
    return report.longreprtext[-MAX_MESSAGE_CHARACTERS:]
