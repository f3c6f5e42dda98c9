"""The scripts of `completion`, executed by the shells themselves."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from worldline.cli.shell.completion import SHELLS
from worldline.evaluation.suites import SUITES
from worldline.model import model_folder

# Calls the function that the script registers as bash does, with the words of a command line.
ASK_BASH = """
eval "$(worldline completion bash)"
COMP_WORDS=({words}); COMP_CWORD=$(({count} - 1)); COMPREPLY=()
compopt() {{ echo "compopt $1 $2"; }}
_worldline_completion worldline
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def bash_offers(folder: Path, *words: str) -> list[str]:
    """Return what bash offers for the last word, in a folder."""
    script = ASK_BASH.format(words=shlex.join(words), count=len(words))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], env={**os.environ, "PATH": path}, cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("re",), ["record", "rehearse", "report", "rewrite"]),
        (("plan", "re"), ["reach", "repair"]),
        (("record", "a.py", "--max-s"), ["--max-steps"]),
        (("encode", "a.py", "--format", ""), ["compact", "cwm"]),
        (("show", "t"), ["compopt -o default", ""]),
        (("bench", "generated", "--model", "in"), ["compopt -o dirnames", "interpreter"]),
        (("debug", "a.py", "--html", "x"), ["compopt -o default", ""]),
        (("leaderboard", "run", "-o", "x"), ["compopt -o dirnames", ""]),
        (("train", "shipp"), ["compopt -o default", "shipped"]),
    ],
)
def test_bash_completes(tmp_path: Path, words: tuple[str, ...], offered: list[str]) -> None:
    assert bash_offers(tmp_path, "worldline", *words) == offered


def test_bash_completes_suites_and_models(tmp_path: Path) -> None:
    assert bash_offers(tmp_path, "worldline", "bench", "")[1:] == list(SUITES)
    (tmp_path / "mine" / "step-00000001").mkdir(parents=True)
    (tmp_path / "mine" / "step-00000001" / model_folder.MANIFEST).write_text("{}")
    (tmp_path / "more").mkdir()
    assert bash_offers(tmp_path, "worldline", "serve", "m") == ["compopt -o dirnames", "mine"]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_parses_its_script(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = [sys.executable, "-m", "worldline", "completion", shell]
    script = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_WORLDLINE_COMPLETE" in script


@pytest.mark.parametrize(("shell", "index"), [("zsh", "1"), ("fish", "re")])
def test_the_summary_of_a_command_is_whole(shell: str, index: str) -> None:
    asked = {"_WORLDLINE_COMPLETE": f"{shell}_complete", "COMP_WORDS": "worldline re", "COMP_CWORD": index}
    command = [sys.executable, "-m", "worldline"]
    offered = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=True).stdout
    assert "Record every step of FILE, or of the tests of a repository." in offered
    assert "..." not in offered


def test_fish_keeps_commas_in_a_summary(tmp_path: Path) -> None:
    script = subprocess.run(
        [sys.executable, "-m", "worldline", "completion", "fish"], capture_output=True, text=True, check=True
    ).stdout
    assert 'string split --max 1 "," $completion' in script
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("fish is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    asked = f"{script}\ncomplete -C 'worldline re'"
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(
        [fish, "--no-config"], input=asked, env=environment, capture_output=True, text=True, check=True
    )
    assert "record\tRecord every step of FILE, or of the tests of a repository." in done.stdout.splitlines()
