"""QuixBugs' own folder as programs to repair: each with its tests, and with the program that is right.

Rows of `json_testcases` where there are some, else the functions of `python_testcases`, whose choice between the two
versions of a program is replaced by the program under repair. Nothing of the folder is run here.
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

PROGRAMS, RIGHT, ROWS, TESTS = (
    "python_programs", "correct_python_programs", "json_testcases", "python_testcases",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BuggyProgram:
    """A program with a bug, its tests, and the source that is right."""

    name: str
    program: Program
    tests: CheckSet
    right: str
    has_rows: bool


def read_quixbugs(folder: str | Path) -> list[BuggyProgram]:
    """Every program of the folder, by name; UsageError where it is not QuixBugs'."""
    root = Path(folder)
    if not all((root / each).is_dir() for each in (PROGRAMS, RIGHT, ROWS, TESTS)):
        raise UsageError(
            f"{root} is not QuixBugs' folder: it has {PROGRAMS}, {RIGHT}, {ROWS} and {TESTS}, as in "
            "https://github.com/jkoppel/QuixBugs"
        )
    found = []
    for path in sorted((root / PROGRAMS).glob("*.py")):
        is_tested = (root / ROWS / f"{path.stem}.json").is_file() or (
            root / TESTS / f"test_{path.stem}.py"
        ).is_file()
        if is_tested and (root / RIGHT / path.name).is_file():
            found.append(_read(root, path))
    return found


def _read(root: Path, path: Path) -> BuggyProgram:
    program = Program(source=path.read_text("utf-8"), name=path.name)
    rows = root / ROWS / f"{path.stem}.json"
    if rows.is_file():
        tests = read_checks(program, rows, function=path.stem)
    else:
        told = (root / TESTS / f"test_{path.stem}.py").read_text("utf-8")
        node = root / TESTS / "node.py"
        files = (("node.py", node.read_text("utf-8")),) if node.is_file() else ()
        beside = Program(source=program.source, name=program.name, files=files)
        tests = checks_from_python(beside, of_one_version(told, path.stem), f"test_{path.stem}.py")
    right = (root / RIGHT / path.name).read_text("utf-8")
    return BuggyProgram(name=path.stem, program=program, tests=tests, right=right, has_rows=rows.is_file())


def of_one_version(source: str, name: str) -> str:
    """A test file without pytest's choice between two versions: it imports the program under repair."""
    lines = source.split("\n")
    for node in ast.parse(source).body:
        last = node.end_lineno or node.lineno
        blank = [""] * (last - node.lineno)
        if isinstance(node, ast.Import) and [each.name for each in node.names] == ["pytest"]:
            lines[node.lineno - 1 : last] = ["", *blank]
        elif isinstance(node, ast.If) and "use_correct" in ast.unparse(node.test):
            lines[node.lineno - 1 : last] = [f"from {name} import {name}", *blank]
    return "\n".join(lines)
