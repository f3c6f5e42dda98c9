"""The report of a benchmark in a terminal: every rate with its n, and escaped model text."""

from __future__ import annotations

import pytest
from rich.console import Console

from worldline.core.program import Program
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task
from worldline.evaluation.summary import report
from worldline.ui.terminal.suite_report import print_report


def test_rates_have_n_and_interval() -> None:
    task = Task(program=Program(source=""))
    rows = [
        Verdict(task, "right", "wrong", "int", 5, 1, 10, 0.5),
        Verdict(task, "truncated", "truncated", "str", 20, 1, 30, 0.5),
    ]
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_report(console, report(rows, suite="generated", model="m\x1b[31m", skipped=1))
    text = console.export_text()
    assert "\x1b" not in text
    assert "n = 2" in text
    assert "50.0 %" in text
    assert "9.5 - 90.5" in text
    assert "1-8 answer" in text
    assert "str trace" in text
    assert "predicted 40 bytes, 20 per program, in 1.0 s (40 per second)" in text


@pytest.mark.parametrize(
    ("groups", "title"), [(("", ""), "steps"), (("2", "3"), "group"), (("8/sort", "9/sort"), "group")]
)
def test_rows_of_a_suite_are_called_groups(groups: tuple[str, ...], title: str) -> None:
    rows = [
        Verdict(Task(program=Program(source=""), group=group), "right", "right", "int", steps, 1, 10, 0.5)
        for group, steps in zip(groups, (5, 20), strict=True)
    ]
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_report(console, report(rows, suite="mine", model="m"))
    assert f"\n{title} " in console.export_text()
