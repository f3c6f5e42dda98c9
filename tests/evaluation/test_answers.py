"""Answers are compared as values in every suite: a model, a file and a benchmark need not spell what is shared."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.codec.cwm import writer as cwm
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedCall, RecordedTest
from worldline.data.repository.dataset import CallWriter
from worldline.evaluation import suites
from worldline.evaluation.external.scored import score
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.run.samples import tables
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Between
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.languages import toolchain
from worldline.recording.recorder import record

pytestmark = pytest.mark.usefixtures("sandbox")

TWICE = "def f(x):\n    return [x, x]\n"
CRUX_ROW = {"code": TWICE, "input": "[1]", "output": "[[1], [1]]", "id": "twice"}


class WithoutSharing(PlainPredictor):
    """Predicts the truth, but returns two lists where one is returned twice."""

    name = "without sharing"

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for true in Interpreter().predict(list(requests)):
            yield replace(true, text=re.sub(rb"\[#1(\[[^\]]*\]), #1\]", rb"[\1, \1]", true.text))


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.n, report.all.answer.right, report.all.trace.right, report.disagrees


def asked(suite: str, **options: Any) -> None:
    """The recording agrees with the benchmark; the answer is right, and the trace is not."""
    assert counts(run(suites.load(suite, **options), Interpreter())) == (1, 1, 1, 0)
    assert counts(run(suites.load(suite, **options), WithoutSharing())) == (1, 1, 0, 0)


def test_crux(tmp_path: Path) -> None:
    asked("crux", data=written(tmp_path / "crux.jsonl", CRUX_ROW))


def test_livecodebench(tmp_path: Path) -> None:
    asked("livecodebench", data=written(tmp_path / "live.jsonl", {**CRUX_ROW, "input": "f(x = [1])"}))


def test_own(tmp_path: Path) -> None:
    row = {"source": TWICE, "call": "f([1])", "answer": [[1], [1]]}
    asked(str(written(tmp_path / "own.jsonl", row)))


def test_humaneval(tmp_path: Path) -> None:
    row = {
        "task_id": "Own/0", "prompt": "def f(x):\n", "canonical_solution": "    return [x, x]\n", "entry_point": "f",
        "test": "def check(candidate):\n    assert candidate([1]) == [[1], [1]]\n",
    }  # fmt: skip
    path = tmp_path / "own.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    asked("humaneval", data=path)


def recorded_call(folder: Path, source: str, name: str, call: str) -> Path:
    """A dataset with one call of a project's test."""
    instance = Instance(name="own", revision="0123456789abcdef", licence="MIT")
    trace = record(Program(source=source, name="own.py", call=call))
    assert trace.outcome.detail == "[#1[1], #1]"
    with CallWriter(folder, fingerprint={"by": "a test"}) as writer:
        test_id = "tests/test_own.py::test"
        writer.add(
            RecordedCall(instance_id=instance.id, test_id=test_id, function=f"src/own/own.py:{name}", trace=trace)
        )
        writer.add_test(RecordedTest(instance=instance, id=test_id, outcome="passed", trace=trace))
    return folder


def test_repository(tmp_path: Path) -> None:
    asked("repository", data=recorded_call(tmp_path / "calls", TWICE, "f", "f([1])"), split="all")


def test_a_test_that_passed_one_list_twice(tmp_path: Path) -> None:
    source = "def pair(x, y):\n    return [x, y]\n"
    data = recorded_call(tmp_path / "calls", source, "pair", "pair(*[[1]] * 2)")
    suite = suites.load("repository", data=data, split="all")
    assert [task.program.call for task in suite.tasks] == ["pair([1], [1])"]
    assert counts(run(suite, Interpreter())) == (1, 1, 1, 0)


def test_crux_x(tmp_path: Path) -> None:
    if isinstance(why := toolchain.find("js"), str):
        pytest.skip(why)
    test = "\nconst assert = require('node:assert');\nfunction test() {{\n  assert.deepEqual(f({}),{});\n}}\ntest();\n"
    row = {
        "id": 1,
        "code": "function f(x){\n    return [x, x];\n}" + test.format("[1]", "[[1], [1]]"),
        "input_reasoning": test.format("????", "[[1], [1]]"),
        "output_reasoning": test.format("[1]", "????"),
    }
    asked("crux-x", data=written(tmp_path / "js.jsonl", row), language="js")


