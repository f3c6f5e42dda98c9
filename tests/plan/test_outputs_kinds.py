"""Expected values in whatever kind of test they stand: classes, unittest's methods, fixtures, parameters and rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli
from worldline.core.program import Program
from worldline.plan.outputs import inside
from worldline.plan.outputs.check import check_outputs
from worldline.plan.outputs.expectation import find_expectations
from worldline.plan.outputs.report import OutputsReport
from worldline.recording.calls import Caller, caller

LIB = "def twice(x):\n    return [x] * 2\ndef add(a, b):\n    return a + b\n"
UNITTEST = """\
import unittest
from lib import add, twice
class Sums(unittest.TestCase):
    def setUp(self):
        self.one = 1
    def test_filled(self):
        self.assertEqual(add(self.one, 2), ...)
        self.assertEqual(..., add(2, 2), "message")
        self.assertListEqual(twice(self.one), [1, 2])
        self.assertEqual(5, add(2, 2))
        self.assertTrue(add(2, 2))
    @unittest.skip("not today")
    def test_skipped(self):
        self.assertEqual(add(1, 1), ...)
    def test_broken(self):
        assert add({1}, 2) == ...
class Test:
    def setup_method(self):
        self.two = 2
    def test_method(self):
        assert add(self.two, 2) == ...
    def helper(self, x):
        assert add(x, 2) == ...
def unused():
    assert add(1, 1) == ...
"""
PYTEST = """\
import pytest
from lib import add, twice
@pytest.fixture
def three(tmp_path):
    return 3
@pytest.mark.parametrize("x, want", [(1, [1, 1]), (2, ...), pytest.param(3, ...)])
def test_rows(x, want):
    assert twice(x) == want
@pytest.mark.parametrize("x", [1, 1])
class TestMany:
    def test_fixture(self, three, x):
        assert add(three, x) == ...
def test_conftest(seven):
    assert add(seven, 1) == ...
def test_missing(nobody):
    assert add(1, 1) == ...
@pytest.mark.parametrize("want", [..., 3])
def test_two(want):
    for i in range(2):
        assert want == add(i, 2)
@pytest.mark.parametrize("want", [...])
def test_unused(want):
    assert add(1, 1) == 2
"""
CONFTEST = "import pytest\n@pytest.fixture\ndef seven():\n    return 7\n"


@pytest.fixture(scope="module")
def calls() -> Iterator[Caller]:
    with caller() as made:
        yield made


def checked(source: str, calls: Caller, *files: tuple[str, str]) -> OutputsReport:
    program = Program(source=source, name="test_kinds.py", files=(("lib.py", LIB), *files))
    return check_outputs(program, calls.run, seconds=60.0)


def why(report: OutputsReport, line: int) -> str:
    return next(each.why for each in report.values if each.expectation.line == line)


def filled(report: OutputsReport) -> list[str]:
    return [line[1:].strip() for line in report.diff.splitlines() if line[:1] == "+" and line[1:2] != "+"]


UNITTEST_FILLED = [
    "self.assertEqual(add(self.one, 2), 3)",
    'self.assertEqual(4, add(2, 2), "message")',
    "assert add(self.two, 2) == 4",
]


def test_methods_of_classes_are_run(calls: Caller) -> None:
    report = checked(UNITTEST, calls)
    assert filled(report) == UNITTEST_FILLED
    by_line = {each.expectation.line: each for each in report.values}
    assert (by_line[9].holds, by_line[9].value) == (False, "[1, 1]")
    assert (by_line[10].holds, by_line[10].value, by_line[10].expectation.wanted) == (False, "4", "5")
    assert "Sums.test_skipped was skipped: not today" in why(report, 14)
    assert "Sums.test_broken failed: TypeError: unsupported operand" in why(report, 16)
    assert why(report, 23) == why(report, 25) == "no test that was run reaches it"


def test_without_pytest_the_standard_library_runs_them(calls: Caller) -> None:
    absent = "raise ModuleNotFoundError(\"No module named 'pytest'\")\n"
    report = checked(UNITTEST, calls, ("pytest.py", absent))
    assert filled(report) == UNITTEST_FILLED
    assert "Sums.test_skipped was skipped: not today" in why(report, 14)
    assert "Sums.test_broken failed: TypeError: unsupported operand" in why(report, 16)
    taking = "from lib import add\ndef test_takes(x):\n    assert add(x, 1) == ...\n"
    told = why(checked(taking, calls, ("pytest.py", absent)), 3)
    assert "test_takes was not executed: it takes arguments, and the sandbox has no pytest to pass them" in told


def test_fixtures_and_parameters_are_pytests_own(calls: Caller) -> None:
    report = checked(PYTEST, calls, ("conftest.py", CONFTEST))
    assert filled(report) == [
        '@pytest.mark.parametrize("x, want", [(1, [1, 1]), (2, [2, 2]), pytest.param(3, [3, 3])])',
        "assert add(three, x) == 4",
        "assert add(seven, 1) == 8",
    ]
    assert "test_missing could not be set up: fixture 'nobody' not found" in why(report, 16)
    assert why(report, 17) == "it has 2 different values"
    assert why(report, 21) == "no test that was run compares anything with it"
    by_line = {each.expectation.line: each for each in report.values}
    assert by_line[8].holds is True
    assert (by_line[20].holds, by_line[20].value) == (False, "2")
    again = checked(report.filled, calls, ("conftest.py", CONFTEST))
    assert [each.holds for each in again.values if each.expectation.line in (8, 12, 14)] == [True] * 3


@pytest.mark.long(reason="a test runs into its limit of four seconds, twice")
def test_a_test_that_takes_too_long_costs_no_other(calls: Caller) -> None:
    source = (
        "from lib import add\ndef test_long():\n    while True:\n        pass\n    assert add(1, 1) == ...\n"
        "def test_short():\n    assert add(1, 1) == ...\n"
    )
    program = Program(source=source, name="test_kinds.py", files=(("lib.py", LIB),))
    report = check_outputs(program, calls.run, seconds=4.0)
    assert "test_long hit its limit of time" in why(report, 5)
    assert report.values[1].value == "2"


def test_reporter_copies_values_and_reports_once() -> None:
    shared = [1]
    inside.tell(3, shared, [1])
    shared.append(2)
    inside.tell(4, inside.blank(9), 5)
    assert inside.fetch() == [(3, [1], True), (9, 5, True), (4, 5, True)]
    assert inside.fetch() == []


def test_equalities_of_unittest_are_expectations() -> None:
    lines = ("class A:", " def t(self):", "  self.assertEqual(1)", "  self.assertEqual(f(), 2, 'x')", "  g(1, 2)")
    source = "\n".join(lines)
    (only,) = find_expectations(source)
    assert (only.line, only.value, only.wanted, only.where) == (4, "f()", "2", "A.t")
    assert replace(only, where="").top == ""


def test_conftest_next_to_the_tests_is_used(tmp_path: Path) -> None:
    tests = tmp_path / "test_a.py"
    tests.write_text("def test_a(seven):\n    assert seven + 1 == ...\n")
    (tmp_path / "conftest.py").write_text(
        "import pytest, lib\n@pytest.fixture\ndef seven():\n    return lib.add(3, 4)\n"
    )
    (tmp_path / "lib.py").write_text(LIB)
    shown = CliRunner().invoke(cli, ["plan", "outputs", str(tests), "--wall", "60"])
    assert "+    assert seven + 1 == 8" in shown.output
