"""Attempts of a rehearsed script that fail, told apart from those that succeed, on every interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest
from interpreters import FOUND

from worldline.core.limits import Limits
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, rehearse_executed

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.txt").write_text("one\n")
    (tmp_path / "work" / "raw.bin").write_bytes(b"\0")
    return tmp_path / "work"


def rehearsed(folder: Path, source: str, *, python: str | None = None) -> Rehearsal:
    path = folder / "s.py"
    path.write_text(source)
    return rehearse_executed(path, Staging(folder=folder, python=python), limits=Limits(wall=60))


ATTEMPTS = """\
import os, pathlib, subprocess, threading
def attempt(act, *args):
    try:
        act(*args)
    except OSError:
        pass
attempt(os.remove, "gone.txt")
attempt(os.remove, "raw.bin")
attempt(os.rename, "nothing", "something")
attempt(os.rename, "notes.txt", "moved.txt")
attempt(pathlib.Path("no folder/file.txt").write_text, "x")
attempt(subprocess.run, ["no-such-program"])
attempt(subprocess.run, ["false"])
attempt(os.mkdir, "made")
attempt(os.mkdir, "made")
thread = threading.Thread(target=attempt, args=(os.chmod, "absent", 0o600))
thread.start()
thread.join()
for _ in range(2):
    attempt(os.remove, "late.txt")
    open("late.txt", "w").close()
"""


@pytest.mark.parametrize("version", FOUND)
def test_an_attempt_that_fails_is_told_from_one_that_succeeds(folder: Path, version: str) -> None:
    found = rehearsed(folder, ATTEMPTS, python=FOUND[version])
    assert found.outcome is not None
    assert found.outcome.kind == "returned"
    failed = {(effect.kind, effect.target, effect.failed) for effect in found.effects if effect.failed}
    assert failed == {
        ("delete", "gone.txt", "FileNotFoundError"),
        ("rename", "nothing", "FileNotFoundError"),
        ("write", "no folder/file.txt", "FileNotFoundError"),
        ("start", "no-such-program", "FileNotFoundError"),
        ("change", "absent", "FileNotFoundError"),
    }
    done = {(effect.kind, effect.target) for effect in found.effects if not effect.failed}
    assert {("delete", "raw.bin"), ("rename", "notes.txt"), ("start", "false"), ("write", "made")} <= done
    # The first attempt fails, the second does not.
    assert ("delete", "late.txt") in done


def test_a_script_that_traces_itself_is_left_alone(folder: Path) -> None:
    act = "try:\n    os.remove('gone')\nexcept OSError:\n    pass\n"
    found = rehearsed(folder, f"import os, sys\nsys.settrace(print)\n{act}print(sys.gettrace())\n")
    assert [effect.failed for effect in found.effects if effect.kind == "delete"] == [""]
    assert "<built-in function print>" in found.output
