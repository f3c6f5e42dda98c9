"""`--model python:FILE.py:NAME` in the verbs that ask a model, with the real interpreter as the model's head."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli, main
from worldline.core.errors import UsageError
from worldline.diagnose.debug import debug
from worldline.predict.models import load_model

pytestmark = pytest.mark.usefixtures("sandbox")

# It knows the truth, and gets every 4 wrong.
MODEL = """
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest

def model(prompt, ask):
    free = PredictionRequest(program=ask.program, options=ask.options)
    (true,) = Interpreter(codec=CODEC).predict([free])
    return true.text[len(ask.given):].replace(b"4", b"5")

def broken(prompt):
    return prompt.weights

CODEC = codec = "compact"
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model of the user's own."""
    path = tmp_path / "mine.py"
    path.write_text(MODEL)
    return f"python:{path}:model"


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A small program."""
    path = tmp_path / "f.py"
    path.write_text("def f(n):\n    a = n + 1\n    return a\n")
    return str(path)


def test_it_is_debugged(file: str, model: str) -> None:
    done = CliRunner().invoke(cli, ["debug", file, "--call", "f(1)", "--model", model])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli, ["debug", file, "--call", "f(3)", "--model", model, "--json", "--no-interventions"])
    assert done.exit_code == 1, done.output
    assert json.loads(done.stdout)["cause"]["name"] == "wrong value"


def test_it_imagines(file: str, model: str) -> None:
    done = CliRunner().invoke(cli, ["imagine", file, "--call", "f(3)", "--model", model, "--json"])
    assert json.loads(done.stdout)["answer"][1] == "5"


def test_it_is_benched_forced_and_intervened_with(model: str, tmp_path: Path) -> None:
    bench = ["bench", "permutation", "--length", "8", "--max-programs", "6", "--model", model, "--json"]
    done = CliRunner().invoke(cli, [*bench, "-o", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["n"], report["answer"]["right"] < 6) == (6, True)
    assert CliRunner().invoke(cli, [*bench, "--force", "actions"]).exit_code == 0
    done = CliRunner().invoke(cli, ["intervene", str(tmp_path / "run"), "--interventions", "actions", "--json"])
    assert done.exit_code == 0, done.output


def test_a_broken_one_is_named_and_not_traced_back(file: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    broken = model.replace(":model", ":broken")
    said = "python:mine.py:broken raised AttributeError at mine.py:11: 'str' object has no attribute 'weights'"
    assert main(["debug", file, "--call", "f(1)", "--model", broken]) == 3
    assert capsys.readouterr().err == f"error[fault]: {said}\n"
    assert main(["bench", "permutation", "--max-programs", "2", "--model", broken]) == 3
    assert capsys.readouterr().err.endswith(f"; the first, permutation/0: {said}\n")
    assert main(["debug", file, "--call", "f(1)", "--model", model + "s"]) == 2
    assert "has no 'models'; it defines model, broken" in capsys.readouterr().err


def test_a_model_says_what_it_is_and_what_it_takes(model: str) -> None:
    assert repr(load_model(model)) == "<python:mine.py:model, compact>"
    assert repr(load_model("python:json:dumps")) == "<python:json:dumps, compact>"
    with pytest.raises(UsageError, match="takes no option 'foo'; it takes none"):
        load_model(model, {"foo": "1"})
    with pytest.raises(UsageError, match="debug takes a Program, not str"):
        debug("print(1)", model)  # type: ignore[arg-type]


def test_rows_of_a_permutation_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "permutation", "--max-programs", "2", "--model", "interpreter"]) == 0
    printed = capsys.readouterr().out
    assert "\nlines " in printed
    assert "\nsteps " not in printed
