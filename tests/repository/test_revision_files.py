"""What changed since a revision, read from real git repositories that are never written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.recording.repository.revision import (
    changed_lines,
    files_at,
    has_changes,
    is_test_path,
    revision_of,
    source_change,
)

CALC = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path, files: dict[str, str], message: str = "x") -> str:
    """Write files, commit everything, and return the commit."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "calc"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, {"calc.py": CALC, "old.py": "x = 1\ny = 2\nz = 3\n", "gone.py": "g = 1\n", "README": "calc\n"})
    return folder


def files_and_times(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_revision_is_named_by_its_commit(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    assert revision_of(repository) == revision_of(repository, "main") == head
    assert not has_changes(repository)
    (repository / "new.py").write_text("")
    assert has_changes(repository)


def test_every_kind_of_change_is_listed(repository: Path) -> None:
    (repository / "calc.py").write_text(FIXED)
    git(repository, "mv", "old.py", "renamed.py")
    (repository / "renamed.py").write_text("x = 1\ny = 2\nz = 4\n")
    (repository / "gone.py").unlink()
    (repository / "README").write_text("calc 2\n")
    (repository / "tests").mkdir()
    (repository / "tests" / "test_calc.py").write_text(TEST)
    change = source_change(repository, "HEAD")
    assert change.since == revision_of(repository)
    assert {(file.old_path, file.path, file.is_test) for file in change.files} == {
        ("calc.py", "calc.py", False),
        ("old.py", "renamed.py", False),
        ("gone.py", "", False),
        ("", "tests/test_calc.py", True),
    }
    assert change.other_paths == ("README",)
    calc = next(file for file in change.files if file.path == "calc.py")
    assert (calc.before, calc.after) == (CALC, FIXED)
    lines = changed_lines(repository, "HEAD")
    assert lines["calc.py"] == ({2}, {2})
    assert lines["renamed.py"] == ({3}, {3})
    assert lines["gone.py"] == ({1}, set())
    assert lines["tests/test_calc.py"] == (set(), {1, 2, 3, 4, 5})


def test_the_sources_before_leave_the_tests_alone(repository: Path) -> None:
    old = revision_of(repository)
    commit(repository, {"calc.py": FIXED, "tests/test_calc.py": TEST, "helper.py": "h = 1\n", "tests/data.txt": "1"})
    git(repository, "mv", "old.py", "renamed.py")
    git(repository, "commit", "-q", "-m", "rename")
    assert files_at(repository, old) == {
        "calc.py": CALC.encode(),
        "helper.py": None,
        "old.py": b"x = 1\ny = 2\nz = 3\n",
        "renamed.py": None,
    }


def test_a_folder_of_a_repository_is_compared_alone(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, {"a/m.py": "x = 1\n", "b/m.py": "x = 1\n"})
    (tmp_path / "a" / "m.py").write_text("x = 2\n")
    (tmp_path / "b" / "m.py").write_text("x = 2\n")
    assert [file.path for file in source_change(tmp_path / "a", "HEAD").files] == ["m.py"]
    assert files_at(tmp_path / "a", "HEAD") == {"m.py": b"x = 1\n"}


def test_reading_does_not_write(repository: Path) -> None:
    (repository / "calc.py").write_text(FIXED)
    before = files_and_times(repository)
    source_change(repository, "HEAD")
    files_at(repository, "HEAD")
    has_changes(repository)
    assert files_and_times(repository) == before


@pytest.mark.parametrize("rev", ["nowhere", "-x", "--output=x", "", "HEAD~9"])
def test_an_unknown_revision_is_refused(repository: Path, rev: str) -> None:
    with pytest.raises(UsageError, match="revision"):
        revision_of(repository, rev)


def test_a_folder_without_history_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not in a git repository"):
        source_change(tmp_path, "HEAD")


@pytest.mark.unit
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/data/x.json", True),
        ("pkg/test/a.py", True),
        ("pkg/test_a.py", True),
        ("a_test.py", True),
        ("conftest.py", True),
        ("pkg/testing.py", False),
        ("pkg/latest.py", False),
        ("contest.py", False),
    ],
)
def test_tests_are_known_by_their_path(path: str, expected: bool) -> None:
    assert is_test_path(path) is expected
