"""The stored tests of a repository as expectations: `record --pytest REPO --expect TRACES`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import worldline
from worldline.cli import main

pytestmark = pytest.mark.usefixtures("sandbox")
Capture = pytest.CaptureFixture[str]
FILES = {
    "lib.py": "def double(n):\n    return n + n\n\n\ndef label(n):\n    return f'{n}!'\n",
    "test_lib.py": "import lib\n\n\ndef test_double():\n    assert lib.double(2) == 4\n\n\n"
    "def test_label():\n    assert lib.label(2) != '3'\n",
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository, and its recorded tests beside it."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "shop").mkdir()
    for name, text in FILES.items():
        (folder / "shop" / name).write_text(text)
    words = ["--pytest", str(folder / "shop"), "--venv", sys.prefix, "--no-check", "-o", str(folder / "traces")]
    assert main(["record", *words]) == 0
    return folder


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    """A copy of both, to be changed."""
    return Path(shutil.copytree(stored, tmp_path / "copy"))


def check(folder: Path, *words: str) -> int:
    repository, traces = str(folder / "shop"), str(folder / "traces")
    return main(["record", "--pytest", repository, "--venv", sys.prefix, "--expect", traces, *words])


def test_a_passing_test_that_behaves_differently_fails_the_check(folder: Path, capsys: Capture) -> None:
    assert check(folder) == 0
    assert capsys.readouterr().out.startswith("unchanged: shop compared with")
    lib = folder / "shop" / "lib.py"
    lib.write_text("# moved\n" + FILES["lib.py"].replace("'{n}!'", "'{n}?'"))
    assert check(folder) == 1
    text = capsys.readouterr().out
    assert "1 of 2 tests" in text
    assert "outcome           passed on both revisions" in text
    said = " ".join(text.split())  # a sentence wraps at the width of the console
    assert "lib.py, label, line 6 before and line 7 after: returns '2!' before, '2?' after" in said
    assert check(folder, "--update") == 0
    assert check(folder) == 0
    assert worldline.verify(str(folder / "traces")) == []


def test_a_test_that_is_gone_fails_and_a_new_one_is_a_note(folder: Path, capsys: Capture) -> None:
    tests = folder / "shop" / "test_lib.py"
    tests.write_text(FILES["test_lib.py"].replace("test_label", "test_mark"))
    assert check(folder) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "problem test_lib.py::test_label: pytest does not collect it any more; --update removes its trace" in text
    assert "note no trace yet of 1 test: test_lib.py::test_mark; --update records it" in text
    assert check(folder, "--", "-k", "double") == 0, "the others are not asked for"


def test_traces_of_programs_and_of_tests_are_not_confused(folder: Path, capsys: Capture) -> None:
    lib, traces = str(folder / "shop" / "lib.py"), str(folder / "traces")
    assert main(["record", lib, "--call", "double(2)", "--expect", traces]) == 2
    assert "check them with --pytest REPO" in capsys.readouterr().err
    programs = str(folder / "programs")
    assert main(["record", lib, "--call", "double(2)", "-o", programs]) == 0
    assert main(["record", "--pytest", str(folder / "shop"), "--expect", programs]) == 2
    assert "does not hold the tests of a repository" in capsys.readouterr().err
