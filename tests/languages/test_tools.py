"""What a guest makes once for a toolchain: kept whole and by digest, given to boxes, beyond the reach of programs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.recording.languages import tools
from worldline.recording.languages.toolchain import KINDS, Toolchain

JDK = Toolchain("java", KINDS["java"], "17.0.1", (("java", "/usr/bin/java"),), ())
MADE = {"a.jar": b"abc", "b.jsa": b"x" * 100}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "worldline" / "tools"


def test_what_is_kept_is_found(cache: Path) -> None:
    assert tools.find("d") is None
    found = tools.keep("d", MADE)
    assert found == tools.find("d") == cache / "d"
    assert {name: (found / name).read_bytes() for name in MADE} == MADE
    assert {os.stat(found / name).st_mtime for name in MADE} == {tools.DATE}


@pytest.mark.parametrize("damage", ["lost", "cut", "index", "link"])
def test_what_is_not_whole_is_not_found(cache: Path, damage: str) -> None:
    file = tools.keep("d", MADE) / "b.jsa"
    if damage == "lost":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(b"x")
    elif damage == "link":
        file.unlink()
        file.symlink_to("/etc/passwd")
    else:
        (cache / "d" / tools.INDEX).write_text("[1]")
    assert tools.find("d") is None
    assert tools.find(tools.keep("d", MADE).name) == cache / "d"


def test_what_was_not_used_for_longest_goes_first(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MAX_FOLDERS", 2)
    for number in range(3):
        os.utime(tools.keep(f"{number}", MADE), (number, number))
    assert tools.find("1") is not None  # and is the newest now
    tools.keep("3", MADE)
    assert sorted(path.name for path in cache.iterdir()) == ["1", "3"]


def test_a_disk_that_is_full_or_closed_is_no_obstacle(cache: Path) -> None:
    cache.parent.parent.mkdir(parents=True)
    cache.parent.write_text("in the way")
    found = tools.keep("d", MADE)
    assert found == tools.find("d")
    assert (found / "a.jar").read_bytes() == b"abc"


def test_all_that_decides_it_is_in_its_key() -> None:
    keys = {tools.key(JDK), tools.key(replace(JDK, version="21")), tools.key(replace(JDK, executables=()))}
    assert len(keys) == 3
