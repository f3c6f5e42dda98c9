"""docs/how-to/your-model.md: every block is run as it stands, in its order, and prints what stands below it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "your-model.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """A command in the page's folder."""
    environment = {"PATH": "/usr/bin:/bin", "COLUMNS": "200", "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def sessions(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it must print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


@pytest.mark.long(reason="runs every example of docs/how-to/your-model.md")
@pytest.mark.usefixtures("sandbox")
def test_every_block_of_the_page_runs(tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    assert len(blocks) == PAGE.read_text("utf-8").count("```") / 2 > 10
    for kind, name, text in blocks:
        if name:
            (tmp_path / name).write_text(text, "utf-8")
        elif kind == "python":
            done = run(tmp_path, [sys.executable, "-c", text])
            assert (done.returncode, done.stderr) == (0, ""), text
        else:
            assert kind == "console"
            for command, wanted in sessions(text):
                check(tmp_path, command, wanted)


def check(folder: Path, command: str, wanted: list[str]) -> None:
    """A command prints these lines in their order, perhaps with more behind each and between them."""
    program, *words = shlex.split(command)
    assert program == "worldline"
    done = run(folder, [sys.executable, "-m", "worldline", *words])
    printed = done.stdout + done.stderr
    at = 0
    for line in wanted:
        found = re.compile(r"\s+".join(re.escape(word) for word in line.split())).search(printed, at)
        assert found, f"{command}: no {line!r} in\n{printed[at:]}"
        at = found.end()
    is_error = any(line.startswith("error[") for line in wanted)
    diverges = any(line.startswith("first divergence") for line in wanted)
    assert (done.returncode >= 2) == is_error, printed
    assert words[0] != "debug" or is_error or done.returncode == diverges, printed


def test_models_and_suites_are_ten_lines() -> None:
    named = {name: text for _, name, text in BLOCK.findall(PAGE.read_text("utf-8")) if name}
    lengths = {name: len([line for line in text.splitlines() if line.strip()]) for name, text in named.items()}
    assert max(lengths.values()) <= 10