def test_humaneval_x(tmp_path: Path) -> None:
    if isinstance(why := toolchain.find("js"), str):
        pytest.skip(why)
    row = {
        "task_id": "js/0", "declaration": "\nconst twice = (xs) => {\n",
        "canonical_solution": "  return [xs, xs];\n}\n\n",
        "test": "const testTwice = () => {\n  console.assert(twice([1]).length === 2)\n}\ntestTwice()\n",
    }  # fmt: skip
    asked("humaneval-x", data=written(tmp_path / "js.jsonl", row), language="js")


def test_reval(tmp_path: Path) -> None:
    code = "def twice(x):\n    y = [x, x]\n    return y\n"
    problem = {"task_id": "DREval/0", "entry_point": "twice", "code": code, "inputs": ["([1],)"], "test": None}
    questions = {"input_idx": 0, "task": [{"lineno": 2, "var": "y"}], "output_pred": "assert twice([1]) == ??"}
    written(tmp_path / "DREval_data.jsonl", {**problem, "outputs": ["[[1], [1]]"]})
    written(tmp_path / "DREval_tasks.jsonl", {"task_id": "DREval/0", "idx": 0, "tasks": [questions]})
    report = measured("reval", suites.load("reval", data=tmp_path), WithoutSharing())
    assert (report.n, report.skipped) == (1, 0)
    rates = [cell.rate for cell in report.tables[0].rows[0] if isinstance(cell, Between)]
    assert rates
    assert set(rates) == {1.0}


# ---- outputs made elsewhere


@pytest.fixture(scope="module")
def true_text() -> str:
    trace = record(Program(source=TWICE, call="f([1])"))
    return cwm.encode(trace).removeprefix(cwm.prompt_of(trace))


def scored(tmp_path: Path, text: str, **row: Any) -> tuple[Report, Any]:
    """The report on one output, and its record."""
    path = written(
        tmp_path / "outputs.jsonl", {"id": "twice", "code": TWICE, "input": "[1]", "generation": text, **row}
    )
    data = written(tmp_path / "crux.jsonl", CRUX_ROW)
    report = score("crux", path, data=data, out=tmp_path / "run")
    return report, next(iter(newest(tmp_path / "run").values()))


@pytest.mark.parametrize("own", ["[[1], [1]]", "[[1],[1]]"])
def test_the_models_separate_answer(tmp_path: Path, true_text: str, own: str) -> None:
    report, record = scored(tmp_path, f"{true_text}[ANSWER]assert f([1]) == {own}[/ANSWER]", expected="[[1], [1]]")
    assert counts(report) == (1, 1, 1, 0)
    assert (record.said, record.judged["cause"]) == ("right", "")


def test_a_wrong_separate_answer_is_still_miscopied(tmp_path: Path, true_text: str) -> None:
    report, record = scored(tmp_path, f"{true_text}[ANSWER][[1], [2]][/ANSWER]")
    assert counts(report) == (1, 1, 1, 0)
    assert (record.said, record.judged["cause"]) == ("wrong", "answer miscopied")


def test_an_output_that_is_an_answer_alone(tmp_path: Path) -> None:
    report, _ = scored(tmp_path, "[ANSWER][[1], [1]][/ANSWER]")
    assert report.all.answer.right == 1


@pytest.mark.parametrize(("taken", "cause"), [("[[1], [1]]", ""), ("[[1]]", "scorer artefact")])
def test_what_another_scorer_took(tmp_path: Path, true_text: str, taken: str, cause: str) -> None:
    _, record = scored(tmp_path, true_text, answer=taken)
    assert record.judged["cause"] == cause


# ---- the majority of samples


def test_answers_of_samples_are_counted_as_values(tmp_path: Path) -> None:
    path = written(tmp_path / "crux.jsonl", CRUX_ROW)
    verdicts = list[Any]()
    for predictor in (Interpreter(), WithoutSharing()):
        run(suites.load("crux", data=path), predictor, on_verdict=verdicts.append)
    wrong = [replace(verdict, predicted="return 0", answer="wrong") for verdict in verdicts[:1]]
    (table,) = tables({"twice": [*wrong, *verdicts]})
    majority = next(row for row in table.rows if row[0] == "majority")
    assert majority[1].some == 1  # type: ignore[union-attr]
