"""The interpreter as predictor scores exactly 100 % on every suite, and suites refuse what they cannot be asked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.crux import literal
from worldline.evaluation.suites.suite import Suite
from worldline.evaluation.summary import Report
from worldline.predict.interpreter import Interpreter
from worldline.programs.split import split

HUMANEVAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "HumanEval.jsonl.gz"

CRUX = [
    {"code": "def f(s):\n    return s[::-1]", "input": "'abc'", "output": "'cba'", "id": "a"},
    {"code": "def f(a, b):\n    return {b, a}\n", "input": "1, 2", "output": "set([2, 1])", "id": "b"},
    {"code": "def f(d):\n    d['z'] = 1\n    return d", "input": "{'y': 2}", "output": '{"z": 1, "y": 2}', "id": "c"},
    {"code": "def f(xs):\n    return [x for x in xs if x]", "input": "[0, 1, '']", "output": "[1,]", "id": "d"},
    {"code": "import math\ndef f(x):\n    return math.inf", "input": "0", "output": "inf", "id": 5},
]


def perfect(found: Report, n: int) -> bool:
    return (found.n, found.all.answer.right, found.all.trace.right) == (n, n, n)


@pytest.fixture
def crux(tmp_path: Path) -> Path:
    path = tmp_path / "crux.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in CRUX))
    return path


def sources(suite: Suite, count: int) -> list[str]:
    return [task.program.source for task in islice(suite.tasks, count)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arbitrary", [False, True])
@pytest.mark.parametrize("reveal", [1, 8, 512])
def test_permutation(reveal: int, arbitrary: bool) -> None:
    suite = suites.load("permutation", length=(8, 300), reveal=reveal, arbitrary=arbitrary)
    found = run(suite, Interpreter(), limit=6)
    assert perfect(found, 6)
    assert {name: part.answer.n for name, part in found.by_length.items()} == {"8": 3, "300": 3}
    assert list(found.by_type) == ["tuple"]


@pytest.mark.long(reason="a program of 10,000 lines")
def test_permutation_of_ten_thousand_lines() -> None:
    assert perfect(run(suites.load("permutation", length=10_000), Interpreter(), limit=1), 1)


@pytest.mark.long(reason="test_permutation runs two lengths with one spacing at a time")
def test_a_grid_of_lengths_and_spacings() -> None:
    suite = suites.load("permutation", length=(120, 240), reveal=(8, 64), pair=True)
    found = run(suite, Interpreter(), limit=8)
    assert perfect(found, 8)
    assert list(found.by_length) == ["120/8", "120/64", "240/8", "240/64"]
    assert suite.count == 800


def test_generated() -> None:
    found = run(suites.load("generated"), Interpreter(), limit=40)
    assert perfect(found, 40)
    assert len(found.by_type) > 3


def test_generated_programs_are_of_the_test_split() -> None:
    assert {split(source) for source in sources(suites.load("generated", seed=1), 5)} == {"test"}
    assert {split(source) for source in sources(suites.load("permutation", length=5), 3)} == {"test"}


@pytest.mark.skipif(not HUMANEVAL.is_file(), reason="HumanEval's file is not beside the repository")
def test_humaneval() -> None:
    found = run(suites.load("humaneval", data=HUMANEVAL), Interpreter(), limit=30)
    assert perfect(found, 30)
    assert len(found.by_length) > 2


def test_humaneval_of_our_own(tmp_path: Path) -> None:
    row = {
        "task_id": "Own/0", "prompt": 'def add(a, b):\n    """Adds."""\n', "canonical_solution": "    return a + b\n",
        "test": "def check(candidate):\n    for i in range(9):\n        assert candidate(i, 1) == i + 1\n",
        "entry_point": "add",
    }  # fmt: skip
    path = tmp_path / "own.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    suite = suites.load("humaneval", data=path)
    assert perfect(run(suite, Interpreter()), 3)
    every = list(suites.load("humaneval", data=path, calls=0).tasks)
    assert {task.program.call for task in every} == {f"add({i}, 1)" for i in range(9)}
    assert all(task.options.bare for task in every)


def test_crux(crux: Path) -> None:
    found = run(suites.load("crux", data=crux), Interpreter())
    assert perfect(found, len(CRUX))
    assert list(found.by_type) == ["dict", "float", "list", "set", "str"]


def crux_of(tmp_path: Path, **changes: str) -> Report:
    """What the interpreter gets for a fine row and one that is changed."""
    path = tmp_path / "crux.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (CRUX[0], {**CRUX[0], "id": "odd", **changes})))
    found = run(suites.load("crux", data=path), Interpreter())
    assert perfect(found, found.n)
    return found


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"output": "'abc'"}, id="another value"),
        pytest.param({"output": "3"}, id="another type"),
        pytest.param({"code": "def f(s):\n    raise ValueError(s)"}, id="raises"),
        pytest.param({"code": "def f(s):\n    raise ValueError(s)", "output": "None"}, id="raises, not None"),
    ],
)
def test_a_row_of_crux_that_its_run_contradicts_is_in_no_rate(tmp_path: Path, changes: dict[str, str]) -> None:
    found = crux_of(tmp_path, **changes)
    assert (found.n, found.disagrees, found.skipped) == (1, 1, 0)
    assert found.as_json()["disagrees"] == 1
    assert list(found.by_length) == ["1-8"]
    assert found.bytes == len(b"(1 s='abc'\n2\n)'cba'\n.\n")


@pytest.mark.parametrize("code", ["def g(s):\n    return s", "def f(s:\n    return s", "f = len"])
def test_a_row_of_crux_without_a_run_is_skipped(tmp_path: Path, code: str) -> None:
    found = crux_of(tmp_path, code=code)
    assert (found.n, found.disagrees, found.skipped) == (1, 0, 1)


@pytest.mark.parametrize("output", ["len('abc')", "[len('abc')]", "math.inf", "x + 1", "", "#1[]", "<object>"])
def test_an_output_that_is_no_literal_leaves_the_recording(tmp_path: Path, output: str) -> None:
    found = crux_of(tmp_path, output=output)
    assert (found.n, found.disagrees) == (2, 0)
    assert literal(output) is None


@pytest.mark.parametrize(
    ("output", "text"),
    [("'cba'", "'cba'"), (" [1,]", "[1]"), ("{1:{2 :()}}", "{1: {2: ()}}"), ("-1e3", "-1000.0"), ("None", "None")],
)
def test_a_literal_is_read_in_any_spelling(output: str, text: str) -> None:
    assert literal(output) == text


def test_calls_of_a_problem_are_not_negative(crux: Path) -> None:
    with pytest.raises(UsageError, match="0 for all"):
        suites.load("humaneval", data=crux, calls=-1)


@pytest.mark.parametrize("name", ["permutation", "generated"])
def test_a_seed_decides_the_tasks(name: str) -> None:
    def drawn(seed: int) -> list[str]:
        return sources(suites.load(name, seed=seed), 3)

    assert drawn(3) == drawn(3) != drawn(4)


def test_a_sample_of_a_file_is_the_seed_s(crux: Path) -> None:
    def names(seed: int) -> Iterator[str]:
        return (task.name for task in suites.load("crux", data=crux, seed=seed).tasks)

    assert list(names(1)) == list(names(1))
    assert len({tuple(names(seed)) for seed in range(5)}) > 1
    assert sorted(names(0)) == ["5", "a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("chess", {}, "one of permutation"),
        ("crux", {}, "needs its data file"),
        ("generated", {"length": 8}, "has no option length"),
        ("permutation", {"length": 0}, "1 or more lines"),
        ("permutation", {"reveal": 0}, "reveal is 1 or more"),
        ("crux", {"data": "/nowhere.jsonl"}, "cannot be read"),
    ],
)
def test_invalid_options_are_refused(name: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        suites.load(name, **options)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rows"),
        ("{", "line 1 is not JSON"),
        ("[]", "has no code"),
        ('{"code": "", "input": ""}', "no output, id"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        suites.load("crux", data=path)


def test_an_option_that_is_none_is_the_default() -> None:
    assert suites.load("permutation", length=None, reveal=None, data=None).count == 1_000
