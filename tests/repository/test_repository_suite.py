"""The suite `repository`: recorded calls as programs of their own, what is left out, and what training never sees."""

from __future__ import annotations

import ast
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from recorded_project import CALLS, recorded_calls, write_dataset

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.repository.recorded_test import RecordedCall
from worldline.core.trace import Outcome
from worldline.data.build.build import build_dataset
from worldline.data.mine.mine import mine
from worldline.data.mine.mined import read_mined
from worldline.data.mine.recorded import (
    ARGUMENTS,
    GENERATOR,
    METHOD,
    NESTED,
    NO_END,
    OF_TESTS,
    RESULT,
    TOO_LONG,
    TOO_MUCH,
    StandAloneCall,
    drawer,
    is_plain,
    spell_call,
    unpacked,
)
from worldline.data.mixture import Mixture, recorded_source
from worldline.evaluation import suites
from worldline.evaluation.bench import bench
from worldline.evaluation.suites.repository import TRAINED
from worldline.programs.split import function_keys, is_held_out

# Decided by their hashes: a fifth of all functions.
HELD_OUT = {"share", "is_palindrome"}


@pytest.fixture(scope="module")
def calls(sandbox: None) -> list[RecordedCall]:
    """Recorded calls of the small project."""
    return recorded_calls()


