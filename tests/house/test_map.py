"""docs/house.md has every file with its own first sentence, and the README stays short enough to be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import worldline

ROOT = Path(worldline.__file__).parent
REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "house.md").read_text("utf-8")
README_LINES = 170


def test_the_map_is_what_the_docstrings_say() -> None:
    script = REPOSITORY / "docs" / "house.py"
    done = subprocess.run(
        [sys.executable, "-B", script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_map_has_every_module_and_every_c_file_once() -> None:
    paths = [*ROOT.rglob("*.py"), *(REPOSITORY / "native").glob("*.[ch]")]
    inside = [path for path in paths if path.name != "__init__.py" or path.parent == ROOT]
    named = [
        words[0]
        for line in PAGE.splitlines()
        if (words := line.split()) and words[0].endswith((".py", ".c", ".h"))
    ]
    assert sorted(named) == sorted(path.name for path in inside)


def test_every_file_has_a_clause() -> None:
    blocks = PAGE.partition("## Map")[2].split("```")[1::2]
    bare = [line for block in blocks for line in block.strip().splitlines() if len(line.split()) < 3]
    assert bare == []


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len((REPOSITORY / "README.md").read_text("utf-8").splitlines()) < README_LINES


def test_the_readme_names_every_room() -> None:
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    text = (REPOSITORY / "README.md").read_text("utf-8")
    assert {room for room in rooms if f"{room}/" not in text} == set()
