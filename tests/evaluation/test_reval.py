"""REval: its two files, what a trace says about a line, and the benchmark's metrics from one trace per program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.value import text
from worldline.diagnose.reading import read
from worldline.evaluation import suites
from worldline.evaluation.bench import bench
from worldline.evaluation.suites.published import published_rows
from worldline.evaluation.suites.reval.cases import PROGRAMS, QUESTIONS, read_cases
from worldline.evaluation.suites.reval.questions import (
    NO_LINE,
    ExecutedLines,
    LineQuestion,
    executed_lines,
    is_same_state,
)
from worldline.evaluation.suites.reval.suite import AnsweredQuestion
from worldline.evaluation.table import Between, Table
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

LARGEST = '''def largest(xs):
    """The largest."""
    best = xs[0]
    for x in xs:
        if x > best:
            best = x
    return best
'''
TILL = """class Till:
    def __init__(self):
        self.coins = {}

    def add(self, kind, count):
        self.coins[kind] = self.coins.get(kind, 0) + count
        return self.total()

    def total(self):
        return sum(self.coins.values())
"""
TILL_TEST = """import unittest

class TillTestAdd(unittest.TestCase):
    def setUp(self):
        self.till = Till()

    def test_add(self):
        self.till.add('euro', 2)
        self.assertEqual(self.till.add('cent', 3), 5)
        for kind in self.till.coins:
            self.assertTrue(kind)
        self.assertIn('euro', self.till.coins)

    def test_never(self):
        self.fail()

class TillTestTotal(unittest.TestCase):
    def test_total(self):
        with self.assertRaises(TypeError):
            Till().add('euro', None)
        self.assertEqual(Till().total(), 0)
"""
DATA: list[dict[str, Any]] = [
    {
        "task_id": "DREval/0",
        "entry_point": "largest",
        "code": LARGEST,
        "inputs": ["([1, 3, 2],)", "([4],)"],
        "outputs": ["3", "4"],
        "test": None,
    },
    {"task_id": "DREval/1", "entry_point": "Till", "code": TILL, "inputs": ["", ""], "outputs": [], "test": TILL_TEST},
]
LINES = [{"lineno": 6, "var": "best"}, {"lineno": 3, "var": "best"}, {"lineno": 7, "var": "best"}]
TASKS: list[dict[str, Any]] = [
    {
        "task_id": "DREval/0",
        "idx": 0,
        "tasks": [
            {"input_idx": 0, "task": LINES, "output_pred": "assert largest([1, 3, 2]) == ??"},
            {"input_idx": 1, "task": LINES, "output_pred": "assert largest([4]) == ??"},
        ],
    },
    {
        "task_id": "DREval/1",
        "idx": 1,
        "tasks": [
            {"input_idx": 0, "task": [{"lineno": 6, "var": "self.coins[kind]"}, {"lineno": 3, "var": "self.coins"}]},
            {"input_idx": 1, "task": [{"lineno": 10, "var": "self.coins"}]},
        ],
    },
]


def write(folder: Path, data: Sequence[Any] = DATA, tasks: Sequence[Any] = TASKS) -> Path:
    """The two files in a folder."""
    for name, rows in ((PROGRAMS, data), (QUESTIONS, tasks)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def lines_of(source: str, call: str, codec: str = "compact") -> ExecutedLines:
    """The visits of a recorded execution."""
    request = PredictionRequest(program=Program(source=source, call=call), limit=100_000)
    (prediction,) = Interpreter(codec=codec).predict([request])
    return executed_lines(read(request, prediction).events, source.count("\n"))


def values(lines: ExecutedLines, line: int, expression: str) -> list[str]:
    return [text(value) for value in lines.values(LineQuestion(line, expression))]


def own_row(table: Table) -> list[float | int | None]:
    """The figures of the model's first row, rates in %."""
    cells = [cell.rate * 100 if isinstance(cell, Between) else cell for cell in table.rows[0][1:]]
    assert all(cell is None or isinstance(cell, int | float) for cell in cells)
    return [None if cell is None else round(float(cell), 1) for cell in cells if not isinstance(cell, str)]


class MissesBest(PlainPredictor):
    """Holds that `x > best` is never true: wrong about one line and the output of the first input."""

    name = "misses best"

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for request in requests:
            if request.program.call == "largest([1, 3, 2],)":
                trace = b"(1 xs=[1, 3, 2]\n3 best=1\n4 x=1\n5\n4 x=3\n5\n4 x=2\n5\n4\n7\n)1\n.\n"
                yield Prediction(text=trace, status="ended")
            else:
                yield from Interpreter().predict([request])


