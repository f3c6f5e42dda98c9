"""Files that a user names: links are followed, devices and pipes are refused at once, sizes are bounded."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from worldline.cli import main
from worldline.storage.inputs import read_input, unpack

Capture = pytest.CaptureFixture[str]
REFUSAL = "not a regular file; store what a pipe or a device gives in a file first"
COMMANDS = (
    "record {}",
    "debug {}",
    "imagine {}",
    "view {}",
    "rehearse {}",
    "encode {}",
    "show {}",
    "cost {}",
    "record {program} --file {}",
    "record {program} --stdin @{}",
    "score humaneval {}",
    "bench humaneval --data {}",
    "plan repair {program} --tests {}",
    "debug {program} --model replay:{}",
    "data mine {program} --leave-out {} -o {program}.mined",
)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe that nobody writes to: whoever opens it for reading waits for ever."""
    os.mkfifo(tmp_path / "pipe.py")
    return tmp_path / "pipe.py"


def test_links_are_followed_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(b"four")
    (tmp_path / "link").symlink_to("blob")
    assert read_input(tmp_path / "link", limit=4) == b"four"
    with pytest.raises(OSError, match="larger than 3 bytes"):
        read_input(tmp_path / "link", limit=3)


def test_gzipped_bytes_are_unpacked_up_to_the_limit() -> None:
    packed = gzip.compress(bytes(1_000))
    assert unpack(packed, limit=1_000) == bytes(1_000)
    assert unpack(b"plain", limit=5) == b"plain"
    with pytest.raises(OSError, match="larger than 999 bytes when unpacked"):
        unpack(packed, limit=999)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_or_a_device_is_refused_at_once(command: str, pipe: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "program.py").write_text("print(1)\n")
    for target in (pipe, Path("/dev/zero")):
        words = command.format(target, program=tmp_path / "program.py").split()
        assert main(words) == 2
        assert REFUSAL in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", ["verify {}", "compare {0} {0}", "intervene {}", "data mine {} -o {out}"])
def test_where_a_folder_belongs_a_pipe_or_a_device_is_refused(
    command: str, pipe: Path, tmp_path: Path, capsys: Capture
) -> None:
    for target in (pipe, Path("/dev/zero")):
        assert main(command.format(target, out=tmp_path / "mined").split()) == 2
        error = " ".join(capsys.readouterr().err.split())
        assert f"{target} is not a folder" in error or f"{target} is neither a folder nor a regular file" in error
        assert not (tmp_path / "mined").exists()


@pytest.mark.usefixtures("sandbox")
def test_pipes_and_devices_in_a_folder_are_not_mined(pipe: Path, tmp_path: Path, capsys: Capture) -> None:
    (pipe.parent / "zeros.py").symlink_to("/dev/zero")
    (pipe.parent / "plain.py").write_text("def f(n):\n    return n + 1\n")
    assert main(["data", "mine", str(pipe.parent), "-o", str(tmp_path / "mined")]) == 0
    assert "from 1 files" in capsys.readouterr().out


def test_a_huge_source_is_refused(tmp_path: Path, capsys: Capture) -> None:
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(1 << 40)
    assert main(["record", str(tmp_path / "huge.py")]) == 2
    assert "larger than 16,777,216 bytes" in capsys.readouterr().err
