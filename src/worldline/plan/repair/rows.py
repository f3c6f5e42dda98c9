"""Tests read from a file: rows of [input, output] in JSON, as QuixBugs has, or a Python file of tests."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.analyze.rewrite.names import FunctionNode
from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.core.program import Program
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.plan.repair.edits.parsed import ParsedSource, own_nodes
from worldline.plan.repair.test_file import checks_from_python
from worldline.recording.collect import decode
from worldline.storage.inputs import MAX_SOURCE_BYTES, read_input


def read_checks(program: Program, tests: str | Path, *, function: str | None = None) -> CheckSet:
    """Read the tests of a file; UsageError if they are not tests."""
    path = Path(tests)
    try:
        data = read_input(path, limit=MAX_SOURCE_BYTES)
    except OSError as error:
        raise UsageError(f"the tests cannot be read: {error}") from None
    if path.suffix == ".py":
        return checks_from_python(program, decode(data, str(path)), path.name)
    return checks_from_rows(
        program, _read_rows(data, path.name), function or Path(program.name).stem, is_explicit=function is not None
    )


def _read_rows(data: bytes, name: str) -> list[Any]:
    """Read a JSON array of rows, or one row per line."""
    message = f"{name} is neither rows of [input, output] in JSON nor a .py file of tests"
    lines = [line for line in data.splitlines() if line.strip()]
    try:
        whole = parse_external_json(data)
        rows = [whole] if len(lines) == 1 and _is_row(whole) and not _is_rows(whole) else whole
    except ValueError:
        try:
            rows = [parse_external_json(line) for line in lines]
        except ValueError:
            raise UsageError(message) from None
    if not isinstance(rows, list) or not rows or not all(_is_row(row) for row in rows):
        raise UsageError(message)
    return rows


def _is_row(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2


def _is_rows(rows: Any) -> bool:
    return all(_is_row(row) for row in rows)


def checks_from_rows(program: Program, rows: Sequence[Any], function: str, *, is_explicit: bool = True) -> CheckSet:
    """Turn rows of [input, output] into calls of a function; an input that is not a list is one argument."""
    defined = {
        node.name: node
        for node in ParsedSource(program.source, program.name).tree.body
        if isinstance(node, FunctionNode)
    }
    if function not in defined and not is_explicit and len(defined) == 1:
        function = next(iter(defined))
    if function not in defined:
        known = ", ".join(defined) or "none"
        raise UsageError(f"{program.name} has no function {function}; it has {known}: pass one with --function")
    wrap = "list({})" if _yields(defined[function]) else "{}"
    checks = tuple(
        RepairCheck(call=wrap.format(_call(function, arguments)), value=value, is_valued=True, loose=True)
        for arguments, value in rows
    )
    return CheckSet(name=program.name, checks=checks, files=program.files)


def _call(function: str, arguments: Any) -> str:
    values = arguments if isinstance(arguments, list) else [arguments]
    return f"{function}({', '.join(map(repr, values))})"


def _yields(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))


def with_preferences(tests: CheckSet, expressions: Sequence[str]) -> CheckSet:
    """Add expressions that must be true of the program; UsageError if one is not an expression."""
    for text in expressions:
        try:
            ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise UsageError(f"--prefer takes a Python expression such as 'f(2) == 4', not {text!r}") from None
    added = (RepairCheck(call=text, value=True, is_valued=True, in_program=True) for text in expressions)
    return replace(tests, checks=(*tests.checks, *added))
