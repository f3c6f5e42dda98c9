"""The report of CPU time: every folder has a usual cost, and child processes are counted."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from cpu_time import README, CpuReport, read_usual_costs, tree_seconds

pytestmark = pytest.mark.unit


def test_every_folder_has_a_usual_cost() -> None:
    folders = {path.parent.relative_to(README.parent).parts[0] for path in README.parent.rglob("test_*.py")}
    assert set(read_usual_costs(README.read_text("utf-8"))) >= folders


def test_the_most_expensive_folder_comes_first_beside_its_usual_cost() -> None:
    report = CpuReport({"cli": 10, "web": 20}, None)
    report.seconds = Counter(cli=12, web=30)
    assert [line.split() for line in report.lines()] == [
        ["30", "web", "usually", "20"],
        ["12", "cli", "usually", "10"],
        ["42", "in", "all"],
    ]


def test_the_time_of_a_process_is_counted() -> None:
    before = tree_seconds(os.getpid())
    while tree_seconds(os.getpid()) < before + 0.02:
        sum(range(10_000))
    assert tree_seconds(os.getpid()) > before
