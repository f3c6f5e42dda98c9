"""`--samples` and `--voter` of the commands: what they store and report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import worldline
from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.evaluation.summary import Report
from worldline.plan.journal import read_journal

pytestmark = pytest.mark.usefixtures("sandbox")

SOURCE = "def f(n):\n    m = n + 1\n    return m\n"
WRONG, RIGHT = b"(1 n=1\n2 m=5\n3\n)5\n.\n", b"(1 n=1\n2 m=2\n3\n)2\n.\n"
# The first text is wrong. Two later ones are right, and together more probable.
MODEL = f"""
from worldline.predict.prediction import Prediction

TEXTS = [({WRONG!r}, -0.9), ({RIGHT!r}, -1.2), ({RIGHT.replace(b"m=2", b"m=3")!r}, -1.3)]


class Drawing:
    name = "drawing"

    def __init__(self):
        self.count = 0

    def predict(self, asks):
        for ask in asks:
            text, logprob = TEXTS[self.count % len(TEXTS)]
            self.count += 1
            yield Prediction(text=text, status="ended", logprob=logprob, seconds=0.5)
"""


@pytest.fixture
def drawing(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return f"python:{path}:Drawing"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"id": "a", "source": SOURCE, "call": "f(1)"}) + "\n")
    return str(path)


def invoke(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_a_run_stores_and_reports_the_bytes_of_all_samples(drawing: str, suite: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["bench", suite, "--model", drawing, "--samples", "3", "-o", str(out)]
    plain = invoke("bench", suite, "--model", drawing)
    assert (plain["answer"]["right"], plain["bytes"]) == (0, len(WRONG))
    voted = invoke(*words)
    assert (voted["answer"]["right"], voted["trace"]["right"]) == (1, 1)
    assert voted["bytes"] == 3 * len(RIGHT)
    assert voted["seconds"] == 1.5
    config = json.loads((out / "config.json").read_text())
    assert (config["samples"], config["voters"], config["model"]) == (3, [], "drawing, vote of 3")
    record = json.loads((out / "records.jsonl").read_text())
    assert (record["text"].encode(), record["discarded"]) == (RIGHT, 2 * len(RIGHT))
    assert record["note"] == "vote: 2 of 3 texts, 59 % of the weight"
    assert invoke(*words) == voted, "a stored run is not predicted again"
    with pytest.raises(UsageError, match="made by a vote"):
        worldline.intervene(out)


def test_another_model_votes(drawing: str, suite: str, tmp_path: Path) -> None:
    report = worldline.bench(suite, drawing, voters=["interpreter"], out=tmp_path / "run")
    assert isinstance(report, Report)
    assert report.model == "drawing + interpreter, vote of 2"
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert [voter["scheme"] for voter in config["voters"]] == ["interpreter"]
    # The interpreter is certain of its text.
    assert report.all.answer.right == 1
    assert report.bytes == len(WRONG) + len(RIGHT)


@pytest.mark.parametrize("command", ["imagine", "debug"])
def test_one_program_is_voted_on(command: str, drawing: str, program: str) -> None:
    words = [command, program, "--call", "f(1)", "--model", drawing]
    assert _answer(invoke(*words)) == ["return", "5"]
    voted = invoke(*words, "--samples", "3")
    assert _answer(voted) == ["return", "2"]
    assert voted["model"] == "drawing, vote of 3"


def _answer(printed: dict[str, Any]) -> Any:
    answer = printed["answer"]
    return answer["found"] if isinstance(answer, dict) else answer


def test_a_prediction_alone_shows_what_the_vote_cost(drawing: str, program: str) -> None:
    done = CliRunner().invoke(cli, ["imagine", program, "--call", "f(1)", "--model", drawing, "--samples", "3"])
    assert "vote: 2 of 3 texts, 59 % of the weight; 60 bytes were written" in " ".join(done.stdout.split())


def test_a_question_is_answered_by_a_vote(drawing: str, program: str, tmp_path: Path) -> None:
    words = ["ask", program, "--call", "f(1)", "--model", drawing, "--journal"]
    # One journal each: what a journal knows is not asked again.
    invoke(*words, str(tmp_path / "greedy"))
    invoke(*words, str(tmp_path / "voted"), "--samples", "3")
    (first,), (second,) = read_journal(tmp_path / "greedy"), read_journal(tmp_path / "voted")
    assert (first.imagined, second.imagined) == ("5", "2")
    assert first.model != second.model, "a vote is calibrated on its own"
