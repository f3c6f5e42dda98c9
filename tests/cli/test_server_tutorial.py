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

META_SERVER = Path(__file__).parents[1] / "predict" / "meta_server.py"
HUMANEVAL = Path(
    os.environ.get("WORLDLINE_HUMANEVAL", Path(__file__).parents[3] / "shared" / "data" / "HumanEval.jsonl.gz")
)
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


@pytest.fixture
def meta_port() -> Iterator[str]:
    """The port of a server that speaks Meta's format."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    server = subprocess.Popen(
        [sys.executable, str(META_SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def parts() -> tuple[str, str]:
    """The page up to Meta's format, and that section."""
    first, _, second = PAGE.read_text("utf-8").partition("## 6. ")
    return first, second


def check(page: str, folder: Path, verbs: list[str]) -> None:
    """Runs the commands of a text in a folder."""
    commands = re.findall(r"^\$ worldline (?!serve)(.*)\n((?:(?!\$ |```).*\n)*)", page, re.MULTILINE)
    assert [command.split()[0] for command, _ in commands] == verbs
    for command, quoted in commands:
        done = subprocess.run(
            [*COMMAND, *shlex.split(command)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
        )
        assert (done.returncode, done.stderr) == (0, "")
        printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in quoted.replace("...\n", "").splitlines():
            wanted = " ".join(line.split())
            assert any(text.startswith(wanted) for text in printed), f"{command}: no {wanted!r} in\n{done.stdout}"


@pytest.mark.long(reason="runs the commands of docs/tutorials/evaluate-a-server.md")
@pytest.mark.usefixtures("sandbox")
def test_the_commands_print_what_is_quoted(tmp_path: Path, port: str) -> None:
    check(parts()[0].replace("8123", port), tmp_path, ["bench", "report", "intervene", "bench", "compare"])


@pytest.mark.long(reason="runs the commands of docs/tutorials/evaluate-a-server.md in Meta's format")
@pytest.mark.usefixtures("sandbox")
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="only CPython 3.11 traces like Meta")
@pytest.mark.skipif(not HUMANEVAL.exists(), reason="HumanEval is not here: set WORLDLINE_HUMANEVAL")
def test_the_commands_in_metas_format_print_what_is_quoted(tmp_path: Path, meta_port: str) -> None:
    pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")
    (tmp_path / "HumanEval.jsonl.gz").symlink_to(HUMANEVAL)
    check(parts()[1].replace("8124", meta_port), tmp_path, ["bench", "bench", "compare", "intervene"])
