"""docs/tutorials/evaluate-a-server.md: its commands, in order, print the quoted lines."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "evaluate-a-server.md"
COMMAND = [sys.executable, "-m", "worldline"]
ENVIRONMENT = {**os.environ, "COLUMNS": "200"}


@pytest.fixture
def port() -> Iterator[str]:
    """The port of a server with the shipped model."""
    server = subprocess.Popen([*COMMAND, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        address = server.stdout.readline()
        yield address.partition("#")[0].rpartition(":")[2]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


@pytest.mark.long(reason="runs the commands of docs/tutorials/evaluate-a-server.md")
@pytest.mark.usefixtures("sandbox")
def test_the_commands_print_what_is_quoted(tmp_path: Path, port: str) -> None:
    page = PAGE.read_text("utf-8").replace("8123", port)
    commands = re.findall(r"^\$ worldline (?!serve)(.*)\n((?:(?!\$ |```).*\n)*)", page, re.MULTILINE)
    assert [command.split()[0] for command, _ in commands] == ["bench", "report", "intervene", "bench", "compare"]
    for command, quoted in commands:
        done = subprocess.run(
            [*COMMAND, *shlex.split(command)],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert (done.returncode, done.stderr) == (0, "")
        printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in quoted.replace("...\n", "").splitlines():
            wanted = " ".join(line.split())
            assert any(text.startswith(wanted) for text in printed), f"{command}: no {wanted!r} in\n{done.stdout}"
