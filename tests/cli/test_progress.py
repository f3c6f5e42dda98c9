"""A command that takes long says so on a terminal, and only there; nothing of it is left beside the result."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from terminal_command import WORLDLINE, run_on_terminal, seen_in_tmux

pytestmark = pytest.mark.usefixtures("sandbox")

SLOW = "import time\ntime.sleep(1.6)\nprint(7)\n"
SLOW_MODEL = "import time\ndef model(prompt):\n    time.sleep(1.6)\n    return ''\n"


@pytest.fixture
def slow(tmp_path: Path) -> str:
    (tmp_path / "slow.py").write_text(SLOW)
    return str(tmp_path / "slow.py")


@pytest.fixture
def slow_model(tmp_path: Path) -> str:
    (tmp_path / "m.py").write_text(SLOW_MODEL)
    return f"python:{tmp_path / 'm.py'}:model"


def test_a_recording_says_how_long_it_may_take_and_how_to_stop_it(slow: str) -> None:
    run = run_on_terminal("record", slow, "--json", "--wall", "20")
    assert run.code == 0
    assert b"slow.py" in run.shown
    assert b" s of at most 20 s; Ctrl-C stops" in run.shown
    assert json.loads(run.out)["output"] == "7\n"


@pytest.mark.parametrize(("options", "term"), [(["--quiet"], "xterm"), ([], "dumb")])
def test_a_quiet_command_and_a_dumb_terminal_show_nothing(slow: str, options: list[str], term: str) -> None:
    run = run_on_terminal("record", slow, *options, term=term)
    assert (run.code, run.shown) == (0, b"")
    assert b"returned" in run.out


def test_a_pipe_gets_nothing(slow: str) -> None:
    done = subprocess.run([*WORLDLINE, "record", slow], capture_output=True, check=True)
    assert done.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_display_does_not_hold_a_signal_back(tmp_path: Path, number: int) -> None:
    (tmp_path / "endless.py").write_text("import time\nwhile True:\n    time.sleep(600)\n")
    words = ("record", str(tmp_path / "endless.py"), "--wall", "60")
    run = run_on_terminal(*words, interrupt_at=b"Ctrl-C stops", signal_number=number)
    assert (run.code, run.out) == (130, b"")
    # The line is erased, the cursor is shown again, and the error stands alone.
    assert run.shown.rpartition(b"\x1b[2K")[2].strip().startswith(b"error[interrupted]: ")
    assert run.shown.rindex(b"\x1b[?25h") > run.shown.rindex(b"\x1b[?25l")


@pytest.mark.parametrize("verb", ["debug", "imagine"])
def test_a_prediction_says_what_goes_on(verb: str, tmp_path: Path, slow_model: str) -> None:
    (tmp_path / "f.py").write_text("x = 1\n")
    run = run_on_terminal(verb, str(tmp_path / "f.py"), "--model", slow_model)
    assert b"predicting" in run.shown
    assert b"Ctrl-C stops" in run.shown


def test_a_bar_estimates_the_time_left(tmp_path: Path, slow_model: str) -> None:
    run = run_on_terminal("bench", "permutation", "--model", slow_model, "--max-programs", "3", "--length", "2")
    assert b"1/3" in run.shown
    assert b"about " in run.shown
    assert b" s left; Ctrl-C stops" in run.shown


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
@pytest.mark.parametrize(
    ("words", "first"),
    [
        (("record", "{slow}"), "slow.py  cpython"),
        (("imagine", "{slow}", "--model", "{model}"), "slow.py  model"),
        (("bench", "permutation", "--model", "{model}", "--max-programs", "2", "--length", "2"), "permutation"),
    ],
)
def test_nothing_of_the_display_is_left_beside_the_result(
    words: tuple[str, ...], first: str, tmp_path: Path, slow: str, slow_model: str
) -> None:
    seen = seen_in_tmux(tmp_path, *(word.format(slow=slow, model=slow_model) for word in words))
    assert seen[0].startswith(first)
    assert not any("Ctrl-C" in line or "━" in line for line in seen)
