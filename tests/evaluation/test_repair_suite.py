"""The suite `repair` on a folder laid out as QuixBugs is: rows, graph tests, a test that the right program fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from measured_suites import measured

from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.suites import repair as repair_suite
from worldline.evaluation.suites.quixbugs import BuggyProgram, of_one_version, read_quixbugs
from worldline.evaluation.suites.repair import with_fast_tests
from worldline.evaluation.suites.suite import Task
from worldline.plan.repair.search import Repair
from worldline.predict.interpreter import Interpreter
from worldline.recording.calls import caller

HALF = "def half(n):\n    return n // {}\n\n\n'''\nHalf\n'''\n"
COUNT = "def count(node):\n    if node is None:\n        return {}\n    return 1 + count(node.successor)\n"
TESTS = """\
import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.count import count
else:
    from python_programs.count import count


def test1():
    assert count(Node(1, Node(2))) == 2


def test2():
    assert count(None) == 0
"""
NODE = """\
class Node:
    def __init__(self, value=None, successor=None):
        self.value = value
        self.successor = successor
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("python_programs", "correct_python_programs", "json_testcases", "python_testcases"):
        (tmp_path / name).mkdir()
    for name, text, wrong, right in (("half", HALF, "3", "2"), ("count", COUNT, "1", "0")):
        (tmp_path / "python_programs" / f"{name}.py").write_text(text.format(wrong))
        (tmp_path / "correct_python_programs" / f"{name}.py").write_text(text.format(right))
    (tmp_path / "python_programs" / "node.py").write_text(NODE)
    (tmp_path / "python_programs" / "count_test.py").write_text("")
    (tmp_path / "json_testcases" / "half.json").write_text("[[4], 2]\n[[9], 4]\n[[9], 5]\n")
    (tmp_path / "python_testcases" / "test_count.py").write_text(TESTS)
    (tmp_path / "python_testcases" / "node.py").write_text(NODE)
    return tmp_path


def test_every_program_is_read_with_its_tests(folder: Path) -> None:
    count, half = read_quixbugs(folder)
    assert (count.name, count.has_rows, [each.call for each in count.tests.checks]) == (
        "count", False, ["test1()", "test2()"],
    )  # fmt: skip
    assert (half.name, half.has_rows, len(half.tests.checks)) == ("half", True, 3)
    assert "from count import count" in of_one_version(TESTS, "count")
    with caller() as runs:
        assert [each.call for each in with_fast_tests(half, runs).tests.checks] == ["half(4)", "half(9)"]


def test_all_are_repaired_and_perfect_predictions_try_fewer(folder: Path) -> None:
    suite = suites.load("repair", data=folder)
    found = measured("repair", suite, Interpreter(limits=Limits(steps=500, wall=20.0)))
    prior, mixed = found.tables[0].rows
    assert (prior[0], prior[1], mixed[0], mixed[1]) == ("prior", Share(2, 2), "mixed", Share(2, 2))
    assert isinstance(prior[2], float)
    assert isinstance(mixed[2], float)
    assert mixed[2] <= prior[2]
    assert found.n == 2


def test_a_program_is_read_when_the_one_before_is_measured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A progress bar advances during a measurement that takes an hour."""
    events: list[str] = []

    def repaired(bug: BuggyProgram, order: str, *_: object) -> Repair:
        events.append(order)
        return Repair(name=bug.name, oracle=order, tests=0)

    monkeypatch.setattr(repair_suite, "_repaired", repaired)
    suite = suites.load("repair", data=folder)

    def tasks() -> Iterator[Task]:
        for task in suite.tasks:
            events.append("read")
            yield task

    measured("repair", replace(suite, tasks=tasks()), Interpreter(), limit=2)
    assert events == ["read", "prior", "mixed"] * 2


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not QuixBugs' folder"):
        suites.load("repair", data=tmp_path)
    with pytest.raises(UsageError, match="jkoppel/QuixBugs"):
        suites.load("repair")


def test_a_run_is_kept_and_resumed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "repair", "--data", str(folder), "--model", "interpreter", "--json"]
    assert main([*words, "-o", str(tmp_path / "run")]) == 0
    whole = capsys.readouterr().out
    monkeypatch.setattr(repair_suite, "_repaired", lambda *_: pytest.fail("it was measured again"))
    assert main([*words, "-o", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out == whole


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--force", "states"], "repair does not take force"), (["--queries", "3"], "needs --force queries")],
)
def test_unsupported_options_are_refused(
    folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "repair", "--data", str(folder), "--model", "interpreter", *words]) == 2
    assert said in capsys.readouterr().err
