"""`debug --pytest`: the explanation printed, as JSON and as a page; exit codes and refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import main
from worldline.cli.debug import debug, step

FOLDER = Path(__file__).parents[1] / "repository" / "failing"
TESTS = f"{FOLDER}::tests/test_till.py"


@pytest.mark.usefixtures("sandbox")
def test_a_failing_test_exits_1_and_is_written_as_asked(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    arguments = ["--pytest", f"{TESTS}::test_gross", "--venv", sys.prefix, "--html", str(page), "--json"]
    done = CliRunner().invoke(debug, arguments)
    assert done.exit_code == 1, done.output
    explanation = json.loads(done.stdout)
    assert (explanation["test_id"], explanation["outcome"]) == ("tests/test_till.py::test_gross", "failed")
    assert explanation["writer"]["place"]["file"] == "src/till/prices.py"
    assert "total = net + tax + 1" in page.read_text("utf-8").replace('<span class="token-number">1</span>', "1")


@pytest.mark.usefixtures("sandbox")
def test_a_test_that_passes_exits_0() -> None:
    done = CliRunner().invoke(debug, ["--pytest", f"{TESTS}::test_passes", "--venv", sys.prefix, "--rows", "3"])
    assert done.exit_code == 0, done.output
    assert "The test passed: there is no failure to explain." in done.output
    assert "... 5 earlier steps not shown" in done.output


@pytest.mark.parametrize("command", [debug, step])
def test_a_file_and_a_test_are_not_given_together(command: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.ui.terminal.step.start.is_terminal", lambda: True)
    done = CliRunner().invoke(command, ["x.py", "--pytest", f"{TESTS}::test_gross"])  # type: ignore[arg-type]
    assert done.exit_code == 2
    assert "--pytest takes no FILE" in done.output


@pytest.mark.parametrize("option", [["--model", "small"], ["--seed", "3"], ["--samples", "2"]])
def test_an_option_of_a_prediction_is_refused(option: list[str]) -> None:
    done = CliRunner().invoke(debug, ["--pytest", f"{TESTS}::test_gross", *option])
    assert done.exit_code == 2
    assert f"{option[0]} is for a prediction" in done.output


@pytest.mark.usefixtures("sandbox")
def test_an_included_package_is_stepped_into() -> None:
    arguments = ["--pytest", f"{TESTS}::test_receipt", "--venv", sys.prefix, "--include", "json"]
    done = CliRunner().invoke(debug, arguments)
    assert done.exit_code == 1, done.output
    assert "json/decoder.py" in done.output
    assert 'raise JSONDecodeError("Extra data", s, end)' in done.output


def test_a_file_or_a_test_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["debug"]) == 2
    assert "Missing argument 'FILE', or --pytest REPO::TEST." in capsys.readouterr().err


def test_a_target_without_a_test_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["debug", "--pytest", str(FOLDER)]) == 2
    assert "pass REPO::TEST" in capsys.readouterr().err
