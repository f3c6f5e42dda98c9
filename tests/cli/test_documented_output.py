"""Commands in the README and the tutorials print what is quoted below them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from quoted_commands import normalized, quoted_commands, quoted_parts

ROOT = Path(__file__).parents[2]
# `tests/repository` executes the tutorial on repositories, whose commands depend on each other.
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.name != "trace-a-repository.md"),
    *(ROOT / "docs" / "how-to" / f"{name}.md" for name in ("ask", "futures", "rehearse", "plan")),
]
COMMANDS = {"record", "encode", "debug", "imagine", "rehearse", "ask", "futures", "plan"}
"""Commands that take seconds and print the same everywhere. Others need a server, a run or minutes."""
WRITTEN_ROOT = "/tmp/worldline"
"""The clone of the repository, as pages write it."""
MADE_UP = {"service.py", "test_text.py"}
"""Files that a page only describes."""


def examples() -> Iterator[tuple[str, str, str]]:
    """Yield each page's name, command and quoted output."""
    for page in PAGES:
        for command, output in quoted_commands(page):
            words = command.split()
            if words[0] in COMMANDS and output.strip() and MADE_UP.isdisjoint(words):
                yield page.name, command, output


EXAMPLES = list(examples())


def test_examples_are_found() -> None:
    assert {command.split()[0] for _, command, _ in EXAMPLES} >= {"record", "encode", "debug", "imagine"}


@pytest.mark.parametrize(("page", "command", "output"), EXAMPLES, ids=lambda text: text[:60])
def test_a_quoted_output_is_what_the_command_prints(page: str, command: str, output: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "worldline", *shlex.split(command)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    printed = normalized(done.stdout + done.stderr)
    for part in quoted_parts(output.replace(WRITTEN_ROOT, str(ROOT))):
        assert part in printed, f"{page}: {command}"
