"""Reads QuixBugs' folder: buggy programs with their tests and the right versions.

The tests are the rows of `json_testcases` or, if there are none, the functions of `python_testcases`, whose switch
between two versions is replaced by the program under repair. Nothing is executed.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.repair.checks import CheckSet
from worldline.plan.repair.rows import read_checks
from worldline.plan.repair.test_file import checks_from_python

PROGRAMS, RIGHT = "python_programs", "correct_python_programs"
ROWS, TESTS = "json_testcases", "python_testcases"


@dataclass(frozen=True, kw_only=True)
class BuggyProgram:
    """A program with a bug, its tests, and the right source."""

    name: str
    program: Program
    tests: CheckSet
    right: str
    has_rows: bool


def read_quixbugs(folder: str | Path) -> list[BuggyProgram]:
    """Read every program of the folder, by name.

    Raises:
        UsageError: The folder is not QuixBugs'.
    """
    root = Path(folder)
    if not all((root / name).is_dir() for name in (PROGRAMS, RIGHT, ROWS, TESTS)):
        raise UsageError(
            f"{root} is not QuixBugs' folder: it lacks one of {PROGRAMS}, {RIGHT}, {ROWS} and {TESTS}. Clone "
            "https://github.com/jkoppel/QuixBugs"
        )
    programs = []
    for path in sorted((root / PROGRAMS).glob("*.py")):
        tests = (root / ROWS / f"{path.stem}.json", root / TESTS / f"test_{path.stem}.py")
        if any(test.is_file() for test in tests) and (root / RIGHT / path.name).is_file():
            programs.append(_read(root, path))
    return programs


def _read(root: Path, path: Path) -> BuggyProgram:
    program = Program(source=path.read_text("utf-8"), name=path.name)
    rows = root / ROWS / f"{path.stem}.json"
    if rows.is_file():
        tests = read_checks(program, rows, function=path.stem)
    else:
        test_source = (root / TESTS / f"test_{path.stem}.py").read_text("utf-8")
        node = root / TESTS / "node.py"
        files = (("node.py", node.read_text("utf-8")),) if node.is_file() else ()
        with_files = Program(source=program.source, name=program.name, files=files)
        tests = checks_from_python(with_files, of_one_version(test_source, path.stem), f"test_{path.stem}.py")
    right = (root / RIGHT / path.name).read_text("utf-8")
    return BuggyProgram(name=path.stem, program=program, tests=tests, right=right, has_rows=rows.is_file())


def of_one_version(source: str, name: str) -> str:
    """Return a test file without the switch between two versions: it imports the program under repair."""
    lines = source.split("\n")
    for node in ast.parse(source).body:
        last = node.end_lineno or node.lineno
        blank = [""] * (last - node.lineno)
        if isinstance(node, ast.Import) and [alias.name for alias in node.names] == ["pytest"]:
            lines[node.lineno - 1 : last] = ["", *blank]
        elif isinstance(node, ast.If) and "use_correct" in ast.unparse(node.test):
            lines[node.lineno - 1 : last] = [f"from {name} import {name}", *blank]
    return "\n".join(lines)
