"""`--trust` wherever a program is run, with one warning; and what is said where no box can be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from worldline.cli import cli, main
from worldline.core.program import Program
from worldline.recording import sandbox as sandbox_module
from worldline.recording.idle_sandboxes import close_idle_sandboxes
from worldline.recording.recorder import record, without_sandbox

RUNS = {
    "record", "cost", "encode", "rewrite", "debug", "imagine", "step", "view", "dap", "bench", "score", "intervene",
    "learn", "export", "data build", "data mine",
}  # fmt: skip
WARNING = "note[trusted]: programs run as your user, without a sandbox\n"
Capture = pytest.CaptureFixture[str]


def verbs() -> dict[str, click.Command]:
    """Every verb by its words."""
    return {
        f"{name} {inner}".strip(): command
        for name, verb in cli.commands.items()
        for inner, command in (verb.commands if isinstance(verb, click.Group) else {"": verb}).items()
    }


@pytest.mark.parametrize("verb", sorted(RUNS))
def test_every_command_that_executes_programs_takes_trust(verb: str) -> None:
    assert any("--trust" in option.opts for option in verbs()[verb].params)


@pytest.fixture
def boxless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without bubblewrap."""
    close_idle_sandboxes()
    monkeypatch.setenv("PATH", "")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A small program."""
    path = tmp_path / "f.py"
    path.write_text("def f(n):\n    return n + 1\n")
    return str(path)


@pytest.mark.usefixtures("boxless")
@pytest.mark.parametrize(
    "words",
    [
        "record FILE --call f(1)",
        "cost FILE --call f(1)",
        "encode FILE --call f(1)",
        "debug FILE --call f(1) --model interpreter",
        "imagine FILE --call f(1) --model interpreter",
        "rewrite FILE --flatten --call f(1)",
        "bench permutation --max-programs 1 --model interpreter",
    ],
)
def test_trust_warns_once_and_runs_without_a_sandbox(words: str, file: str, capsys: Capture) -> None:
    given = words.replace("FILE", file).split()
    assert main(given) == 3
    said = capsys.readouterr().err
    assert "error[no-sandbox]: the command bwrap is missing: install the package bubblewrap" in said
    assert "--trust" in said
    assert main([*given, "--trust"]) == 0
    assert capsys.readouterr().err.count(WARNING) == 1
    assert main(given) == 3, "the next command is not trusted"


@pytest.mark.usefixtures("sandbox")
def test_only_what_is_recorded_meanwhile_is_trusted() -> None:
    program = Program(source="x = 1\n")
    with without_sandbox(), without_sandbox():
        assert "trusted" in record(program).notes
    assert "trusted" not in record(program).notes


ELSEWHERE = """
import fcntl, os, sys
for name in [name for name in dir(fcntl) if name.startswith("F_SEAL")]:
    delattr(fcntl, name)
del os.memfd_create
from worldline.cli import main
sys.platform = "darwin"
sys.exit(main(sys.argv[1:]))
"""


def elsewhere(*words: str) -> subprocess.CompletedProcess[str]:
    """The command on a system that is not Linux, as far as that can be played here."""
    return subprocess.run([sys.executable, "-c", ELSEWHERE, *words], capture_output=True, text=True, check=False)


def test_another_system_is_told_what_works_there(file: str) -> None:
    for trust in ([], ["--trust"]):
        done = elsewhere("record", file, "--call", "f(1)", *trust)
        assert done.returncode == 3
        for word in ("error[no-sandbox]", "on Linux only", "imagine", "show", "report", "container"):
            assert word in done.stderr
    assert elsewhere("imagine", file, "--call", "f(1)").returncode == 0


def test_a_container_without_namespaces_is_told_what_to_do() -> None:
    said = sandbox_module.explain("bwrap: No permissions to create new namespace")
    assert "user namespaces" in said
    assert "--trust" in said
