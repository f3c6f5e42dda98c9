"""`worldline encode` and `worldline.encode`: a trace in either notation, on stdout as bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import worldline
from worldline.codec.compact.parse import parse
from worldline.codec.cwm import parse as cwm
from worldline.core.errors import UsageError

SOURCE = "def f(s):\n    t = s + '\u2264'\n    return t\n"
pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A small program that is not ASCII."""
    path = tmp_path / "f.py"
    path.write_text(SOURCE, "utf-8")
    return path


def encoded(*words: str | Path) -> bytes:
    """What the verb writes to stdout."""
    command = [sys.executable, "-m", "worldline", "encode", *map(str, words)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return done.stdout


@pytest.mark.parametrize("notation", ["compact", "cwm"])
def test_a_program_is_recorded_and_written(notation: str, file: Path) -> None:
    trace = worldline.record(worldline.Program(source=SOURCE, name="f.py", call="f('ab')"))
    whole = encoded(file, "--call", "f('ab')", "--format", notation)
    assert whole == worldline.encode(trace, notation)
    prompt = encoded(file, "--call", "f('ab')", "--format", notation, "--part", "prompt")
    steps = encoded(file, "--call", "f('ab')", "--format", notation, "--part", "steps")
    assert prompt
    assert steps
    assert prompt + steps == whole


@pytest.mark.long(reason="test_a_program_is_recorded_and_written compares the same texts")
def test_what_is_written_reads_back(file: Path) -> None:
    assert parse(encoded(file, "--call", "f('ab')")).ended
    text = encoded(file, "--call", "f('ab')", "--format", "cwm").decode()
    source = SOURCE + "def main():\n    return f('ab')\n"
    entry = len(SOURCE.splitlines()) + 1
    assert "\ndef main():  # << START_OF_TRACE\n" in text
    assert text.endswith("<|end_of_text|>")
    # Those of the call, and three of `main`.
    assert len(cwm.parse(text, source, entry=entry).frames) == 4 + 3


def test_the_modes_of_the_compact_notation(file: Path) -> None:
    assert encoded(file, "--call", "f('ab')", "--element", "--reveal", "2", "--bare").startswith(
        b"# element reveal=2 bare\n"
    )


@pytest.mark.long(reason="test_a_program_is_encoded_under_a_control has inputs given")
def test_hidden_inputs_are_given_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "ask.py"
    path.write_text("def ask():\n    return input()\n", "utf-8")
    run = (path, "--call", "ask()", "--stdin", "yes\n", "--hidden")
    assert encoded(*run, "given").count(b"%input='yes\\n'\n") == 2
    assert b"%" not in encoded(*run, "blind")


@pytest.mark.long(reason="starts eight commands; test_control.py encodes a stored trace")
@pytest.mark.parametrize("kind", ["json", "directory"])
def test_stored_traces_are_written_too(kind: str, file: Path, tmp_path: Path) -> None:
    for call in ("f('ab')", "f('c')"):
        kept = ["--json"] if kind == "json" else ["-o", str(tmp_path / "traces")]
        command = [sys.executable, "-m", "worldline", "record", str(file), "--call", call, *kept]
        done = subprocess.run(command, capture_output=True, check=True)
    stored = tmp_path / ("trace.json" if kind == "json" else "traces")
    if kind == "json":
        stored.write_bytes(done.stdout)
    number = [] if kind == "json" else ["--number", "1"]
    assert encoded(stored, *number) == encoded(file, "--call", "f('c')")


def test_what_cannot_be_is_said() -> None:
    trace = worldline.record(worldline.Program(source="x = 1\n"))
    with pytest.raises(UsageError, match="unknown notation 'json': choose one of compact, cwm"):
        worldline.encode(trace, "json")
    with pytest.raises(UsageError, match="unknown part 'half': choose one of whole, prompt, steps"):
        worldline.encode(trace, part="half")
