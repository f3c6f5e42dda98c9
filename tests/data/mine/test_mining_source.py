"""A recipe's quarry: packages that must be there, clones that may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.data.mine.mining_source import (
    MiningSource,
    find_python_files,
    find_tests,
    locate_places,
    read_mining_source,
)
from worldline.data.recipe import load_config


def test_clones_that_are_there_are_places_and_others_are_named(tmp_path: Path) -> None:
    (tmp_path / "one+algorithms").mkdir()
    (tmp_path / "two" / "puzzles").mkdir(parents=True)
    quarry = MiningSource(
        places=("stdlib",), repositories=("one/algorithms", "two/puzzles", "three/x"), clones=str(tmp_path)
    )
    places = ["stdlib", str(tmp_path / "one+algorithms"), str(tmp_path / "two" / "puzzles")]
    assert quarry.here() == (places, ["three/x"])


def test_a_quarry_is_a_text_file(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("# why\npackage stdlib PSF-2.0\n\nrepository a/b MIT  # small\n")
    assert read_mining_source(tmp_path / "q.txt", clones="c") == MiningSource(
        places=("stdlib",), repositories=("a/b",), clones="c"
    )
    (tmp_path / "q.txt").write_text("package toolz\n")
    with pytest.raises(UsageError, match=r"q.txt:1: not `package NAME LICENCE`"):
        read_mining_source(tmp_path / "q.txt")


def test_the_shipped_quarry_has_packages_and_repositories() -> None:
    quarry = load_config("shipped", "quarry", MiningSource)
    assert quarry.places[0] == "stdlib"
    assert len(quarry.places) > 100
    assert "TheAlgorithms/Python" in quarry.repositories
    assert len(set(quarry.repositories)) == len(quarry.repositories) > 20


def test_tests_are_not_mined_but_known(tmp_path: Path) -> None:
    for name in ("a.py", "test_a.py", "b_test.py", "tests/c.py", "_vendor/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in find_python_files([tmp_path])] == ["a.py"]
    assert {path.name for path in find_tests([tmp_path])} == {"test_a.py", "b_test.py", "c.py"}


def test_a_file_of_another_language_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_text("fn main() {}\n")
    with pytest.raises(UsageError, match=r"a\.rs is Rust, and only Python can be mined"):
        locate_places([str(tmp_path / "a.rs")])
