"""CRUXEval's inputs: asked in text, answered in literals, run in the box, compared; who cannot answer is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.suites import crux_input
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities

ROWS = [
    {"code": "def f(s):\n    return s[::-1]", "input": "'abc'", "output": "'cba'", "id": "a"},
    {"code": "def f(a, b=2):\n    return a + b\n", "input": "1", "output": "3", "id": "b"},
    {"code": "def f(x):\n    return x", "input": "0", "output": "len('')", "id": "no literal"},
]


class Says(PlainPredictor):
    """Answers as a test wants it to."""

    name = "says"

    def __init__(self, *texts: str, status: str = "ended") -> None:
        self.texts, self.status = texts, status
        self.questions: list[str] = []

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(answers_questions=self)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        raise AssertionError("no trace is asked for")

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        self.questions += questions
        for _, text in zip(questions, self.texts, strict=True):
            yield Prediction(text=text.encode()[:limit], status=self.status, seconds=0.5)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "crux.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def one(tmp_path: Path, text: str, *, row: int = 0, status: str = "ended") -> dict[str, int]:
    """The outcome of one answer to one row, and faults."""
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(ROWS[row]) + "\n")
    found = measured("crux-input", suites.load("crux-input", data=path), Says(text, status=status))
    (shares,) = found.tables[0].rows
    counts = {
        head: cell.some for head, cell in zip(found.tables[0].heads, shares, strict=True) if isinstance(cell, Share)
    }
    return {name: count for name, count in {**counts, "faults": found.faults}.items() if count}


def test_the_benchmark_s_own_inputs_are_all_right(data: Path) -> None:
    suite = suites.load("crux-input", data=data)
    tasks = list(suite.tasks)
    assert sorted(task.name for task in tasks) == ["a", "b"]
    says = Says(*(f"[ANSWER]\nassert {task.program.call} == {task.answer}\n[/ANSWER]" for task in tasks))
    found = measured("crux-input", suites.load("crux-input", data=data), says)
    assert (found.n, found.faults, found.seconds) == (2, 0, 1.0)
    assert found.tables[0].rows[0][0] == Share(2, 2)
    for question, task in zip(says.questions, tasks, strict=True):
        asked = question.rpartition("[PYTHON]")[2]
        assert f"assert f(??) == {task.answer}" in asked
        assert str(task.program.call) not in asked
    assert json.loads(json.dumps(found.as_json()))["tables"][0]["rows"][0]["right"]["n"] == 2


@pytest.mark.parametrize(
    ("text", "row", "outcome"),
    [
        ("assert f('abc') == 'cba'", 0, "right"),
        ("I think: [ANSWER] f('abc') [/ANSWER] or so", 0, "right"),
        ("'abc'", 0, "right"),
        ("[ANSWER]f('xyz')[/ANSWER] no: [ANSWER]f('abc')[/ANSWER]", 0, "right"),
        ("f(1, b=2)", 1, "right"),
        ("f(5, -2)", 1, "right"),
        ("f(1)", 1, "right"),
        ("f(2.0, 1)", 1, "wrong"),
        ("f('abd')", 0, "wrong"),
        ("f(3)", 0, "wrong"),
        ("f()", 0, "wrong"),
        ("f(1 + 0)", 1, "malformed"),
        ("f('abc' or exit())", 0, "malformed"),
        ("f(__import__('os').getpid())", 1, "malformed"),
        ("f(*[1])", 1, "malformed"),
        ("f(**{'a': 1})", 1, "malformed"),
        ("g('abc')", 0, "malformed"),
        ("f('abc'", 0, "malformed"),
        ("", 0, "malformed"),
        ("[" * 4000, 0, "malformed"),
    ],
)
def test_an_answer_is_literals_that_are_run(tmp_path: Path, text: str, row: int, outcome: str) -> None:
    assert one(tmp_path, text, row=row) == {outcome: 1}


def test_cut_answers_and_faults_have_their_own_columns(tmp_path: Path) -> None:
    assert one(tmp_path, "Let me think about", status="budget") == {"truncated": 1}
    assert one(tmp_path, "", status="fault") == {"faults": 1}


@pytest.mark.parametrize("predictor", [Interpreter()])
def test_a_model_that_only_writes_traces_is_refused(data: Path, predictor: Any) -> None:
    with pytest.raises(UsageError, match="answers no questions"):
        measured("crux-input", suites.load("crux-input", data=data), predictor)


def test_the_search_knows_no_more_than_a_model_and_executes_its_answers(data: Path) -> None:
    from worldline.plan.inputs.answerer import load_search

    found = measured("crux-input", suites.load("crux-input", data=data), load_search({"executions": "200"}))
    assert (found.n, found.faults) == (2, 0)
    assert found.tables[0].rows[0][0] == Share(2, 2)
    (task, _) = suites.load("crux-input", data=data).tasks
    (said,) = load_search({}).answer([crux_input.question(task)], limit=4_096)
    assert said.status == "ended"
    assert "executions" in said.note
    with pytest.raises(UsageError, match="finds inputs, and predicts no trace"):
        load_search({}).predict([])
    for wrong in ({"temperature": "1"}, {"executions": "many"}, {"way": "magic"}, {"executions": "0"}):
        with pytest.raises(UsageError):
            load_search(wrong)


def test_the_command_takes_the_search(data: Path) -> None:
    from click.testing import CliRunner

    from worldline.cli import cli

    options = ["--data", str(data), "--model", "search", "-M", "executions=100", "--json"]
    found = CliRunner().invoke(cli, ["bench", "crux-input", *options])
    assert found.exit_code == 0, found.output
    assert json.loads(found.output)["n"] == 2
