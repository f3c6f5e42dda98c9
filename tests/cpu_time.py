"""Pytest plugin: CPU seconds per test folder, child processes included, printed at the end of a run.

Each test process adds up its own CPU time and that of all its descendants whenever it moves on to another file. The
table stands beside the usual cost of each folder, the last column of the table in README.md, so that a test that
became expensive is seen. It fails no run: CPU time depends on the machine and on what else it executes.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).with_name("README.md")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
COLLECTION = "(collection)"


def tree_seconds(root: int) -> float:
    """Return the CPU seconds of a process and its descendants, the dead ones that were waited for included."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            # It ended while we looked.
            continue
        parents[int(name)] = int(fields[1])
        seconds[int(name)] = sum(map(int, fields[11:15])) / CLOCK_TICKS

    def descends(pid: int) -> bool:
        while pid not in (0, root):
            pid = parents.get(pid, 0)
        return pid == root

    return sum(spent for pid, spent in seconds.items() if descends(pid))


def read_usual_costs(text: str) -> dict[str, float]:
    """Return the usual CPU seconds of each folder: the last column of the README's table."""
    return {folder: float(cost) for folder, cost in re.findall(r"^\| `(\w+)/` \|.*\| (\d+) \|$", text, re.M)}


def sort_by_cost(items: list[pytest.Item]) -> None:
    """Put the folders that cost most first, so that the run does not end with one process still busy in one of them."""
    costs = read_usual_costs(README.read_text(encoding="utf-8"))
    items.sort(key=lambda item: -costs.get(_folder_of(item), 0.0))


class FolderMeter:
    """Adds up the CPU seconds of each folder in one test process."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._folder = COLLECTION
        self._file: Path | None = None
        self._before = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        if item.path != self._file:
            self.switch(_folder_of(item))
            self._file = item.path
        return (yield)

    def switch(self, folder: str) -> None:
        """Book what was spent since the last call, and go on with another folder."""
        now = tree_seconds(os.getpid())
        # A daemon that left the tree takes its seconds with it.
        self.seconds[self._folder] += max(0.0, now - self._before)
        self._folder, self._before = folder, now

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.switch(COLLECTION)
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["cpu_seconds"] = dict(self.seconds)


class CpuReport:
    """Collects the seconds of all test processes and prints them beside the usual ones."""

    def __init__(self, usual: dict[str, float], own: FolderMeter | None) -> None:
        self.usual = usual
        self.seconds: Counter[str] = own.seconds if own else Counter()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.seconds.update(getattr(node, "workeroutput", {}).get("cpu_seconds", {}))

    def lines(self) -> Iterator[str]:
        """Yield one line per folder, the most expensive first, and the sum."""
        for folder, spent in self.seconds.most_common():
            usual = f"usually {self.usual[folder]:.0f}" if folder in self.usual else ""
            yield f"{spent:8.0f}  {folder:14} {usual}".rstrip()
        yield f"{sum(self.seconds.values()):8.0f}  in all"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("CPU seconds per folder, child processes included")
        for line in self.lines():
            terminalreporter.write_line(line)


def _folder_of(item: pytest.Item) -> str:
    return item.path.relative_to(README.parent).parts[0]


def register(config: pytest.Config, *, is_usual_run: bool) -> None:
    """Measure in every test process; report in the one that prints."""
    is_worker = hasattr(config, "workerinput")
    runs_tests = is_worker or not config.getoption("numprocesses", None)
    meter = FolderMeter() if runs_tests else None
    if meter:
        config.pluginmanager.register(meter)
    if not is_worker and not config.getoption("collectonly"):
        usual = read_usual_costs(README.read_text(encoding="utf-8")) if is_usual_run else {}
        config.pluginmanager.register(CpuReport(usual, meter))
