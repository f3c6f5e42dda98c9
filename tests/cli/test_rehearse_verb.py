"""`worldline rehearse` as a user types it: what is told, what is refused, and what is labelled as imagined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldline.cli import main

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("sandbox")

SCRIPT = """\
import os
import sys

with open("notes.txt", "a") as file:
    file.write(sys.argv[1] + "\\n")
os.remove("old.txt")
print(os.environ.get("NAME"), input())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "notes.txt").write_text("one\n")
    (tmp_path / "old.txt").write_text("old\n")
    (tmp_path / "s.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys: Capture, *words: str) -> dict[str, Any]:
    assert main(["rehearse", "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_list_a_diff_and_no_promise(folder: Path, capsys: Capture) -> None:
    words = ["rehearse", "s.py", "two", "--stdin", "x\n", "--env", "NAME=me"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "It does not prove that the script is safe." in out
    for line in ("+two", "deleted: old.txt, 4 bytes", "ended: returned"):
        assert line in out
    assert "a/old.txt" not in out  # what is gone has its size, not its text
    rows = [line.split() for line in out.splitlines()]
    assert ["deletes", "old.txt", "6", 'os.remove("old.txt")'] in rows
    assert "me x" in out
    assert (folder / "old.txt").exists()
    assert (folder / "notes.txt").read_text() == "one\n"


def test_the_same_as_json(folder: Path, capsys: Capture) -> None:
    found = told(capsys, "s.py", "two", "--stdin", "x\n")
    assert found["outcome"] == {"kind": "returned", "detail": ""}
    assert {(e["kind"], e["target"], e["line"]) for e in found["effects"]} == {
        ("write", "notes.txt", 4), ("delete", "old.txt", 6), ("environment", "NAME", 7), ("read", "<stdin>", 7),
    }  # fmt: skip
    assert [(c["path"], c["how"]) for c in found["changes"]] == [("notes.txt", "changed"), ("old.txt", "deleted")]
    assert "does not prove" in found["promise"]


def test_another_folder_and_what_is_left_out(folder: Path, capsys: Capture) -> None:
    (folder / "other").mkdir()
    (folder / "other" / "notes.txt").write_text("1\n")
    (folder / "other" / "old.txt").write_text("2\n")
    found = told(capsys, "s.py", "two", "--folder", "other", "--exclude", "old.txt")
    assert found["left_out"] == ["old.txt"]
    assert found["outcome"]["kind"] == "raised"
    assert found["line"] == 6
    assert any("in line 6" in sentence for sentence in found["unseen"])


def test_what_stands_behind_an_exception_is_told_as_text(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")  # on one line
    (folder / "s.py").write_text("import os\nopen('/etc/hosts')\nos.remove('old.txt')\n")
    found = told(capsys, "s.py", "--branches", "0")
    assert [(e["kind"], e["target"], e["seen"]) for e in found["effects"]] == [
        ("read", "/etc/hosts", "told"), ("delete", "old.txt", "text"),
    ]  # fmt: skip
    assert main(["rehearse", "s.py", "--branches", "0"]) == 0
    assert "IN THE SOURCE, may not be reached" in capsys.readouterr().out


def test_a_programs_text_cannot_steer_the_terminal(folder: Path, capsys: Capture) -> None:
    (folder / "s.py").write_text("open('\\x1b[2J', 'w').write('\\x1b]0;x\\x07')\nprint('\\x1b[31m')\n")
    assert main(["rehearse", "s.py"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[2J" in out


def test_where_a_module_is_missing_the_rest_is_imagined_and_says_so(folder: Path, capsys: Capture) -> None:
    source = "import os, no_such_module\nn = 2\nif n == 2:\n    os.remove('old.txt')\nelse:\n    os.remove('x')\n"
    (folder / "s.py").write_text(source)
    found = told(capsys, "s.py", "--max-bytes", "600", "--branches", "0")
    seen = {e["target"]: (e["seen"], e["line"]) for e in found["effects"]}
    assert set(seen) == {"old.txt", "x"}
    assert {how for how, _ in seen.values()} <= {"imagined", "text"}
    assert any("a module that is not installed" in sentence for sentence in found["unseen"])
    assert told(capsys, "s.py", "--max-bytes", "0")["effects"][0]["seen"] == "text"


def test_nothing_is_run_where_that_is_asked_or_another_language_is_written(folder: Path, capsys: Capture) -> None:
    found = told(capsys, "s.py", "two", "--no-run", "--max-bytes", "0")
    assert (found["outcome"], found["why_not_run"]) == (None, "--no-run")
    assert {(e["kind"], e["line"], e["seen"]) for e in found["effects"]} == {
        ("write", 4, "text"), ("delete", 6, "text"), ("environment", 7, "text"), ("read", 7, "text"),
    }  # fmt: skip
    (folder / "s.rs").write_text('fn main() {\n    std::fs::remove_file("old.txt").unwrap();\n}\n')
    found = told(capsys, "s.rs", "--max-bytes", "0")
    assert "Rust" in found["why_not_run"]
    assert [(e["kind"], e["line"]) for e in found["effects"]] == [("delete", 2)]
    assert main(["rehearse", "s.rs", "--max-bytes", "0"]) == 0
    out = capsys.readouterr().out
    assert "NOT EXECUTED" in out
    assert "Nothing was executed" in out


def test_a_shell_script_is_run_and_one_that_is_not_run_says_little(folder: Path, capsys: Capture) -> None:
    (folder / "go.sh").write_text("rm old.txt\ncurl http://example.com\n")
    found = told(capsys, "go.sh")
    assert {(e["kind"], e["target"], e["line"]) for e in found["effects"]} == {
        ("start", "rm old.txt", 1), ("delete", "old.txt", 0), ("start", "curl http://example.com", 2),
    }  # fmt: skip
    assert any("the script is not Python" in sentence for sentence in found["unseen"])
    assert main(["rehearse", "go.sh", "--no-run"]) == 0
    assert "no call in the source is known to touch anything" in capsys.readouterr().out


def test_without_a_box_it_is_imagined_and_not_run(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))  # no bwrap there
    found = told(capsys, "s.py", "two", "--max-bytes", "0")
    assert found["outcome"] is None
    assert "no sandbox" in found["why_not_run"]
    assert (folder / "old.txt").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["absent.py"], "cannot read absent.py"),
        (["s.py", "--folder", "absent"], "is not a folder"),
        (["s.py", "--env", "novalue"], "is not key=value"),
        (["s.py", "--exclude", "s.py"], "the script itself"),
        (["s.py", "--stdin", "@absent"], "--stdin @absent"),
        (["broken.py"], "cannot be executed as a script"),
    ],
)
def test_what_cannot_be_is_one_sentence(folder: Path, capsys: Capture, words: list[str], said: str) -> None:
    (folder / "broken.py").write_text("def (:\n")
    assert main(["rehearse", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.strip().splitlines()) == 1
