"""On a system that executes no programs the rest works, and what executes says where it can be done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import worldline

AS_ON_MACOS = Path(__file__).parent / "as_on_macos.py"
EXAMPLE = Path(__file__).parents[2] / "examples" / "count.py"
CALL = ("--call", "count('berry', 'r')")


def on_macos(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Execute a command as on macOS."""
    return subprocess.run(
        [sys.executable, AS_ON_MACOS, *words], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize(
    "words",
    [("record", EXAMPLE, *CALL), ("record", "--trust", EXAMPLE, *CALL), ("debug", EXAMPLE, *CALL)],
    ids=["record", "record --trust", "debug"],
)
def test_what_executes_programs_names_the_system_and_what_still_works(words: tuple[str | Path, ...]) -> None:
    done = on_macos(*words)
    assert done.returncode == 3
    assert "error[no-sandbox]: programs are executed on Linux only" in done.stderr
    for word in ("macOS 15.1", "container", "`imagine`", "`report`", "`compare`"):
        assert word in done.stderr


def test_doctor_says_so_too() -> None:
    done = on_macos("doctor")
    assert done.returncode == 1
    assert "macOS 15.1 executes no programs: use Linux" in done.stdout


def test_a_prediction_works() -> None:
    done = on_macos("imagine", EXAMPLE, *CALL)
    assert done.returncode == 0, done.stderr
    assert "return 2" in done.stdout


@pytest.mark.usefixtures("sandbox")
def test_a_run_of_linux_is_verified_reported_and_compared(tmp_path: Path) -> None:
    run = tmp_path / "run"
    worldline.bench("permutation", "interpreter", max_programs=2, out=run)
    assert on_macos("verify", run).returncode == 0
    assert on_macos("compare", run, run).returncode == 0
    done = on_macos("report", run, "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").stat().st_size > 10_000
