"""The tutorial on tracing a repository: its commands are executed in order and print what is quoted below them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs" / "tutorials" / "trace-a-repository.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    """Each command with the output that is quoted below it."""
    return [example for language, block in BLOCKS if not language for example in EXAMPLE.findall(block)]


def normalized(text: str) -> str:
    """Ignore line breaks, column widths, table rules and the interpreter's version."""
    return " ".join(re.sub(r"(?<=cpython )\d+\.\d+\.\d+", "", text).replace("│", " ").split())


def quoted_parts(output: str) -> list[str]:
    """The parts of a quoted output between `...`, which stands for anything."""
    return [part for part in map(normalized, re.split(r"\.\.\.", output)) if part]


def execute(command: str, folder: Path) -> str:
    """Execute a command of the tutorial; `worldline` is this one."""
    words = shlex.split(command)
    if words[0] == "cp":
        # The tutorial starts in a clone of worldline.
        shutil.copytree(ROOT / words[2], folder / words[3])
        return ""
    words = [sys.executable, "-m", "worldline", *words[1:]] if words[0] == "worldline" else words
    environment = {**os.environ, "COLUMNS": "120"}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return normalized(done.stdout + done.stderr)


@pytest.mark.unit
def test_the_tutorial_uses_every_stage() -> None:
    stages = [command.removeprefix("worldline ").split()[0] for command, _ in examples() if "worldline" in command]
    assert stages == ["record", "verify", "show", "data", "data", "train", "bench", "bench"]
    assert quoted_parts("a ... b\n...\nc") == ["a", "b", "c"]


@pytest.mark.long(reason="makes an environment, records, trains and measures: minutes")
@pytest.mark.usefixtures("sandbox")
def test_the_commands_print_what_is_quoted(tmp_path: Path) -> None:
    (recipe,) = (block for language, block in BLOCKS if language == "python")
    (tmp_path / "pantry_recipe.py").write_text(recipe, "utf-8")
    for command, output in examples():
        printed = execute(command, tmp_path)
        at = 0
        for part in quoted_parts(output):
            at = printed.find(part, at)
            assert at >= 0, f"{command}: {part!r} is not in {printed}"
            at += len(part)
