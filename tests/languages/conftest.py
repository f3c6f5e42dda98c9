"""Of the many programs that fight their recording, or are drawn at random, a part is enough every time.

`make hostile` runs all of them (WORLDLINE_LANGUAGES=all); otherwise an even part of each test's cases is kept, the same
one each time. How many hostile programs ended and printed as in a plain run is said at the end, by language. The
debuggers that are witnesses here are those that `make bench` times, so perf/ is on the path.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "perf"))

KEPT = 10  # cases of one test
SAMPLED = ("hostile", "escape", "aliasing")  # in the name of the file


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is not in today's part."""
    if os.environ.get("WORLDLINE_LANGUAGES") == "all":
        return
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if "languages" in item.path.parts and any(word in item.path.name for word in SAMPLED):
            groups[item.nodeid.partition("[")[0]].append(item)
    out: set[pytest.Item] = set()
    for cases in groups.values():
        kept = {cases[at * len(cases) // KEPT] for at in range(KEPT)} if len(cases) > KEPT else set(cases)
        out |= set(cases) - kept
    if out:
        config.hook.pytest_deselected(items=[item for item in items if item in out])
        items[:] = [item for item in items if item not in out]


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