def test_the_cases_of_the_files(tmp_path: Path) -> None:
    first, second, till = read_cases(write(tmp_path))
    assert (first.program.call, second.program.call) == ("largest([1, 3, 2],)", "largest([4],)")
    assert (first.output, second.output, till.output) == ("3", "4", None)
    assert (first.origin, till.origin) == ("HumanEval", "ClassEval")
    assert [question.line for question in first.questions] == [6, 3, 7]
    assert (first.last_line, till.last_line) == (7, 10)


def test_a_test_class_becomes_a_function_after_the_source(tmp_path: Path) -> None:
    till = read_cases(write(tmp_path))[-1]
    assert till.program.call == "run_test()"
    assert till.program.source == (
        TILL
        + "class Fixture:\n    pass\nself = Fixture()\nself.till = Till()\n"
        + "def run_test():\n"
        + "    self.till.add('euro', 2)\n"
        + "    answer1 = self.till.add('cent', 3)\n"
        + "    for kind in self.till.coins:\n"
        + "        kind\n"
        + "    answer2 = self.till.coins\n"
        + "    return answer1, answer2\n"
    )


@pytest.mark.parametrize("place", ["", "data", PROGRAMS, QUESTIONS])
def test_the_data_is_a_folder_a_clone_or_either_file(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    write(folder)
    data = {"": tmp_path, "data": folder}.get(place, folder / place)
    assert len(read_cases(data)) == 3


@pytest.mark.parametrize(
    ("data", "tasks", "message"),
    [
        (DATA[:1], TASKS, r"line 2: DREval_data\.jsonl has no program DREval/1"),
        ([{"task_id": "DREval/0", "code": ""}], TASKS, r"DREval_data\.jsonl, line 1 has no entry_point"),
        (DATA, [{"idx": 0}], r"DREval_tasks\.jsonl, line 1 has no task_id"),
        (DATA, [{"task_id": "DREval/0"}], r"line 1 \(DREval/0\) cannot be read: KeyError"),
        (DATA, [{"task_id": "DREval/0", "tasks": [{"input_idx": 7, "task": []}]}], "cannot be read: IndexError"),
        (DATA, [{"task_id": "DREval/0", "tasks": [{"input_idx": 0, "task": [{"var": "x"}]}]}], "KeyError"),
        ([{**DATA[1], "test": "class (:"}], TASKS[1:], "cannot be read: SyntaxError"),
        (DATA, [], "has no rows"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, data: list[Any], tasks: list[Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_cases(write(tmp_path, data, tasks))


def test_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="pass the folder `data`"):
        read_cases(tmp_path)


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_what_a_trace_says_about_lines(codec: str) -> None:
    lines = lines_of(LARGEST, "largest([1, 3, 2])", codec)
    assert [visit.line for visit in lines.visits] == [3, 4, 5, 4, 5, 6, 4, 5, 4, 7]
    assert (lines.executes(6), lines.executes(2)) == (True, False)
    assert lines.next_lines(5) == [4, 6, 4]
    assert (lines.next_lines(7), lines.next_lines(2)) == ([NO_LINE], [NO_LINE])
    assert values(lines, 6, "best") == ["3"]
    assert values(lines, 4, "x") == ["1", "3", "2"]
    assert values(lines, 7, "best") == ["3"]
    assert values(lines, 2, "best") == []


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_calls_and_expressions(codec: str) -> None:
    source = TILL + "def run():\n    till = Till()\n    return till.add('euro', 2)\n"
    request = PredictionRequest(program=Program(source=source, call="run()"), limit=100_000)
    (prediction,) = Interpreter(codec=codec).predict([request])
    lines = executed_lines(read(request, prediction).events, TILL.count("\n"))
    # The return on line 7 is a visit of its own, without locals, because line 10 was executed in between.
    assert [visit.line for visit in lines.visits] == [3, 6, 7, 10, 7]
    assert lines.next_lines(7) == [10, NO_LINE]
    assert values(lines, 6, "self.coins[kind]") == ["2"]
    assert values(lines, 6, "self.coins['cent']") == []
    assert values(lines, 6, "(kind, count)") == ["('euro', 2)"]
    # The next visit is in another function, where these names do not exist.
    assert values(lines, 3, "self.coins") == ["{}"]
    assert values(lines, 7, "kind") == []
    assert values(lines, 7, "len(kind)") == []


@pytest.mark.usefixtures("sandbox")
def test_subscripts() -> None:
    source = "def f(s, xs, i):\n    pair = (s, i)\n    return pair\n"
    lines = lines_of(source, "f('abc', [1.5, 2], 1)")
    assert values(lines, 2, "s[i]") == ["'b'"]
    assert values(lines, 2, "pair[0]") == ["'abc'"]
    assert values(lines, 2, "xs[i]") == ["2"]
    assert values(lines, 2, "xs[s]") == []
    assert values(lines, 2, "xs[7]") == []


@pytest.mark.usefixtures("sandbox")
def test_functions_and_iterators_are_no_values() -> None:
    lines = lines_of("def f(n):\n    g = lambda: n\n    it = iter([n])\n    return 1\n", "f(1)")
    assert values(lines, 2, "g") == []
    assert values(lines, 3, "it") == []


@pytest.mark.usefixtures("sandbox")
def test_states_are_compared_by_value_and_type() -> None:
    def value(literal: str) -> list[Any]:
        return lines_of(f"def f(x=0):\n    x = {literal}\n    return x\n", "f()").values(LineQuestion(2, "x"))

    assert is_same_state(value("0.1 + 0.2"), value("0.3"))
    assert not is_same_state(value("1"), value("1.0"))
    assert not is_same_state(value("1"), value("True"))
    assert is_same_state(value("1"), [*value("2"), *value("1")])
    assert not is_same_state([*value("2"), *value("1")], value("1"))
    assert is_same_state([], [])
    assert not is_same_state([], value("1"))


@pytest.mark.parametrize(
    ("answers", "score"),
    [
        ((True, True, True, True), 1.0),
        ((True, True, True, False), 0.5),
        ((True, True, False, False), 0.25),
        ((True, False, False, False), 0.125),
        ((False, False, False, False), 0.0),
        ((True, False, True, True), 0.0),
        ((False, True, True, True), 0.0),
        ((True, True, False, True), 0.0),
    ],
)
def test_incremental_consistency(answers: tuple[bool, bool, bool, bool], score: float) -> None:
    coverage, state, path, output = answers
    assert AnsweredQuestion(True, coverage, state, path, output).consistency == score


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_the_interpreter_is_right_about_everything(tmp_path: Path, codec: str) -> None:
    result = bench("reval", Interpreter(codec=codec), data=write(tmp_path))
    assert (result.n, result.skipped, result.faults) == (3, 0, 0)
    (table,) = result.tables
    assert own_row(table) == [8, 100, 100, 100, 100, 100, 100]
    assert [row[0] for row in table.rows[:3]] == ["this model", "this model, HumanEval", "this model, ClassEval"]
    assert [row[1] for row in table.rows[:3]] == [8, 6, 2]
    assert len(table.rows) == 3 + len(published_rows("reval"))
    assert ("GPT-4 Turbo (0125)", None, 88.4, 89.8, 71.4, 57.7, 82.6, 42.5) in table.rows
    assert "2403.16437" in table.note


@pytest.mark.usefixtures("sandbox")
def test_a_wrong_branch_has_the_known_figures(tmp_path: Path) -> None:
    result = measured("reval", suites.load("reval", data=write(tmp_path, tasks=TASKS[:1])), MissesBest())
    # Six questions. The first input: line 6 is executed and predicted not to be (all wrong), line 3 is right but for
    # the output (1/2), line 7 is executed with another value and is the last line (neither 1/8 nor 1/4: nothing).
    coverage, f1, state, path, output = 5 / 6, 2 * 4 / (5 + 4), 4 / 6, 5 / 6, 1 / 2
    consistency = (0 + 0.5 + 0 + 3 * 1.0) / 6
    wanted = [round(100 * figure, 1) for figure in (coverage, f1, state, path, output, consistency)]
    assert own_row(result.tables[0]) == [6, *wanted]


@pytest.mark.usefixtures("sandbox")
def test_a_program_that_the_recording_contradicts_is_skipped(tmp_path: Path) -> None:
    wrong = {**DATA[0], "outputs": ["2", "4"]}
    raising = {**DATA[1], "code": TILL.replace("sum(", "summed(")}
    result = bench("reval", Interpreter(), data=write(tmp_path, [wrong, raising]))
    assert (result.n, result.skipped, result.faults) == (1, 2, 0)


def test_what_is_refused(tmp_path: Path) -> None:
    data = write(tmp_path)
    with pytest.raises(UsageError, match="takes no --force"):
        bench("reval", Interpreter(), data=data, force="actions")
    with pytest.raises(UsageError, match="takes no scratchpad"):
        bench("reval", Interpreter(), data=data, scratchpad="flatten")
    with pytest.raises(UsageError, match=r"github\.com/r-eval/REval"):
        suites.load("reval")


@pytest.mark.usefixtures("sandbox")
def test_the_command_and_a_resumed_run(tmp_path: Path) -> None:
    command = ["bench", "reval", "--data", str(write(tmp_path)), "--model", "interpreter", "--json"]
    command += ["-o", str(tmp_path / "run")]
    first, again = (CliRunner().invoke(cli, command) for _ in range(2))
    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    assert json.loads(first.stdout)["tables"] == json.loads(again.stdout)["tables"]
    assert json.loads(first.stdout)["tables"][0]["rows"][0]["path"]["rate"] == 1.0
