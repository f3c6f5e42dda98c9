"""The CPU budget: every folder has one, and a folder that exceeds it is reported on a machine of any speed."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from cpu_budget import README, REFERENCE_SECONDS, BudgetReport, read_budgets, tree_seconds

pytestmark = pytest.mark.unit


def test_every_folder_has_a_budget() -> None:
    folders = {path.parent.relative_to(README.parent).parts[0] for path in README.parent.rglob("test_*.py")}
    assert set(read_budgets(README.read_text("utf-8"))) >= folders


@pytest.mark.parametrize(("scale", "over"), [(1.0, ["cli", "web"]), (1.5, ["web"]), (4.0, [])])
def test_a_slower_machine_has_a_larger_budget(scale: float, over: list[str]) -> None:
    report = BudgetReport({"cli": 10, "core": 10, "web": 10}, None)
    report.seconds, report._scale = Counter(cli=12, core=9, web=30), scale
    assert report.over_budget() == over


def test_the_speed_while_tests_run_counts() -> None:
    report = BudgetReport({}, None)
    report.speeds = [2 * REFERENCE_SECONDS, 60 * REFERENCE_SECONDS]
    assert report.scale() == pytest.approx(31)


def test_the_time_of_a_process_is_counted() -> None:
    before = tree_seconds(os.getpid())
    while tree_seconds(os.getpid()) < before + 0.02:
        sum(range(10_000))
    assert tree_seconds(os.getpid()) > before
