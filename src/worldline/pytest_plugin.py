"""`pytest --worldline DIR`: record every test in the user's own environment, and store the calls in DIR.

pytest loads this module wherever worldline is installed, so it imports the rest only when it records. Nothing is
sandboxed: the tests run as pytest runs them. `worldline record --pytest REPO` has the sandbox.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from worldline.recording.repository.budget import TestBudget

_SPOOL = "WORLDLINE_SPOOL"  # where workers of xdist find the spool of the session


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("worldline", "record tests with worldline")
    group.addoption("--worldline", metavar="DIR", help="Record every test, and store the project's calls in DIR")
    group.addoption("--worldline-max-steps", type=int, default=20_000, help="Recorded steps per test [20,000]")
    group.addoption("--worldline-max-calls", type=int, default=8, help="Stored calls per function, by path [8]")
    group.addoption(
        "--worldline-include", action="append", default=[], metavar="PACKAGE", help="Also step into this package"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start recording if `--worldline` is given."""
    out = config.getoption("--worldline")
    if out is None:
        return
    from worldline.recording.guests.testing.plugin import TestRecorder
    from worldline.recording.repository.budget import TestBudget

    budget = TestBudget(steps=config.getoption("--worldline-max-steps"))
    if not hasattr(config, "workerinput"):
        _refuse_other_folders(out)
        storing = _Storing(config, out, budget)
        os.environ[_SPOOL] = storing.spool
        config.pluginmanager.register(storing, "worldline-storing")
    config.pluginmanager.register(TestRecorder(_settings(config, budget)), "worldline-recorder")


def _refuse_other_folders(out: str) -> None:
    """Refuse a folder that the calls could not be stored in, before the tests run."""
    from worldline.data.repository.dataset import is_calls

    if os.path.isdir(out) and os.listdir(out) and not is_calls(out):
        raise pytest.UsageError(f"--worldline={out}: neither empty nor a dataset of recorded calls")


def _settings(config: pytest.Config, budget: TestBudget) -> dict[str, Any]:
    from worldline.recording.native import recorder_for
    from worldline.recording.repository.session import recorder_settings

    native = recorder_for(sys.executable)
    return {
        **recorder_settings(budget, config.getoption("--worldline-include")),
        "root": str(config.rootpath),
        "spool": os.environ[_SPOOL],
        "native": str(native) if native else None,
        "only": None,
        "without": [],
        "record": True,
        "seconds": None,  # the user's own session has no deadline
    }


class _Storing:
    """Stores the recorded calls when the session has ended, in the main process only."""

    def __init__(self, config: pytest.Config, out: str, budget: TestBudget) -> None:
        import tempfile

        self.config, self.out, self.budget = config, out, budget
        self._folder = tempfile.TemporaryDirectory(prefix="worldline-spool-", ignore_cleanup_errors=True)
        self.spool, self.started = self._folder.name, time.monotonic()

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Store the calls, and say how many."""
        from pathlib import Path

        from worldline.data.repository.record import store_tests
        from worldline.recording.repository.record import recording_of_spool

        seconds = time.monotonic() - self.started
        recording = recording_of_spool(self.config.rootpath, Path(self.spool), self.budget, seconds=seconds)
        report = store_tests(
            recording,
            self.out,
            max_calls=self.config.getoption("--worldline-max-calls"),
            include=self.config.getoption("--worldline-include"),
        )
        terminalreporter.write_sep("-", f"worldline: {self.out}")
        for line in report.lines():
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Remove the spool."""
        self._folder.cleanup()
