"""LiveCodeBench's code execution task: its file in every form, the imports it leaves out, and its figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.bench import bench
from worldline.evaluation.suites.livecodebench import published_answers, with_imports
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

DOUBLES = "def doubles(nums: List[int]) -> List[int]:\n    return [2 * n for n in nums]"
COMMON = "def common(s: str) -> int:\n    seen = collections.Counter(s)\n    return max(seen.values(), default=-inf)\n"


def row(number: int, code: str, call: str, output: str) -> dict[str, Any]:
    """A row with every column of `execution-v2`."""
    return {
        "question_id": 2700 + number,
        "id": f"sample_{number}",
        "function_name": call.partition("(")[0],
        "code": code,
        "input": call,
        "output": output,
        "numsteps": 9,
        "problem_id": [number],
        "contest_id": "weekly-contest-1",
        "contest_date": "2023-05-07T00:00:00",
        "difficulty": "easy",
    }


ROWS = [
    row(0, DOUBLES, "doubles(nums = [1, 2])", "[2, 4]"),
    row(1, COMMON, "common(s = 'abca')", "2"),
    row(2, "def text(n):\n    return str(n)\n", "text(n = 3)", "'3'"),
]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """The rows in the form that the suffix names."""
    if path.suffix == ".parquet":
        dated = [{**item, "contest_date": datetime.fromisoformat(item["contest_date"])} for item in rows]
        pq.write_table(pa.Table.from_pylist(dated), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1))
    else:
        path.write_text("".join(json.dumps(item) + "\n" for item in rows))
    return path


class OneWrong(PlainPredictor):
    """The interpreter, but for it `text` returns None."""

    name = "one wrong"

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for request in requests:
            if request.program.call == "text(n = 3)":
                yield Prediction(text=b"(1 n=3\n2\n)None\n.\n", status="ended")
            else:
                yield from Interpreter().predict([request])


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "test-00000-of-00001.parquet"])
def test_the_interpreter_is_right_about_every_row(tmp_path: Path, name: str) -> None:
    report = bench("livecodebench", Interpreter(), data=write(tmp_path / name, ROWS))
    assert (report.n, report.skipped, report.disagrees, report.faults) == (3, 0, 0, 0)
    assert (report.all.answer.right, report.all.trace.right) == (3, 3)


@pytest.mark.usefixtures("sandbox")
def test_a_wrong_answer_stands_beside_the_published_figures(tmp_path: Path) -> None:
    report = bench("livecodebench", OneWrong(), data=write(tmp_path / "rows.jsonl", ROWS))
    assert (report.all.answer.right, report.n) == (2, 3)
    (table,) = report.tables
    own, *others = table.rows
    assert own == ("this model", Share(2, 3), None, None)
    assert [name for name, *_ in others] == list(published_answers())
    assert ("Claude 3 Opus", None, 47.3, 80.2) in others
    assert "2403.07974" in table.note


@pytest.mark.usefixtures("sandbox")
def test_a_row_that_its_execution_contradicts_is_in_no_rate(tmp_path: Path) -> None:
    rows = [ROWS[0], row(7, DOUBLES, "doubles(nums = [1])", "[3]"), row(8, "def g(:\n", "g()", "1")]
    report = bench("livecodebench", Interpreter(), data=write(tmp_path / "rows.jsonl", rows))
    assert (report.n, report.disagrees, report.skipped) == (1, 1, 1)


def test_only_the_imports_that_a_program_lacks_are_added() -> None:
    assert with_imports(COMMON) == f"import collections\nfrom math import inf\n{COMMON}"
    complete = "from math import *\nimport re\ndef f(s):\n    product = gcd(2, 4)\n    return re.sub('a', product, s)\n"
    assert with_imports(complete) == complete
    assert with_imports("def f(:\n") == "def f(:\n"


def test_an_inner_function_reads_a_global() -> None:
    source = "def f(n):\n    @cache\n    def count(i):\n        return deque([i])\n    return count(n)\n"
    assert with_imports(source).startswith("from collections import deque\nfrom functools import cache\n")


def test_the_call_and_the_name_of_a_row(tmp_path: Path) -> None:
    tasks = {task.name: task for task in suites.load("livecodebench", data=write(tmp_path / "rows.json", ROWS)).tasks}
    assert sorted(tasks) == ["sample_0", "sample_1", "sample_2"]
    assert tasks["sample_0"].program.call == "doubles(nums = [1, 2])"
    assert (tasks["sample_0"].answer, tasks["sample_2"].answer) == ("[2, 4]", "'3'")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rows.jsonl", json.dumps(ROWS[0]) + '\n{"id": "sample_1"', "line 2 is not JSON"),
        ("rows.jsonl", json.dumps({**ROWS[0], "output": None}), "line 1 has no output"),
        ("rows.json", json.dumps([ROWS[0], {"id": "sample_1", "code": ""}]), "row 2 has no input, output"),
        ("rows.parquet", "PAR1 and no more", "cannot be read as Parquet"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        suites.load("livecodebench", data=path)


def test_a_parquet_file_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"id": ["a"], "code": [""]}), path)
    with pytest.raises(UsageError, match="row 1 has no input, output"):
        suites.load("livecodebench", data=path)


@pytest.mark.usefixtures("sandbox")
def test_the_command(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", ROWS)
    result = CliRunner().invoke(
        cli, ["bench", "livecodebench", "--data", str(data), "--model", "interpreter", "--json"]
    )
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["tables"][0]["rows"][0]["pass@1"]["rate"] == 1.0
    with pytest.raises(UsageError, match=r"huggingface\.co/datasets/livecodebench/execution-v2"):
        suites.load("livecodebench")
