"""Tests as they are read: rows of JSON, functions, methods, assertions; values compared as values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.repair.checks import CheckSet, RepairCheck, is_expected
from worldline.plan.repair.rows import read_checks
from worldline.recording.calls import CallEnd

pytestmark = pytest.mark.unit

GCD = Program(source="def gcd(a, b):\n    return a\n\ndef other():\n    yield 1\n", name="gcd.py")


def of_json(tmp_path: Path, text: str, **options: Any) -> CheckSet:
    path = tmp_path / "t.json"
    path.write_text(text)
    return read_checks(GCD, path, **options)


def of_python(tmp_path: Path, text: str) -> CheckSet:
    path = tmp_path / "test_it.py"
    path.write_text(text)
    return read_checks(GCD, path)


@pytest.mark.parametrize("text", ["[[1, 0], 1]\n[[2, 0], 2]\n", "[[[1, 0], 1], [[2, 0], 2]]"])
def test_rows_are_calls(tmp_path: Path, text: str) -> None:
    found = of_json(tmp_path, text)
    assert [each.call for each in found.checks] == ["gcd(1, 0)", "gcd(2, 0)"]
    assert found.checks[1].passes(CallEnd("returned", "2"))
    assert not found.checks[1].passes(CallEnd("returned", "3"))
    assert not found.checks[1].passes(CallEnd("raised", "2"))


def test_one_row_alone_and_one_argument_alone(tmp_path: Path) -> None:
    assert [each.call for each in of_json(tmp_path, "[[1, 0], 1]").checks] == ["gcd(1, 0)"]
    assert [each.call for each in of_json(tmp_path, '["ab", [1]]').checks] == ["gcd('ab')"]


def test_a_generator_is_drained(tmp_path: Path) -> None:
    (found,) = of_json(tmp_path, "[[], [1]]", function="other").checks
    assert found.call == "list(other())"


@pytest.mark.parametrize("text", ["", "{}", "[1, 2, 3]", "not json", "[[1, 2, 3]]"])
def test_invalid_rows_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="neither rows"):
        of_json(tmp_path, text)


def test_a_function_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no function nope; it has gcd, other"):
        of_json(tmp_path, "[[1], 1]", function="nope")


@pytest.mark.parametrize(
    ("expected", "text", "loosely", "strictly"),
    [
        ([1, [2]], "[1, [2]]", True, True),
        ([1, 2], "(1, 2)", True, False),
        ((1, 2), "(1, 2)", True, True),
        (1, "True", False, False),
        (True, "1", False, False),
        (0.1, "0.10000000000000002", True, False),
        (2, "2.0", True, True),
        ("a'b", '"a\'b"', True, True),
        ({"1": [2]}, "{1: [2]}", True, True),
        ([[1], [1]], "[#1[1], #1]", True, True),
        (None, "None", True, True),
        ([], "None", False, False),
        (1.0, "nan", False, False),
        (1, "not a value", False, False),
    ],
)
def test_values_agree_as_values(expected: Any, text: str, loosely: bool, strictly: bool) -> None:
    assert is_expected(expected, text, loose=True) is loosely
    assert is_expected(expected, text, loose=False) is strictly


TESTS = """\
import pytest
from gcd import gcd

assert gcd(1, 0) == 1
assert gcd(1, 0) in (1, 2), "said"

@pytest.mark.parametrize("a, b", [(1, 2), (3, 4)])
def test_rows(a, b):
    assert gcd(a, b) == 1

def test_plain(k=1):
    assert gcd(1, 1) == 1

def test_fixture(tmp_path):
    pass

class TestIt:
    def test_method(self):
        assert gcd(2, 2) == 2
    def helper(self):
        pass

class Case(unittest.TestCase):
    def test_unit(self):
        self.assertEqual(gcd(1, 1), 1)

if __name__ == "__main__":
    pytest.main()
"""


def test_a_python_file_of_tests(tmp_path: Path) -> None:
    found = of_python(tmp_path, TESTS)
    assert [each.call for each in found.checks] == [
        "gcd(1, 0)", "bool(gcd(1, 0) in (1, 2))", "test_rows(a=1, b=2)", "test_rows(a=3, b=4)", "test_plain()",
        "TestIt().test_method()", "Case('test_unit').debug()",
    ]  # fmt: skip
    assert found.left_out == 1
    assert "assert gcd(1, 0) == 1" not in found.source
    assert "__main__" not in found.source
    assert found.source.count("\n") == TESTS.count("\n")
    assert found.checks[0] == RepairCheck(call="gcd(1, 0)", value=1, is_valued=True)
    batch = found.batch("changed", found.checks[:1], 1.0)
    assert dict(batch.files)["gcd.py"] == "changed"
    assert batch.name == "test_it.py"


def test_merged_text_keeps_line_numbers_of_the_program(tmp_path: Path) -> None:
    found = of_python(tmp_path, "from gcd import gcd\n\ndef test_a():\n    assert gcd(1, 0) == 1\n")
    alone = found.alone(GCD.source, found.checks[0])
    assert alone is not None
    assert alone.source.startswith(GCD.source)
    assert "import" not in alone.source
    aliased = of_python(tmp_path, "import gcd\ndef test_a():\n    assert gcd.gcd(1, 0) == 1\n")
    assert aliased.alone(GCD.source, aliased.checks[0]) is None


@pytest.mark.parametrize("text", ["x = 1\n", "def test_a(fixture):\n    pass\n", ""])
def test_file_without_tests_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="has no tests"):
        of_python(tmp_path, text)


def test_tests_that_are_no_python_or_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be parsed"):
        of_python(tmp_path, "def test(:\n")
    with pytest.raises(UsageError, match="cannot be read"):
        read_checks(GCD, tmp_path / "absent.py")
