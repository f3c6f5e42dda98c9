"""What a program is given: data files, a piped stdin; and what is said of a file that only defines functions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from worldline.cli import main

pytestmark = pytest.mark.usefixtures("sandbox")
Capture = pytest.CaptureFixture[str]


def worldline(*words: str | Path, stdin: bytes | None = None, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """The command, with something piped into it or nothing."""
    command = [sys.executable, "-m", "worldline", *map(str, words)]
    given: Any = {"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL}
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False, **given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A script that reads a file beside it, and one that reads its stdin."""
    (tmp_path / "reads.py").write_text("import sys\nwith open(sys.argv[1]) as file:\n    print(len(file.read()))\n")
    (tmp_path / "asks.py").write_text("name = input()\nprint(name.upper())\n")
    (tmp_path / "defs.py").write_text(
        "import math\n\nLIMIT = 3\n\ndef area(r: float, *, unit='m'):\n    return math.pi * r * r\n\n"
        "def first(words, n=1):\n    return words[:n]\n"
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "in.txt").write_text("h\u00e9llo\r\n", "utf-8", newline="")
    (tmp_path / "binary.bin").write_bytes(b"\xff\x00")
    return tmp_path


def test_a_linked_data_file_is_there_under_the_name_of_the_link(folder: Path) -> None:
    (folder / "store").mkdir()
    (folder / "store" / "blob123").write_text("a,b\n")
    (folder / "table.csv").symlink_to("store/blob123")
    done = worldline("record", "reads.py", "table.csv", "--file", "table.csv", "--json", cwd=folder)
    trace = json.loads(done.stdout)
    assert (trace["output"], trace["program"]["files"]) == ("4\n", {"table.csv": "a,b\n"})


@pytest.mark.parametrize("verb", ["record", "encode"])
def test_a_data_file_is_there_under_its_own_path(verb: str, folder: Path) -> None:
    done = worldline(verb, "reads.py", "data/in.txt", "--file", "data/in.txt", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert b"print(len(file.read()))" in done.stdout
    assert b"6" in done.stdout


def test_a_data_file_from_elsewhere_is_there_under_its_name(folder: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other") / "far.txt"
    other.write_text("abc")
    done = worldline("record", "reads.py", "far.txt", "--file", other, "--json", cwd=folder)
    found = json.loads(done.stdout)
    assert (found["output"], found["program"]["files"]) == ("3\n", {"far.txt": "abc"})
    from_above = worldline(
        "record", folder / "reads.py", "data/in.txt", "--file", folder / "data/in.txt", cwd=other.parent
    )
    assert b"6" in from_above.stdout


def test_a_model_is_shown_the_data_and_imagines_without_running(folder: Path) -> None:
    words = ["reads.py", "data/in.txt", "--file", "data/in.txt", "--model", "interpreter"]
    done = worldline("debug", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "@'data/in.txt'\n1|h\u00e9llo\n" in worldline("encode", *words[:4], cwd=folder).stdout.decode()


@pytest.mark.long(reason="starts four commands, each in a process of its own")
@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("nowhere.txt", "--file nowhere.txt: No such file"),
        ("data", "--file data: a folder; name the files in it"),
        ("binary.bin", "--file binary.bin: not UTF-8 text"),
        ("reads.py", "--file reads.py: that is the program itself"),
    ],
)
def test_an_invalid_data_file_is_reported(file: str, said: str, folder: Path) -> None:
    done = worldline("record", "reads.py", "x", "--file", file, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr.decode()


def test_a_missing_file_and_an_empty_stdin_are_hinted_at(folder: Path) -> None:
    done = worldline("record", "reads.py", "data/in.txt", cwd=folder)
    assert done.returncode == 0
    assert b"hint: the program runs in a folder of its own; `--file data/in.txt` puts a file there\n" in done.stderr
    done = worldline("record", "asks.py", cwd=folder)
    assert done.returncode == 0
    assert (
        b"hint: the program read its stdin, which is empty: `--stdin TEXT`, `--stdin @FILE`, or `--stdin -`"
        in done.stderr
    )


def test_a_piped_stdin_is_taken_where_it_is_asked_for(folder: Path) -> None:
    done = worldline("record", "asks.py", "--stdin", "-", "--json", stdin="\u00e9va\n".encode(), cwd=folder)
    assert json.loads(done.stdout)["output"] == "\u00c9VA\n"
    done = worldline("record", "asks.py", "--json", stdin=b"eva\n", cwd=folder)
    assert json.loads(done.stdout)["outcome"]["kind"] == "raised"
    assert b"--stdin -" in done.stderr


@pytest.mark.parametrize("verb", ["debug", "imagine"])
def test_a_file_of_functions_says_which_can_be_called(verb: str, folder: Path, capsys: Capture) -> None:
    assert main([verb, str(folder / "defs.py"), "--model", "interpreter"]) == 2
    said = capsys.readouterr().err
    assert "defs.py only defines functions: area(r: float, *, unit='m'), first(words, n=1)" in said
    assert 'such as --call "area(1.5)"' in said


def test_such_a_file_is_recorded_all_the_same_with_a_hint(folder: Path, capsys: Capture) -> None:
    assert main(["record", str(folder / "defs.py")]) == 0
    assert (
        "hint: defs.py only defines functions: area(r: float, *, unit='m'), first(words, n=1)"
        in capsys.readouterr().err
    )


def test_a_script_that_does_something_is_a_script(folder: Path, capsys: Capture) -> None:
    (folder / "script.py").write_text("def f(n):\n    return n\n\nx = f(1)\n")
    assert main(["debug", str(folder / "script.py"), "--model", "interpreter"]) == 0
    assert capsys.readouterr().err == ""