@pytest.fixture(scope="module")
def dataset(calls: list[RecordedCall], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calls, stored."""
    return write_dataset(tmp_path_factory.mktemp("calls") / "calls", calls)


def test_the_interpreter_is_always_right(dataset: Path) -> None:
    report = bench("repository", "interpreter", data=dataset, split="all", calls=0)
    plain = [call for _, function, call in CALLS if "." not in function and "running" not in function]
    assert (report.n, report.all.answer.right, report.all.trace.right) == (len(plain), len(plain), len(plain))
    assert list(report.by_length) == ["pantry"]
    assert {reason: len(names) for reason, names in report.left_out.items()} == {GENERATOR: 1, METHOD: 1}
    assert report.skipped == 2
    assert report.left_out[METHOD] == ("pantry@0123456789ab src/pantry/shelf.py:Shelf.heaviest",)
    (table,) = report.tables
    assert sum(row[1] for row in table.rows if isinstance(row[1], int)) == len(plain)


def test_by_default_only_functions_are_asked_that_training_never_takes(dataset: Path) -> None:
    suite = suites.load("repository", data=dataset)
    assert {(task.program.call or "").partition("(")[0] for task in suite.tasks} == HELD_OUT
    assert suite.count == 2
    trained = len(CALLS) - 2 - sum(function in HELD_OUT for _, function, _ in CALLS)
    assert len(suite.left_out[TRAINED]) == trained


def test_a_task_is_small_and_spelled_as_the_test_called_it(dataset: Path) -> None:
    suite = suites.load("repository", data=dataset, split="all", calls=0)
    by_call = {task.program.call: task for task in suite.tasks}
    assert {"abbreviate('chickpeas', 6)", "share(10, 3)", "to_grams(2, 'lb')"} <= by_call.keys()
    fraction = by_call["reduce_fraction(6, 8)"]
    names = [node.name for node in ast.parse(fraction.program.source).body if isinstance(node, ast.FunctionDef)]
    assert names == ["greatest_divisor", "reduce_fraction"]
    assert (fraction.answer, fraction.is_raised, fraction.group) == ("(3, 4)", False, "pantry")
    assert by_call["to_grams(2, 'lb')"].is_raised


def test_a_result_that_the_test_did_not_see_is_left_out_and_named(calls: list[RecordedCall], tmp_path: Path) -> None:
    share, raised = (call for call in calls if call.call in ("share(10, 3)", "to_grams(2, 'lb')"))
    wrong = replace(share, trace=replace(share.trace, outcome=Outcome("returned", "[5, 5]")))
    returned = replace(raised, trace=replace(raised.trace, outcome=Outcome("returned", "7")))
    right = next(call for call in calls if call.call == "slug('  Olive Oil (1 l) ')")
    data = write_dataset(tmp_path / "calls", [wrong, returned, right])
    report = bench("repository", "interpreter", data=data, split="all")
    assert (report.n, report.disagrees) == (1, 2)
    names = report.left_out["the recording disagrees with the benchmark"]
    assert sorted(name.partition(": ")[2] for name in names) == ["share(10, 3)", "to_grams(2, 'lb')"]


SOURCE = """\
import os
MARK = object()
def plain(a, b=2, *rest, key=None, **more):
    return a
def marked(a, b=MARK):
    return a
def needs(path):
    return os.stat(path)
def outer(n):
    def inner(m):
        return m
    return inner(n)
def makes(n):
    return lambda: n
"""


def seen(function: str, call: str, *, module: str = "code.py") -> RecordedCall:
    """Record one call of `SOURCE`."""
    from worldline.core.program import Program
    from worldline.recording.recorder import record

    trace = record(Program(source=SOURCE, call=call))
    return RecordedCall(instance_id="r", test_id="t", function=f"{module}:{function}", trace=trace)


@pytest.mark.usefixtures("sandbox")
def test_every_reason_is_named() -> None:
    ended = seen("plain", "plain(1)")
    recorded = [
        (ended, "plain(1)"),
        (seen("plain", "plain([1], 2, 3, key='x', y={})"), "plain([1], 2, 3, key='x', **{'y': {}})"),
        (seen("marked", "marked({1})"), "marked({1})"),
        (seen("plain", "plain(object())"), ARGUMENTS),
        (seen("plain", f"plain('{'x' * 700}')"), TOO_LONG),
        (seen("needs", "needs('/')"), TOO_MUCH),
        (seen("outer.<locals>.inner", "outer(2)"), NESTED),
        (seen("makes", "makes(2)"), RESULT),
        (seen("plain", "plain(1)", module="tests/test_code.py"), OF_TESTS),
        (replace(ended, trace=replace(ended.trace, outcome=Outcome("limit", "steps"))), NO_END),
    ]
    with unpacked(call for call, _ in recorded) as sources:
        items = list(sources.stand_alone())
    assert [item.call if isinstance(item, StandAloneCall) else item[1] for item in items] == [
        expected for _, expected in recorded
    ]


@pytest.mark.usefixtures("sandbox")
def test_a_file_outside_of_the_repository_is_refused() -> None:
    with pytest.raises(UsageError, match="not in its repository"), unpacked([seen("f", "plain(1)", module="../x.py")]):
        pass


@pytest.mark.unit
@pytest.mark.parametrize(
    ("text", "plain"),
    [
        *(("[1, (2,), {'a': None}]", True), ("frozenset({1})", True), ("-1.5", True), ("b'a'", True)),
        *(("inf", False), ("[nan]", False), ("A#1(n=3)", False), ("#1[#1]", False), ("<object>", False)),
    ],
)
def test_plain_values_are_expressions(text: str, plain: bool) -> None:
    assert is_plain(text) is plain
    if plain:
        ast.parse(text, mode="eval")


@pytest.mark.unit
def test_a_call_is_spelled_by_its_signature() -> None:
    (node,) = ast.parse("def f(a, b=1, c=MARK, /, d=4, *, e, g=None): pass").body
    assert isinstance(node, ast.FunctionDef)
    values = {"a": "0", "b": "2", "c": "3", "d": "4", "e": "[]", "g": "None"}
    assert spell_call(node, values) == "f(0, 2, 3, e=[])"
    assert spell_call(node, {**values, "d": "5", "g": "6"}) == "f(0, 2, 3, 5, e=[], g=6)"
    # A marker that cannot be spelled and cannot be left out before another positional-only argument.
    assert spell_call(node, {**values, "c": "<object>"}) is None
    assert spell_call(node, {**values, "e": "<object>"}) is None
    assert spell_call(node, {"a": "1"}) is None


@pytest.mark.unit
def test_a_method_has_the_key_of_its_function() -> None:
    method = (
        "class A:\n    @staticmethod\n    def f(x):\n        return x + 1\n    def g(self, x):\n        return x + 1\n"
    )
    function = "def other(value):\n    '''Text.'''\n    return value + 1\n"
    assert {*function_keys(method)} == {*function_keys(function)}
    assert len(function_keys(method)) == 2
    assert function_keys("def f(:") == []
    shares = Counter(is_held_out(function_keys(f"def f(x):\n    return x + {n}\n")[0]) for n in range(500))
    assert 60 < shares[True] < 140


def test_mining_and_the_suite_share_no_function(dataset: Path, tmp_path: Path) -> None:
    counts = mine([str(dataset)], out=tmp_path / "mined.xz")
    mined = read_mined(tmp_path / "mined.xz")
    # `Shelf` has the method `put`, which is held out too.
    assert counts.held_out == 3
    tested = {
        key
        for task in suites.load("repository", data=dataset, calls=0).tasks
        for key in function_keys(task.program.source)
        if is_held_out(key)
    }
    assert len(tested) == 2
    assert not tested & {key for call in mined for key in function_keys(call.source)}
    written = {call.call for call in mined if call.shown}
    assert {"slug('  Olive Oil (1 l) ')", "abbreviate('chickpeas', 6)", "list(running_totals([2, 3, 5]))"} <= written
    assert not list(tmp_path.glob("calls-*"))


def test_training_reads_a_dataset_without_what_is_held_out(dataset: Path, tmp_path: Path) -> None:
    draw = drawer(str(dataset))
    drawn = {draw(Random(seed)).call for seed in range(200)}
    plain = {call for _, function, call in CALLS if function not in HELD_OUT and "." not in function}
    assert drawn == plain
    built = build_dataset(str(dataset), tmp_path / "data", count=5, unit=10, workers=1)
    assert built.documents == 5
    with pytest.raises(UsageError, match="no more programs"):
        build_dataset(Mixture(sources=(recorded_source(dataset),)), tmp_path / "more", count=50, unit=20, workers=1)


def test_a_dataset_that_has_no_task_says_why(calls: list[RecordedCall], tmp_path: Path) -> None:
    data = write_dataset(tmp_path / "calls", [call for call in calls if "Shelf" in call.function])
    with pytest.raises(UsageError, match="no task of the split test: a method that uses its instance: 1"):
        suites.load("repository", data=data)
    with pytest.raises(UsageError, match="a split is one of test, all"):
        suites.load("repository", data=data, split="train")


def test_the_command_prints_repositories_and_what_is_left_out(dataset: Path) -> None:
    arguments = ["bench", "repository", "--data", str(dataset), "--model", "interpreter", "--split", "all"]
    done = CliRunner().invoke(cli, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["left_out"][GENERATOR]["n"] == 1
    shown = CliRunner().invoke(cli, arguments)
    assert "not counted, a method that uses its instance: 1: pantry@0123456789ab" in " ".join(shown.output.split())
