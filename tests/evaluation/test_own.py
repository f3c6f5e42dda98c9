"""`bench FILE.jsonl`: a suite of one's own programs, and `worldline.bench` in Python."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner

import worldline
from worldline.cli import cli, main
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.suites import load
from worldline.evaluation.suites.own import rows_suite
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest

DOUBLE = "def double(x):\n    return x * 2\n"
ROWS: list[dict[str, Any]] = [
    {"id": "number", "source": DOUBLE, "call": "double(4)", "answer": 8},
    {"id": "text", "source": DOUBLE, "call": "double('ab')", "answer": "'abab'"},
    {"source": DOUBLE, "call": "double([1])"},
    {"id": "script", "source": "print(input())\n", "stdin": "hello\n"},
    {"id": "none", "source": "def f():\n    pass", "call": "f()", "answer": None},
]


def stored(folder: Path, rows: list[Any], name: str = "mine.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def wrong_about_text(prompt: str, ask: PredictionRequest) -> bytes:
    """The truth, but for one program."""
    (true,) = Interpreter().predict([PredictionRequest(program=ask.program, options=ask.options)])
    return true.text.replace(b"abab", b"baba")


def test_rows_are_tasks_in_their_order(tmp_path: Path) -> None:
    suite = load(str(stored(tmp_path, ROWS)))
    tasks = list(suite.tasks)
    assert [task.name for task in tasks] == ["number", "text", "line 3", "script", "none"]
    assert [task.answer for task in tasks] == ["8", "'abab'", None, None, "None"]
    assert tasks[3].program == Program(source="print(input())\n", stdin="hello\n")
    assert tasks[4].program.source.endswith("\n")
    assert (suite.name, suite.count) == ("mine.jsonl", 5)


def test_rows_in_other_languages(tmp_path: Path) -> None:
    rows = [{"source": "function f(n) { return n }", "call": "f(1)", "language": "js"}, {"source": "fn main() {}"}]
    one, other = load(str(stored(tmp_path, rows)), language="rust").tasks
    assert (one.program.name, other.program.name) == ("program.js", "program.rs")
    respelled = load(str(stored(tmp_path, [{**rows[0], "language": "JavaScript"}, rows[1]])), language="rs").tasks
    assert [task.program.name for task in respelled] == ["program.js", "program.rs"]
    with pytest.raises(UsageError, match=r"a language is one of python, js, .*, not 'cobol'"):
        load(str(stored(tmp_path, [{**rows[0], "language": "cobol"}])))


def test_a_gzipped_file_and_a_seed(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl.gz"
    path.write_bytes(gzip.compress(stored(tmp_path, ROWS).read_bytes()))
    names = [task.name for task in load(str(path), seed=3).tasks]
    assert sorted(names) == sorted(task.name for task in load(str(path)).tasks)
    assert names != [task.name for task in load(str(path), seed=0).tasks]


MISTAKES = {
    "not JSON": ("{", "line 2 is not JSON"),
    "no object": ("[1]", "line 2 is not an object"),
    "no source": ({"call": "f()"}, "line 2 has no `source`"),
    "another type": ({"source": 3}, "line 2: `source` is a number, not text"),
    "no call": ({"source": DOUBLE, "call": "double("}, "line 2: a call is one expression"),
    "no literal": (
        {"source": DOUBLE, "call": "double(1)", "answer": "abc"},
        "line 2: the answer abc is not a literal; write a text as \"'abc'\"",
    ),
    "misspelled": ({"source": DOUBLE, "call": "double(1)", "anwser": 2}, "line 2 has `anwser`: is `answer` meant"),
    "twice": ({"id": "number", "source": DOUBLE, "call": "double(1)"}, "line 2: the id number is that of line 1"),
    "a function alone": ({"source": DOUBLE}, "line 2 has no `call`, and its source only defines double"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_row_s_mistake_is_named_by_its_line(mistake: str, tmp_path: Path) -> None:
    row, said = MISTAKES[mistake]
    with pytest.raises(UsageError) as caught:
        load(str(stored(tmp_path, [ROWS[0], row, ROWS[1]])))
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'mine.jsonl'}: ")


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 1 .*; line 3 .*"):
        load(str(stored(tmp_path, [{}, ROWS[0], "nothing"])))


def test_other_keys_of_a_row_are_ignored(tmp_path: Path) -> None:
    (task,) = load(str(stored(tmp_path, [{**ROWS[0], "difficulty": 3}]))).tasks
    assert task.name == "number"


def test_an_unknown_suite_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"a suite is one of permutation, .*, or a FILE.jsonl of your own"):
        load("nonsense")
    with pytest.raises(UsageError, match=r"nowhere.jsonl cannot be read"):
        load("nowhere.jsonl")


@pytest.mark.usefixtures("sandbox")
def test_the_command_measures_your_own_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(tmp_path, ROWS)
    done = CliRunner().invoke(cli, ["bench", str(path), "--model", "interpreter", "--json", "-o", str(tmp_path / "r")])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["suite"], report["n"], report["answer"]["right"]) == ("mine.jsonl", 5, 5)
    again = CliRunner().invoke(cli, ["bench", str(path), "--model", "interpreter", "-o", str(tmp_path / "r")])
    assert again.exit_code == 0, again.output
    assert CliRunner().invoke(cli, ["compare", str(tmp_path / "r"), str(tmp_path / "r")]).exit_code == 0
    assert main(["bench", str(stored(tmp_path, [{}], "bad.jsonl"))]) == 2
    assert "line 1 has no `source`" in capsys.readouterr().err


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("kind", ["path", "rows", "tasks", "programs", "suite"])
def test_the_api_measures_any_kind_of_suite(kind: str, tmp_path: Path) -> None:
    programs = [Program(source=DOUBLE, call=f"double({value!r})") for value in (4, "ab", [1])]
    tasks = [Task(program=program, name=str(at)) for at, program in enumerate(programs)]
    suites: dict[str, Any] = {
        "path": stored(tmp_path, ROWS[:3]), "rows": ROWS[:3], "programs": programs, "tasks": tasks,
        "suite": Suite(name="mine", tasks=tasks),
    }  # fmt: skip
    report = worldline.bench(suites[kind], wrong_about_text)
    assert (report.n, report.all.answer.right, report.faults) == (3, 2, 0)
    assert report.model == "wrong_about_text"


@pytest.mark.usefixtures("sandbox")
def test_the_api_stores_a_run_and_takes_the_suites_options(tmp_path: Path) -> None:
    report = worldline.bench("permutation", "interpreter", max_programs=2, length=[8], out=tmp_path / "run")
    assert (report.n, report.all.trace.right) == (2, 2)
    assert (tmp_path / "run" / "report.json").is_file()
    with pytest.raises(UsageError, match="no option lenght"):
        worldline.bench("permutation", "interpreter", lenght=[8])
    with pytest.raises(UsageError, match="a suite is"):
        worldline.bench(3, "interpreter")  # type: ignore[arg-type]


def test_rows_can_be_given_as_they_are() -> None:
    suite = rows_suite(ROWS[:2])
    assert [task.name for task in suite.tasks] == ["number", "text"]
    with pytest.raises(UsageError, match="row 2 has no `source`"):
        rows_suite([ROWS[0], {"code": 3}])


def test_a_row_that_could_not_be_called_is_left_out_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "def f(x):\n    return x\n"
    path = stored(tmp_path, [{"source": source, "call": call} for call in ("g(1)", "f(1)")])
    assert main(["bench", str(path), "--model", "interpreter"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert """not counted, raised NameError("name 'g' is not defined") before its first step: 1""" in printed


@pytest.mark.usefixtures("sandbox")
def test_the_suite_in_contributing_runs_as_it_stands() -> None:
    page = Path(__file__).parents[2] / "CONTRIBUTING.md"
    section = page.read_text("utf-8").partition("### Add a suite")[2].partition("\n### ")[0]
    suite, test = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    module: dict[str, Any] = {}
    exec(dedent(suite), module)
    report = worldline.bench(module["load"](), "interpreter", max_programs=10)
    assert (report.n, report.all.trace.right) == (10, 10)
    assert list(report.by_length) == ["2", "3", "4", "5", "6"]
    assert 'worldline.bench("sorting", "interpreter", max_programs=10)' in test
