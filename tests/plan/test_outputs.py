"""Expected values: blanks are filled in by what a boxed run comes to, others are checked, and the rest is said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.outputs.check import check_outputs
from worldline.plan.outputs.expectation import find_expectations
from worldline.plan.outputs.filling import add_opinions, call_program, make_opinion
from worldline.plan.outputs.report import OutputsReport
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.calls import Caller, caller

TESTS = """\
import random
from lib import twice
def add(a, b):
    return a + b
def test_plain():
    assert twice(3) == ...
    assert twice(2) == [2, 3], "message"
    assert ... == twice("é"); assert add(1, 2) == 3
def test_odd():
    xs = [1]
    assert add(xs, [2]) == ...
    xs.append(9)
    for i in range(3):
        assert add(i, 1) == ...
    assert random.random() == ...
    assert test_plain == ...
    assert add({1}, 2) == 3
def test_fixture(nobody):
    assert add(1, 1) == ...
assert add(
    1, 1
) == ...
"""
LIB = "def twice(x):\n    return [x] * 2\n"
PROGRAM = Program(source=TESTS, name="test_lib.py", files=(("lib.py", LIB),))


@pytest.fixture(scope="module")
def calls() -> Iterator[Caller]:
    with caller() as made:
        yield made


@pytest.fixture(scope="module")
def report(calls: Caller) -> OutputsReport:
    return check_outputs(PROGRAM, calls.run)


def test_blanks_are_filled_in_and_all_else_stays(report: OutputsReport) -> None:
    changed = [line[1:].strip() for line in report.diff.splitlines() if line.startswith("+") and line[1] != "+"]
    assert changed == [
        "assert twice(3) == [3, 3]",
        "assert ['é', 'é'] == twice(\"é\"); assert add(1, 2) == 3",
        "assert add(xs, [2]) == [1, 2]",
        ") == 2",
    ]


def test_filled_in_values_hold(report: OutputsReport, calls: Caller) -> None:
    again = check_outputs(Program(source=report.filled, name="test_lib.py", files=PROGRAM.files), calls.run)
    filled = [each.expectation.line for each in report.values if each.expectation.blank and each.value]
    assert all(each.holds for each in again.values if each.expectation.line in filled and each.expectation.line != 8)
    assert again.filled == again.source


def test_other_assertions_have_reasons(report: OutputsReport) -> None:
    by_line = {each.expectation.line: each for each in report.values}
    assert (by_line[7].holds, by_line[7].value, by_line[7].is_wrong) == (False, "[2, 2]", True)
    assert "3 different values" in by_line[14].why
    assert "differs between two runs" in by_line[15].why
    assert "not a literal" in by_line[16].why
    assert "test_odd failed: TypeError" in by_line[17].why
    assert "test_fixture could not be set up: fixture 'nobody' not found" in by_line[19].why


def test_only_one_equality_is_an_expectation() -> None:
    source = "assert f(1)\nassert f(1) != 2\nassert 1 == f(1) == 1\nassert f(1) == 2\nassert ... == ...\n"
    assert [each.line for each in find_expectations(source)] == [4, 5]
    with pytest.raises(UsageError, match="cannot be parsed"):
        find_expectations("assert (\n")


def test_tests_that_cannot_be_executed_have_no_values_and_say_why(calls: Caller) -> None:
    report = check_outputs(Program(source="import nowhere\nassert nowhere.f() == ...\n", name="t.py"), calls.run)
    (value,) = report.values
    assert (value.value, value.is_unreached, report.diff) == (None, True, "")
    assert "cannot be executed: raised ModuleNotFoundError" in value.why
    assert "\n" not in value.why
    assert check_outputs(Program(source="x = 1\n", name="t.py"), calls.run).values == ()


def test_a_model_has_an_opinion_and_decides_nothing(report: OutputsReport) -> None:
    asked = [call_program(PROGRAM, each.expectation) for each in report.values]
    assert [program.call for program in asked if program is not None][:2] == ["twice(3)", "twice(2)"]
    assert asked[0] is not None
    assert (asked[0].name, asked[0].source) == ("lib.py", LIB)
    agreed = add_opinions(report, PROGRAM, make_opinion(Interpreter()))
    assert agreed.values[0].imagined == "[3, 3]"
    assert not any(each.disagrees(0.95) for each in agreed.values)

    class Mute(PlainPredictor):
        name = "mute"

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            return (Prediction(text=b"", status="empty") for _ in asks)

    silent = add_opinions(report, PROGRAM, make_opinion(Mute()))
    assert not any(each.disagrees(0.95) for each in silent.values)
    other = add_opinions(report, PROGRAM, lambda programs: [("[4]", 0.9)] * len(programs))
    assert other.filled == report.filled
    assert (other.values[0].disagrees(0.8), other.values[0].disagrees(0.95)) == (True, False)


def test_file_is_written_only_on_request(tmp_path: Path) -> None:
    tests = tmp_path / "test_lib.py"
    tests.write_text("from lib import twice\ndef test_a():\n    assert twice(3) == ...\n")
    (tmp_path / "lib.py").write_text(LIB)
    before = tests.read_text()
    runner = CliRunner()
    words = ["plan", "outputs", str(tests), "--wall", "60"]  # generous: the machine may be busy
    shown = runner.invoke(cli, words)
    assert (shown.exit_code, tests.read_text()) == (0, before)
    assert "+    assert twice(3) == [3, 3]" in shown.output
    checked = runner.invoke(cli, [*words, "--check", "--json"])
    assert (checked.exit_code, json.loads(checked.output)["diff"]) == (1, "")
    runner.invoke(cli, [*words, "-o", str(tmp_path / "new.py")])
    assert tests.read_text() == before
    assert runner.invoke(cli, [*words, "--write"]).exit_code == 0
    assert tests.read_text() == (tmp_path / "new.py").read_text() == before.replace("...", "[3, 3]")
    assert runner.invoke(cli, [*words, "--check"]).exit_code == 0
