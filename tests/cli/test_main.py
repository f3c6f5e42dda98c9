"""The command line without recording anything: exit codes, messages, closed pipes, stored traces."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from heeding import heed_interrupts

from worldline.cli import cli, main
from worldline.cli.recording import record as record_command
from worldline.cli.recording.record_options import size
from worldline.codec.json_text import encode
from worldline.core import errors

sys.path.append(str(Path(__file__).parents[1] / "terminal"))
from specimen import EVIL, specimen, step


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "trace.json"
    path.write_text("".join(encode(specimen())))
    return path


def test_help_lists_every_command() -> None:
    for arguments in ([], ["--help"], ["-h"]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0
        assert all(f"\n  {verb} " in result.output for verb in cli.commands)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["record"],
        ["record", "x.py", "--nonsense"],
        ["record", "x.py", "--max-steps", "0"],
        ["record", "x.py", "--wall", "0"],
        ["record", "x.py", "--memory", "much"],
        ["record", "x.py", "--core", "fast"],
        ["record", "x.py", "--stdin", "@/nonexistent/file"],
        ["show", "/nonexistent/trace.json"],
        ["show", "x", "--step", "one"],
        ["cost"],
        ["cost", "/nonexistent/trace.json", "--tokenizer", "/nonexistent/file"],
    ],
)
def test_usage_is_one_line_and_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error[usage]: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "start"),
    [
        (errors.UsageError("no"), 2, "error[usage]: no"),
        (errors.NoSandbox("bwrap"), 3, "error[no-sandbox]: bwrap"),
        (errors.DigestError("x"), 1, "error[digest]: x"),
        (errors.FormatError(EVIL), 3, r"error[format]: \x1b[31m\u202e"),
        (RuntimeError("oh"), 3, "error[fault]: RuntimeError: oh"),
        (KeyboardInterrupt(), 130, "error[interrupted]: "),
        (MemoryError(), 3, "error[fault]: MemoryError"),
    ],
)
def test_an_exception_becomes_its_slug_and_its_code(
    error: BaseException,
    code: int,
    start: str,
    stored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(record_command, "_console", fail)
    assert main(["show", str(stored)]) == code
    printed = capsys.readouterr().err
    assert printed.startswith(start)
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("64K", 65_536), ("16m", 16 << 20), ("1G", 1 << 30), ("2GiB", 2 << 30), ("5kb", 5120)],
)
def test_sizes(text: str, number: int) -> None:
    assert size(text) == number


@pytest.mark.parametrize("text", ["", "0", "0K", "-1", "1.5G", "K", "\u0663", "1T", "one"])
def test_an_invalid_size_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "x.py", "--memory", text]) == 2
    assert "is not a size" in capsys.readouterr().err


def test_show_prints_the_table_and_the_state(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(stored)]) == 0
    assert "call f  n=1" in capsys.readouterr().out
    assert main(["show", str(stored), "--step", "-8"]) == 0
    assert "step 0 of 8" in capsys.readouterr().out
    assert main(["show", str(stored), "--step", "8"]) == 2
    assert capsys.readouterr().err == "error[usage]: --step 8: the trace has steps 0 to 7\n"
    assert main(["show", str(stored), "--number", "1"]) == 2


def test_show_conditions_stand_beside_the_steps_that_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sandbox: None
) -> None:
    path, out = tmp_path / "a.py", str(tmp_path / "out")
    path.write_text("def f(n):\n    if n % 2 == 0:\n        return 1\n    return 2\n")
    assert main(["record", str(path), "--call", "f(5)", "-o", out]) == 0
    capsys.readouterr()
    assert main(["show", out, "--conditions"]) == 0
    assert "(n % 2 == 0: false)" in capsys.readouterr().out
    assert main(["show", out]) == 0
    assert "false" not in capsys.readouterr().out
    assert main(["show", out, "--conditions", "--step", "-3"]) == 0
    assert "(n % 2 == 0: false)" in capsys.readouterr().out
    assert main(["show", out, "--conditions", "--json"]) == 0
    told = {"step": 1, "line": 2, "text": "n % 2 == 0", "taken": False, "kind": "if"}
    assert json.loads(capsys.readouterr().out) == {"conditions": [told]}


def test_show_json_prints_what_it_read(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(stored), "--json"]) == 0
    assert capsys.readouterr().out == stored.read_text()


def test_show_of_something_else_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    assert main(["show", str(path)]) == 3
    assert capsys.readouterr().err.startswith(f"error[format]: {path} is not a trace")


def test_cost_of_a_stored_trace(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", str(stored), "--tokenizer", "bytes", "--context", "1000"]) == 0
    table = capsys.readouterr().out
    assert "cwm" in table
    assert "compact" in table
    assert main(["cost", str(stored), "--tokenizer", "bytes", "--json"]) == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert total["compact"]["bytes"] == total["compact"]["tokens"]["bytes"] < total["cwm"]["bytes"]


def long_trace(path: Path) -> Path:
    """A stored trace whose table does not fit into a pipe."""
    trace = specimen(steps=[step(i, "line", 0, 2, delta={"n": "1" * 80}) for i in range(4000)])
    path.write_text("".join(encode(trace)))
    return path


@pytest.mark.parametrize("form", [["--rows", "0"], ["--json"]])
def test_a_closed_pipe_ends_it_quietly(tmp_path: Path, form: list[str]) -> None:
    path = long_trace(tmp_path / "trace.json")
    command = [sys.executable, "-m", "worldline", "show", str(path), *form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def sleeps(pid: int) -> bool:
    """Whether a process waits for something, or has ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "SZ"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_with_one_line(tmp_path: Path, number: signal.Signals) -> None:
    path = long_trace(tmp_path / "trace.json")
    command = [sys.executable, "-m", "worldline", "show", str(path), "--rows", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, preexec_fn=heed_interrupts) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        while not sleeps(process.pid):  # nobody reads the rest, so it is soon blocked
            time.sleep(0.01)
        process.send_signal(number)
        process.stdout.read()
        assert process.stderr.read().startswith(b"error[interrupted]: ")
        assert process.wait() == 130


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_encoding_will_do(stored: Path, encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "100"}
    command = [sys.executable, "-m", "worldline", "show", str(stored)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"call f  n=1" in done.stdout


def test_colour_only_where_it_is_wanted(stored: Path) -> None:
    for name, wanted in (("NO_COLOR", False), ("FORCE_COLOR", True)):
        environment = {"PATH": os.environ["PATH"], name: "1", "TERM": "xterm"}
        command = [sys.executable, "-m", "worldline", "show", str(stored)]
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        assert (b"\x1b[" in done.stdout) is wanted
