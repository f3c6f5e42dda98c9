"""`make bench` of other languages: it runs, refuses nothing, and says what it found in one table."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import foreign_table
import pytest

BENCH = Path(__file__).parents[2] / "benchmarks" / "languages.py"
LANGUAGES = {"c": "gdb", "js": "node", "java": "javac"}  # one with each debugger


@pytest.mark.long(reason="times three languages beside their debuggers")
@pytest.mark.usefixtures("sandbox")
def test_recording_is_timed_beside_each_debugger() -> None:
    here = [language for language, needed in LANGUAGES.items() if shutil.which(needed)]
    if not here:
        pytest.skip("no other language on this machine")
    tiny = ["--workloads", "fib", "--seconds", "0.05", "--stops", "600", "--programs", "1", "--json"]
    command = [sys.executable, str(BENCH), "--languages", *here, *tiny]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert (told["faults"], set(told["languages"])) == ([], set(here))
    for row in told["languages"].values():
        assert 0 < row["stops"]["fib"] < row["steps"]["fib"]
        assert row["cost"]["first"] > row["cost"]["cached"] >= 0  # so few are less than a tick of the clock
        assert set(row["cost"]) == set(foreign_table.COSTS)


def row(steps: float, stops: float, warm: float) -> dict[str, dict[str, float]]:
    """A language as it was measured."""
    return {"steps": {"int_loop": steps}, "stops": {"int_loop": stops} if stops else {}, "cost": {"warm": warm}}


def test_a_row_has_its_ratio_and_typescript_that_of_javascript() -> None:
    found = {"js": row(6e6, 500, 90), "ts": row(3e6, 0, 140)}
    lines = foreign_table.table(found, {"int_loop": "int loop"}, ["ts, fib: odd"]).splitlines()
    assert lines[1].split()[:3] == ["JavaScript", "6.0M", "12,000x"]
    assert lines[2].split()[:3] == ["TypeScript", "3.0M", "6,000x"]
    assert lines[-1] == "refused: ts, fib: odd"


def test_an_aim_that_was_missed_is_named() -> None:
    found = {"c": row(5e6, 500, 61)}
    aims = {aim.what: aim.met for aim in foreign_table.aims(found)}
    assert aims == {"int_loop": True, "bubble_sort": False, "warm": False}
    text = foreign_table.table(found, {"int_loop": "int loop"}, [])
    assert "aims met: 1 of 3" in text
    assert "missed: C, warm: 61 ms, aim 60 ms" in text
