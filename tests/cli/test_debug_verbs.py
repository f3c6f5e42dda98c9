"""`debug` and `imagine` as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

from worldline.cli.debug import debug, imagine
from worldline.core.errors import UsageError, WorldlineError
from worldline.diagnose.debug import DEFAULT_STEPS
from worldline.predict.prediction import Prediction, PredictionRequest

SOURCE = "def f(n):\n    a = n + 1\n    b = a * 2\n    return b\n"
pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A small program."""
    path = tmp_path / "f.py"
    path.write_text(SOURCE)
    return str(path)


class Says(PlainPredictor):
    """Whatever it is asked, it says one text."""

    name = "says"

    def __init__(self, text: bytes, status: str = "ended") -> None:
        self.text, self.status = text, status

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            text = max(self.text, ask.given, key=len)[: ask.limit]
            yield Prediction(text=text, status=self.status, note="it was cut off")


def says(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> None:
    """Every model is one that says this."""
    for where in ("worldline.predict.models", "worldline.diagnose.imagine"):
        monkeypatch.setattr(f"{where}.load_model", lambda scheme, extras: Says(*arguments))


def test_a_right_trace_exits_0(file: str) -> None:
    done = CliRunner().invoke(debug, [file, "--call", "f(3)", "--model", "interpreter"])
    assert done.exit_code == 0, done.output
    assert "the whole trace, 5 steps" in done.output


def test_a_divergence_exits_1_and_is_written_as_asked(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, b"(1 n=3\n2 a=5\n3 b=10\n4\n)10\n.\n")
    html = tmp_path / "page.html"
    done = CliRunner().invoke(debug, [file, "--call", "f(3)", "--json", "--html", str(html), "--seconds", "0"])
    assert done.exit_code == 1, done.output
    told = json.loads(done.output)
    assert told["cause"]["name"] == "wrong value"
    assert told["divergences"][0]["name"] == "a"
    assert {one["intervention"] for one in told["interventions"]} >= {"repair", "flatten"}
    assert "<td" in html.read_text()
    plain = CliRunner().invoke(debug, [file, "--call", "f(3)", "--no-interventions"])
    assert plain.exit_code == 1
    assert "a is 4, predicted 5" in plain.output
    assert "interventions" not in plain.output


def test_a_limit_cuts(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, b"(1 n=3\n2 a=4\n", "budget")
    done = CliRunner().invoke(debug, [file, "--call", "f(3)", "--max-bytes", "13", "--no-interventions"])
    assert done.exit_code == 1
    assert "right up to the cut" in done.output


def test_the_tool_s_own_fault_is_neither_right_nor_wrong(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, b"", "fault")
    for verb in (debug, imagine):
        done = CliRunner().invoke(verb, [file, "--call", "f(3)"])
        assert isinstance(done.exception, WorldlineError)
        assert done.exception.exit_code == 3
        assert "it was cut off" in str(done.exception)


@pytest.mark.parametrize(
    "arguments",
    [["--call", "f("], ["--call", "f(1)", "--stdin", "@/nowhere/at/all"], ["--call", "f(1)", "--model", "nobody"]],
)
def test_usage_errors(file: str, arguments: list[str]) -> None:
    for verb in (debug, imagine):
        done = CliRunner().invoke(verb, [file, *arguments])
        assert isinstance(done.exception, UsageError)
        assert done.exception.exit_code == 2


@pytest.mark.parametrize(
    ("source", "call", "why"),
    [
        ("def f(:\n", "f(1)", "f.py is not Python: invalid syntax, line 1"),
        (SOURCE, "g(1)", "f.py defines no g (NameError), but f(n); say --call"),
    ],
)
def test_a_program_that_takes_no_step_is_not_the_tool_s_fault(tmp_path: Path, source: str, call: str, why: str) -> None:
    path = tmp_path / "f.py"
    path.write_text(source)
    for verb in (debug, imagine):
        done = CliRunner().invoke(verb, [str(path), "--call", call, "--model", "interpreter"])
        assert isinstance(done.exception, UsageError)
        assert why in str(done.exception)


def test_a_file_of_rows_is_for_bench(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"source": "print(1)"}\n')
    done = CliRunner().invoke(debug, [str(path)])
    assert isinstance(done.exception, UsageError)
    assert f"worldline bench {path}" in str(done.exception)


def test_a_run_without_end_is_debugged_as_far_as_it_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.py"
    path.write_text("def f(n):\n    while True:\n        n += 1\n")
    says(monkeypatch, b"(1 n=1\n2\n3 n=2\n2\n3 n=4\n2\n", "budget")
    done = CliRunner().invoke(debug, [str(path), "--call", "f(1)", "--json", "--seconds", "0"])
    told = json.loads(done.output)
    assert told["cause"]["under"] == "wrong value"
    assert told["answer"]["truth"] is None
    assert told["truth"]["text"].count("\n") == DEFAULT_STEPS


def test_imagining_shows_the_prediction_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark, path = tmp_path / "mark", tmp_path / "g.py"
    path.write_text(f"open({str(mark)!r}, 'w')\ndef f(n):\n    return n\n")
    says(monkeypatch, b"(2 n=1\n3\n)1\n.\n")
    monkeypatch.setattr("worldline.recording.recorder.record_many", None)
    done = CliRunner().invoke(imagine, [str(path), "--call", "f(1)"])
    assert done.exit_code == 0, done.output
    assert "return 1" in done.output
    told = json.loads(CliRunner().invoke(imagine, [str(path), "--call", "f(1)", "--json"]).output)
    assert told["answer"] == ["return", "1"]
    assert [step["event"] for step in told["steps"]] == ["call", "line", "return"]
    assert not mark.exists()


def test_the_shipped_model_in_a_process_of_its_own(file: str) -> None:
    """The whole way, options and exit code with it: the steps of a small program are right or the cause is named."""
    arguments = ["debug", file, "--call", "f(3)", "-M", "threads=1", "--bare", "--json", "--no-interventions"]
    done = subprocess.run([sys.executable, "-m", "worldline", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)
    assert told["diverges"] == bool(done.returncode)
    assert told["model"] == "default, scratchpad auto"
    assert told["answer"]["truth"] == ["return", "8"]
    assert len(told["sure"]) >= 5
    wrong = subprocess.run(
        [sys.executable, "-m", "worldline", "debug", file, "--max-bytes", "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error[usage]")


def test_a_model_goes_on_from_an_edited_state(file: str) -> None:
    given = ["--call", "f(3)", "--model", "interpreter", "--edit"]
    same = CliRunner().invoke(imagine, [file, *given, "1:a=4", "--json"])
    assert same.exit_code == 0, same.output
    assert json.loads(same.output)["text"] == "(1 n=3\n2 a=4\n3 b=8\n4\n)8\n.\n"
    # What did not happen the interpreter cannot tell.
    other = CliRunner().invoke(imagine, [file, *given, "1:a=5"])
    assert isinstance(other.exception, WorldlineError)
    for wrong in ("a=5", "1:a", "x:a=5", "1:a=("):
        assert isinstance(CliRunner().invoke(imagine, [file, *given, wrong]).exception, UsageError), wrong
