"""Reads REval's two files: programs with their inputs, and the lines and names that are asked about.

A program of HumanEval is called with the input. A program of ClassEval gets the first test of a test class as a
function after its source, so that its lines keep their numbers. The test's `setUp` is executed before the recording, as
in the benchmark. The function returns what the test's assertions are about. Nothing is executed here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.rows import read_objects
from worldline.evaluation.suites.crux import ended, literal
from worldline.evaluation.suites.reval.questions import LineQuestion

PROGRAMS, QUESTIONS = "DREval_data.jsonl", "DREval_tasks.jsonl"
HUMANEVAL, CLASSEVAL = "HumanEval", "ClassEval"
ASSERTIONS = (
    "assertEqual",
    "assertNotEqual",
    "assertAlmostEqual",
    "assertTrue",
    "assertFalse",
    "assertIsNone",
    "assertIsNotNone",
    "assertIn",
    "assertNotIn",
)
CALL = "run_test()"


@dataclass(frozen=True, kw_only=True)
class RevalCase:
    """One program with one input, and the questions about it.

    Attributes:
        problem: The benchmark's name of the program, which several inputs share.
        origin: `HumanEval` or `ClassEval`.
        output: The file's own output as canonical text; None if it has none.
        last_line: The last line of the benchmark's source; a test function may follow.
    """

    problem: str
    number: int
    origin: str
    program: Program
    questions: tuple[LineQuestion, ...]
    output: str | None
    last_line: int


def read_cases(data: str | Path) -> list[RevalCase]:
    """Read every program with every input that has questions, in the order of the file.

    A test that asserts anything else than values, such as `assertRaises`, is left out.

    Args:
        data: The folder of the two files, a clone of the repository, or one of the files.

    Raises:
        UsageError: A file is missing or damaged, or a question is about an input that does not exist.
    """
    folder = _folder(Path(data))
    path = folder / QUESTIONS
    problems = {row["task_id"]: row for _, row in read_objects(folder / PROGRAMS, ("task_id", "entry_point", "code"))}
    cases = []
    for place, row in read_objects(path, ("task_id",)):
        problem = problems.get(row["task_id"])
        if problem is None:
            raise UsageError(f"{path}, {place}: {PROGRAMS} has no program {row['task_id']}")
        try:
            cases += [case for part in row["tasks"] if (case := _case(problem, part)) is not None]
        except (KeyError, IndexError, TypeError, ValueError, SyntaxError) as error:
            raise UsageError(f"{path}, {place} ({row['task_id']}) cannot be read: {error!r}") from None
    return cases


def _folder(data: Path) -> Path:
    for folder in (data, data / "data", data.parent):
        if (folder / PROGRAMS).is_file() and (folder / QUESTIONS).is_file():
            return folder
    raise UsageError(
        f"{data} does not have {PROGRAMS} and {QUESTIONS}: pass the folder `data` of https://github.com/r-eval/REval"
    )


def _case(problem: dict[str, Any], part: dict[str, Any]) -> RevalCase | None:
    number = int(part["input_idx"])
    source = ended(problem["code"])
    is_function = problem["test"] is None
    program = _function_call(problem, source, number) if is_function else _class_test(problem, source, number)
    if program is None:
        return None
    return RevalCase(
        problem=problem["task_id"],
        number=number,
        origin=HUMANEVAL if is_function else CLASSEVAL,
        program=program,
        questions=tuple(LineQuestion(int(question["lineno"]), str(question["var"])) for question in part["task"]),
        output=literal(problem["outputs"][number]) if is_function else None,
        last_line=source.count("\n"),
    )


def _function_call(problem: dict[str, Any], source: str, number: int) -> Program:
    """The program with its call; an input is the text of a tuple."""
    return Program(source=source, call=problem["entry_point"] + problem["inputs"][number])


def _class_test(problem: dict[str, Any], source: str, number: int) -> Program | None:
    """The program with one of its tests as a function; None if the test cannot be written in this way."""
    module = ast.parse(problem["test"])
    pattern = re.compile(f"{re.escape(problem['entry_point'])}Test")
    tests = {node.name: node for node in module.body if isinstance(node, ast.ClassDef) and pattern.match(node.name)}
    methods = {node.name: node for node in list(tests.values())[number].body if isinstance(node, ast.FunctionDef)}
    first = next(method for name, method in methods.items() if name.startswith("test"))
    body, answers = _written_test(first.body)
    if not answers or any("self.assert" in line for line in body):
        return None
    lines = [ast.unparse(node) for node in module.body if _is_needed_import(node)]
    if "setUp" in methods:
        lines += ["class Fixture:", "    pass", "self = Fixture()", *map(ast.unparse, methods["setUp"].body)]
    lines += ["def run_test():", *_indented(body), f"    return {', '.join(answers)}"]
    return Program(source=source + "\n".join(lines) + "\n", call=CALL)


def _is_needed_import(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name != "unittest" for alias in node.names)
    return isinstance(node, ast.ImportFrom)


def _written_test(body: Sequence[ast.stmt]) -> tuple[list[str], list[str]]:
    """The lines of a test without its assertions, and the names of the values that they are about."""
    lines, answers = list[str](), list[str]()
    for statement in body:
        values = _asserted(statement)
        if values is None:
            lines += ast.unparse(_WithoutAssertions().visit(statement)).split("\n")
            continue
        for value in values:
            answers.append(f"answer{len(answers) + 1}")
            lines.append(f"{answers[-1]} = {ast.unparse(value)}")
    return lines, answers


def _asserted(statement: ast.stmt) -> list[ast.expr] | None:
    """The values that an assertion is about: its arguments that are not literals. None for other statements."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr not in ASSERTIONS or ast.unparse(call.func.value) != "self":
        return None
    return [argument for argument in call.args if not _is_literal(argument)]


class _WithoutAssertions(ast.NodeTransformer):
    """Replaces the assertions inside of a loop or condition by the values that they are about."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        values = _asserted(node)
        if values is None:
            return node
        return [ast.Expr(value=value) for value in values] or ast.Pass()


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _indented(lines: Sequence[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
