"""A run that read nothing or was stopped by a limit is followed by the option that would have helped."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from worldline.cli import main

pytestmark = pytest.mark.usefixtures("sandbox")

ROOT = Path(__file__).parents[2]
STDIN = "hint: the program read its stdin, which is empty: `--stdin TEXT`"
READERS = {
    "ask.py": "n = int(input('n? '))\n",
    "ask.js": "const text = require('fs').readFileSync(0, 'utf8');\nconsole.log(text.length);\n",
    "ask.c": '#include <stdio.h>\nint main(void) {\n  int n = 0;\n  scanf("%d", &n);\n  return n;\n}\n',
}
Capture = pytest.CaptureFixture[str]


def printed_errors(capsys: Capture, *words: str) -> str:
    main(list(words))
    return capsys.readouterr().err


@pytest.mark.parametrize("name", READERS)
def test_a_program_without_input_is_told_of_the_option(name: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / name
    file.write_text(READERS[name])
    assert printed_errors(capsys, "record", str(file)).startswith(STDIN)
    assert printed_errors(capsys, "record", str(file), "--stdin", "1\n") == ""
    assert printed_errors(capsys, "record", str(file), "--quiet") == ""


@pytest.mark.parametrize("verb", ["debug", "encode", "cost"])
def test_other_commands_say_it_too(verb: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "ask.py"
    file.write_text(READERS["ask.py"])
    model = ["--model", "interpreter"] if verb == "debug" else []
    assert printed_errors(capsys, verb, str(file), *model).startswith(STDIN)


def test_input_that_ends_too_early_is_named(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "two.py"
    file.write_text("input()\ninput()\n")
    printed = printed_errors(capsys, "record", str(file), "--stdin", "a\n")
    assert printed == "hint: the program read more than the 1 line of its stdin: pass a longer `--stdin`\n"


def test_a_run_that_was_stopped_is_told_of_the_wall(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "sleep.py"
    file.write_text("import time\ntime.sleep(60)\n")
    printed = printed_errors(capsys, "record", str(file), "--wall", "0.3")
    assert printed == "hint: the program was stopped after 0.3 s: `--wall SECONDS` gives it more time\n"


def test_an_option_that_is_missing_is_explained(tmp_path: Path, capsys: Capture) -> None:
    assert main(["plan", "repair", str(tmp_path / "f.py")]) == 2
    error = capsys.readouterr().err
    assert error == "error[usage]: Missing option '--tests': JSON rows of [input, output], or a Python test file.\n"


@pytest.mark.parametrize("options", [[], ["--show"]])
def test_the_demo_in_a_log_has_no_dots(options: list[str]) -> None:
    command = [str(ROOT / ".ci" / "progress"), *options, "working", "bash", "-c", "sleep 2.2; echo result"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "TERM": "xterm"})
    assert done.stdout == ("result\n" if options else "working .\n")
