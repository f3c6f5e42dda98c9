"""`worldline --help`: verbs by what one wants to do; and the exit codes that docs/reference/cli.md promises."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from heeding import heed_interrupts

from worldline.cli import GROUPS, cli, main
from worldline.recording.idle_sandboxes import close_idle_sandboxes

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text("utf-8")


def test_help_lists_commands_by_purpose() -> None:
    printed = CliRunner().invoke(cli, ["--help"]).output
    heads = re.findall(r"^(\w.*):$", printed, re.MULTILINE)
    assert heads == ["Options", *GROUPS]
    for heading, names in GROUPS.items():
        part = printed.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        assert re.findall(r"^  (\w+) ", part, re.MULTILINE) == list(names)


def test_every_command_has_a_group() -> None:
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(cli.commands)


def groups(command: click.Group, *names: str) -> Iterator[tuple[str, ...]]:
    """The words that name each group of commands."""
    yield names
    for name, part in command.commands.items():
        if isinstance(part, click.Group):
            yield from groups(part, *names, name)


@pytest.mark.parametrize("words", list(groups(cli)))
def test_no_summary_is_cut(words: tuple[str, ...]) -> None:
    """Each command has one line at 80 columns, which ends with its sentence."""
    printed = CliRunner().invoke(cli, [*words, "--help"], terminal_width=80).output
    summaries = re.findall(r"^  [\w-]+  +(\S.*)$", printed.partition("--help")[2], re.MULTILINE)
    command: click.Command = cli
    for word in words:
        assert isinstance(command, click.Group)
        command = command.commands[word]
    assert isinstance(command, click.Group)
    assert len(summaries) >= len(command.commands)
    assert all(line.endswith(".") and not line.endswith("...") for line in summaries), printed


# Commands that print neither progress nor hints: they serve, ask for keys, or are done at once.
WITHOUT_PROGRESS = {"show", "step", "dap", "serve", "train", "completion", "doctor"}


def test_every_command_with_progress_or_hints_can_be_quiet() -> None:
    for name, command in cli.commands.items():
        parts = command.commands.values() if isinstance(command, click.Group) else [command]
        for part in parts:
            has_option = any("--quiet" in parameter.opts for parameter in part.params)
            assert has_option == (name not in WITHOUT_PROGRESS), f"{name} {part.name}"


def codes() -> dict[int, str]:
    """The exit codes that the page promises."""
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", PAGE.partition("## record")[0], re.MULTILINE)
    return {int(number): text for number, text in rows}


def test_the_page_names_every_exit_code() -> None:
    assert sorted(codes()) == [0, 1, 2, 3, 4, 130]


@pytest.mark.usefixtures("sandbox")
def test_every_exit_code_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, model = tmp_path / "f.py", tmp_path / "m.py"
    file.write_text("def f(n):\n    return n\n")
    model.write_text("def wrong(prompt):\n    return '(1 n=7\\n'\n\ndef broken(prompt):\n    return None\n")
    debug = ["debug", str(file), "--call", "f(1)", "--no-interventions", "--model"]
    assert main([*debug, "interpreter"]) == 0
    assert main(["record", str(file), "--call", "f()"]) == 0, "what a program does is not the tool's exit code"
    assert main([*debug, f"python:{model}:wrong"]) == 1
    assert main([*debug, "nonsense"]) == 2
    assert main([*debug, f"python:{model}:broken"]) == 3
    unfinished = tmp_path / "unfinished.py"
    unfinished.write_text("def f(:\n")
    assert main(["record", str(unfinished)]) == 4
    close_idle_sandboxes()
    monkeypatch.setenv("PATH", "")
    assert main([*debug, "interpreter"]) == 3


@pytest.mark.long(reason="test_an_interrupt_ends_it_with_one_line holds it for `show`")
@pytest.mark.usefixtures("sandbox")
def test_an_interruption_is_130(tmp_path: Path) -> None:
    file, ready = tmp_path / "f.py", tmp_path / "m.py"
    file.write_text("x = 1\n")
    ready.write_text("import sys, time\ndef model(prompt):\n    print('asked', flush=True)\n    time.sleep(600)\n")
    command = [sys.executable, "-m", "worldline", "imagine", str(file), "--model", f"python:{ready}:model"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        assert "error[interrupted]" in process.stderr.read()
    assert process.returncode == 130
