"""`pytest --worldline DIR` in the user's own environment, and `worldline record --pytest` on the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli
from worldline.data.repository.dataset import read_calls, read_tests

PROJECT = Path(__file__).parent / "project"
FAILING = "tests/test_labels.py::test_words_are_counted_without_punctuation"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run_pytest(project: Path, *args: str) -> subprocess.CompletedProcess[str]:
    source = Path(__file__).parents[2] / "src"
    environment = {**os.environ, "PYTHONPATH": f"{project / 'src'}{os.pathsep}{source}"}
    # By its module name, so that the test also works where the package is not installed.
    command = [sys.executable, "-m", "pytest", "-p", "no:worldline", "-p", "worldline.pytest_plugin", *args]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_plugin_stores_the_calls_of_a_session(project: Path, tmp_path: Path, workers: tuple[str, ...]) -> None:
    out = tmp_path / "calls"
    done = run_pytest(project, "--worldline", str(out), *workers)
    assert done.returncode == 1, done.stdout + done.stderr  # one test fails, as it does without the plugin
    assert "worldline" in done.stdout
    outcomes = {row.test_id: row.outcome for row in read_tests(out)}
    assert outcomes[FAILING] == "failed"
    assert sum(outcome == "passed" for outcome in outcomes.values()) > 30
    functions = {call.function for call in read_calls(out)}
    assert "src/pantry/amounts.py:greatest_divisor" in functions
    assert not any(function.startswith("tests/") for function in functions)


def test_the_plugin_does_nothing_without_its_option(project: Path, tmp_path: Path) -> None:
    done = run_pytest(project, "tests/test_amounts.py")
    assert done.returncode == 0, done.stdout
    assert "worldline" not in done.stdout


@pytest.mark.usefixtures("sandbox")
def test_the_command_lists_the_tests(project: Path) -> None:
    words = ["record", "--pytest", str(project), "--venv", sys.prefix, "--no-check", "--", "tests/test_labels.py"]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    first = done.output.splitlines()[1].split()
    assert (first[0], first[-1]) == ("failed", FAILING)
    assert "1 failed" in done.output.splitlines()[-1]
    shown = CliRunner().invoke(cli, [*words[:6], "--json", *words[6:]], catch_exceptions=False)
    rows = json.loads(shown.output)["tests"]
    assert {row["id"] for row in rows} >= {FAILING}


@pytest.mark.usefixtures("sandbox")
def test_the_command_stores_a_list_of_repositories(project: Path, tmp_path: Path) -> None:
    (tmp_path / "repositories.txt").write_text("# two, one of which is gone\nproject\nmissing\n")
    out = tmp_path / "calls"
    words = [
        "record",
        "--pytest",
        f"@{tmp_path / 'repositories.txt'}",
        "--venv",
        sys.prefix,
        "--no-check",
        "-o",
        str(out),
    ]
    done = CliRunner().invoke(cli, [*words, "--format", "compact"], catch_exceptions=False)
    assert done.exit_code == 1  # the missing one
    assert "missing is not a folder" in done.output
    assert sum(1 for _ in read_calls(out)) > 20
    again = CliRunner().invoke(cli, [*words, "--format", "compact"], catch_exceptions=False)
    assert "38 tests" in again.output


def test_options_of_a_program_are_refused(project: Path) -> None:
    done = CliRunner().invoke(cli, ["record", "--pytest", str(project), "--call", "f()"])
    assert done.exit_code != 0
    assert "--call is for a program" in str(done.exception)


def test_a_file_or_a_repository_must_be_named() -> None:
    done = CliRunner().invoke(cli, ["record"])
    assert "--pytest REPO" in str(done.exception)


@pytest.mark.usefixtures("sandbox")
def test_a_test_file_that_is_missing_is_an_error(project: Path) -> None:
    words = ["record", "--pytest", str(project), "--venv", sys.prefix, "--no-check", "--", "tests/missing.py"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code != 0
    assert "file or directory not found: tests/missing.py" in str(done.exception)


@pytest.mark.usefixtures("sandbox")
def test_the_command_compares_with_a_revision(project: Path) -> None:
    git = ("git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run([*git, *words], check=True)
    source = project / "src" / "pantry" / "amounts.py"
    text = source.read_text()
    assert "a, b = b, a % b" in text
    source.write_text(text.replace("a, b = b, a % b", "a, b = b, a % b + 0 * a if a % b else 0"))
    same = ["record", "--pytest", str(project), "--venv", sys.prefix, "--since", "HEAD", "--", "tests/test_amounts.py"]
    assert CliRunner().invoke(cli, same, catch_exceptions=False).exit_code == 0
    source.write_text(text.replace("a, b = b, a % b", "a, b = b, 0"))
    broken = CliRunner().invoke(cli, same, catch_exceptions=False)
    assert broken.exit_code == 1  # a test passed before the change and fails after it
    assert "greatest_divisor" in broken.output
    shown = CliRunner().invoke(cli, [*same[:6], "HEAD", "--json", *same[7:]], catch_exceptions=False)
    assert json.loads(shown.output)


@pytest.mark.usefixtures("sandbox")
def test_a_changed_folder_is_recorded_again(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "calls"
    words = ["record", "--pytest", str(project), "--venv", sys.prefix, "--no-check", "-o", str(out), "--"]
    words.append("tests/test_amounts.py")
    first = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "1 of 1 repositories" in first.output
    source = project / "src" / "pantry" / "amounts.py"
    source.write_text(source.read_text().replace("a, b = b, a % b", "a, b = b, 0"))
    second = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "2 of 2 repositories" in second.output
    assert "failed" in second.output


def test_a_folder_of_something_else_is_refused_before_the_tests(project: Path) -> None:
    done = run_pytest(project, f"--worldline={project / 'src'}")
    assert done.returncode == 4
    assert "neither empty nor a dataset" in done.stderr
    assert "passed" not in done.stdout


@pytest.mark.usefixtures("sandbox")
def test_a_package_that_is_missing_is_a_usage_error(project: Path) -> None:
    words = ["record", "--pytest", str(project), "--venv", sys.prefix, "--no-check", "--include", "no_such_package"]
    done = CliRunner().invoke(cli, words)
    assert "there is no package 'no_such_package'" in str(done.exception)
    assert len(str(done.exception)) < 200
