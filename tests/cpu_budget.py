"""Pytest plugin: CPU seconds per test folder, child processes included, compared with the budgets in README.md.

Each test process adds up its own CPU time and that of all its descendants whenever it moves on to another file. The
table is printed at the end of the run. A folder over its budget fails the run, so that the tests stay cheap.
Budgets are CPU seconds on a reference machine; they are scaled up on a machine that is slower or busier.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

README = Path(__file__).with_name("README.md")
# How long `machine_seconds` takes on the machine where the budgets were set.
REFERENCE_SECONDS = 0.09
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
COLLECTION = "(collection)"


def machine_seconds(repeats: int = 5) -> float:
    """Return the CPU seconds of a fixed piece of work: the machine's speed, as seen by one process."""

    def measure() -> float:
        start = time.process_time()
        sum(n * n % 7 for n in range(500_000))
        return time.process_time() - start

    return min(measure() for _ in range(repeats))


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


def read_budgets(text: str) -> dict[str, float]:
    """Return the budget of each folder: the last column of the README's table."""
    return {folder: float(budget) for folder, budget in re.findall(r"^\| `(\w+)/` \|.*\| (\d+) \|$", text, re.M)}


def sort_by_budget(items: list[pytest.Item]) -> None:
    """Put the folders that cost most first, so that the run does not end with one process still busy in one of them."""
    budgets = read_budgets(README.read_text(encoding="utf-8"))
    items.sort(key=lambda item: -budgets.get(_folder_of(item), 0.0))


class FolderMeter:
    """Adds up the CPU seconds of each folder in one test process."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.speeds: list[float] = []  # of the machine, measured between folders
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
        if folder != self._folder:
            self.speeds.append(machine_seconds(repeats=1))
        now = tree_seconds(os.getpid())
        # A daemon that left the tree takes its seconds with it.
        self.seconds[self._folder] += max(0.0, now - self._before)
        self._folder, self._before = folder, now

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.switch(COLLECTION)
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["cpu_seconds"], output["machine_seconds"] = dict(self.seconds), self.speeds


class BudgetReport:
    """Collects the seconds of all test processes, prints them and compares them with the budgets."""

    def __init__(self, budgets: dict[str, float], own: FolderMeter | None) -> None:
        self.budgets = budgets
        self.seconds: Counter[str] = own.seconds if own else Counter()
        self.speeds: list[float] = own.speeds if own else []
        self._machine = machine_seconds()
        self._scale = 1.0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.seconds.update(output.get("cpu_seconds", {}))
        self.speeds += output.get("machine_seconds", [])

    def scale(self) -> float:
        """Return how much slower this machine is than the reference: at the start, at the end, or on average between.

        Tests that share the cores with others need more CPU time for the same work.
        """
        between = mean(self.speeds) if self.speeds else 0.0
        return max(1.0, *(seconds / REFERENCE_SECONDS for seconds in (self._machine, machine_seconds(), between)))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[Any]:
        result = yield
        self._scale = self.scale()
        if self.over_budget() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    def over_budget(self) -> list[str]:
        """Return the folders that spent more than their budget, scaled to this machine."""
        return [
            folder for folder, budget in sorted(self.budgets.items()) if self.seconds[folder] > budget * self._scale
        ]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        terminalreporter.section("CPU seconds per folder, child processes included")
        for folder, spent in self.seconds.most_common():
            budget = f"of {self.budgets[folder]:.0f}" if folder in self.budgets else ""
            write(f"{spent:8.0f} {budget:8}  {folder}")
        write(f"{sum(self.seconds.values()):8.0f} in all; budgets scaled by {self._scale:.2f} for this machine")
        for folder in self.over_budget():
            write(
                f"tests/{folder} spent {self.seconds[folder]:.0f} CPU seconds; its budget in tests/README.md is "
                f"{self.budgets[folder]:.0f}. Make its tests cheaper, mark some `long`, or raise the budget."
            )


def _folder_of(item: pytest.Item) -> str:
    return item.path.relative_to(README.parent).parts[0]


def register(config: pytest.Config, *, with_budgets: bool) -> None:
    """Measure in every test process; report in the one that prints."""
    is_worker = hasattr(config, "workerinput")
    runs_tests = is_worker or not config.getoption("numprocesses", None)
    meter = FolderMeter() if runs_tests else None
    if meter:
        config.pluginmanager.register(meter)
    if not is_worker and not config.getoption("collectonly"):
        budgets = read_budgets(README.read_text(encoding="utf-8")) if with_budgets else {}
        config.pluginmanager.register(BudgetReport(budgets, meter))
