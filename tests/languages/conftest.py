"""Says at the end how many hostile programs ended and printed as in a plain run, by language.

The debuggers that serve as oracles here are those that `make bench` times, so benchmarks/ is on the path.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The unperturbed share of the hostile programs that were run."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for report in (each for kind in ("passed", "failed") for each in terminalreporter.getreports(kind)):
        told = dict(report.user_properties).get("plainly") if report.when == "call" else None
        if told:
            language, _, how = str(told).partition(" ")
            counts[language][how] += 1
    for language, found in sorted(counts.items()):
        compared = found["alike"] + found["apart"]
        share = f"{found['alike']} of {compared} hostile programs end and print as in a plain run"
        terminalreporter.write_line(f"{language}: {share}; {found['has no plain end']} have no plain end")
