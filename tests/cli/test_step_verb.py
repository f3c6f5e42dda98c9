"""`step` as a user starts it: what it refuses, and one whole visit in a pseudo-terminal."""

from __future__ import annotations

import contextlib
import importlib
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli.debug import step
from worldline.core.errors import UsageError

SOURCE = "def f(a):\n    s = a + '!'\n    print(s)\n    return s\n"
CALL = r"f('\x1b]0;evil\x07')"
ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?<>=:$]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()=>78PX^_].?)")
COLOURS = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
PATIENCE = 120  # seconds after which nothing more is expected of a busy machine


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A small program."""
    path = tmp_path / "f.py"
    path.write_text(SOURCE)
    return str(path)


class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, *argv: str, columns: int = 80, lines: int = 24, **environment: str) -> None:
        self.here, there = pty.openpty()
        ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.before = termios.tcgetattr(there)
        inherited = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        known = {**inherited, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "worldline", *argv],
            stdin=there,
            stdout=there,
            stderr=there,
            env=known,
            start_new_session=True,
        )
        self.there, self.raw = there, b""

    def read(self, until: str, since: int = 0) -> int:
        """Reads until a text is shown, escapes aside; says how much has come by then."""
        end = time.monotonic() + PATIENCE
        while until.encode() not in ESCAPES.sub(b"", self.raw[since:]):
            if time.monotonic() > end or (not self.more() and self.process.poll() is not None):
                raise AssertionError(f"no {until!r} in {ESCAPES.sub(b' ', self.raw[since:]).decode(errors='replace')}")
        return len(self.raw)

    def more(self) -> bool:
        """Reads what comes within a moment."""
        if not select.select([self.here], [], [], 0.2)[0]:
            return False
        with contextlib.suppress(OSError):
            self.raw += os.read(self.here, 1 << 16)
            return True
        return False

    def type(self, keys: str) -> None:
        os.write(self.here, keys.encode())

    def ended(self) -> int:
        """Waits for the end, reading on; the exit status."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.more()
        while self.more():
            pass
        return self.process.wait(1)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.here)
        os.close(self.there)


@contextlib.contextmanager
def terminal(*argv: str, **options: object) -> Iterator[Terminal]:
    made = Terminal(*argv, **options)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


def is_left(shown: Terminal) -> bool:
    """Whether the terminal is as it was: the other screen left, the cursor there, the mouse free, lines echoed."""
    ends = all(code in shown.raw for code in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"))
    return ends and termios.tcgetattr(shown.there) == shown.before


def test_without_a_terminal_it_is_refused(file: str) -> None:
    found = CliRunner().invoke(step, [file, "--call", "f('a')"])
    assert isinstance(found.exception, UsageError)
    assert "needs a terminal" in str(found.exception)


def test_without_textual_it_names_the_extra(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name
        for name in sys.modules
        if name == "textual" or name.startswith(("textual.", "worldline.ui.terminal.step.app"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    start = importlib.import_module("worldline.ui.terminal.step.start")
    monkeypatch.setattr(start, "is_terminal", lambda: True)
    found = CliRunner().invoke(step, [file, "--call", "f('a')"])
    assert isinstance(found.exception, UsageError)
    assert "pip install 'worldline[step]'" in str(found.exception)


def test_help_does_not_need_textual() -> None:
    code = """import sys
from worldline.cli.debug import step
sys.exit(bool({"textual", "worldline.ui.terminal.step.app", "numpy"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("sandbox")
class TestInAPseudoTerminal:
    def test_a_whole_visit(self, file: str) -> None:
        with terminal("step", file, "--call", CALL, "--model", "interpreter") as shown:
            at = shown.read("right")
            shown.type("?")
            at = shown.read("step over a call", at)
            shown.type("\x1b")
            at = shown.read("state f", at)
            shown.type("\x1b[F")  # End
            at = shown.read("returns", at)
            shown.type("g")
            at = shown.read("Go to step", at)
            shown.type("1\r")
            shown.read("step 1 of", at)
            shown.type("q")
            assert shown.ended() == 0
            assert is_left(shown)
            assert b"\x1b]0;" not in shown.raw
            assert rb"\x1b]0;evil\x07" in ESCAPES.sub(b"", shown.raw)

    def test_without_colours_in_a_narrow_one(self, file: str) -> None:
        with terminal(
            "step", file, "--call", "f('a')", "--model", "interpreter", columns=40, lines=16, NO_COLOR="1"
        ) as shown:
            at = shown.read("right")
            shown.type("\x1b[F")
            shown.read("returns", at)
            shown.type("\x03")
            assert shown.ended() == 0
            assert not COLOURS.search(shown.raw), COLOURS.search(shown.raw)
            assert is_left(shown)

    @pytest.mark.long(reason="test_quitting_amid_it_ends_the_thread quits without the model")
    def test_the_shipped_model_is_left_while_it_writes(self) -> None:
        file = Path(__file__).parents[2] / "examples/count.py"
        with terminal("step", str(file), "--call", "count('berry' * 20,'r')") as shown:
            shown.read("predicting")
            shown.type("q")
            assert shown.ended() == 0
            assert is_left(shown)

    def test_a_signal_leaves_the_terminal_as_it_was(self, file: str) -> None:
        with terminal("step", file, "--call", "f('a')", "--model", "interpreter") as shown:
            shown.read("right")
            shown.process.send_signal(signal.SIGTERM)
            assert shown.ended() == 130
            assert is_left(shown)
            assert b"error[interrupted]" in shown.raw

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with terminal("step", str(tmp_path / "none.py"), "--model", "interpreter") as shown:
            assert shown.ended() == 2
            assert b"error[usage]" in shown.raw
            assert b"\x1b[?1049h" not in shown.raw
