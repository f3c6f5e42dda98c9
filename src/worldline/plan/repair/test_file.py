"""A Python file of tests as checks: functions and methods `test*`, rows of `parametrize`, assertions that stand alone.

The file is read, never run here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from worldline.analyze.rewrite.names import FunctionNode
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.plan.repair.edits.parsed import ParsedSource


def of_python(program: Program, source: str, file: str) -> CheckSet:
    """Functions and methods `test*`, and assertions that stand alone."""
    tree = ParsedSource(source, file).tree
    checks, left_out = list[RepairCheck](), 0
    for node in tree.body:
        if isinstance(node, FunctionNode) and node.name.startswith("test"):
            from_function = list(_of_function(node))
            left_out += not from_function
            checks += from_function
        elif isinstance(node, ast.ClassDef):
            checks += _of_class(node)
        elif isinstance(node, ast.Assert):
            checks.append(_of_assertion(node))
    if not checks:
        why = "; those it has take fixtures, which nobody gives them here" if left_out else ""
        raise UsageError(
            f"{file} has no tests: functions test_*, methods of a Test class, or assertions{why}"
        )
    stripped = _without_assertions(source, tree)
    return CheckSet(
        name=program.name,
        checks=tuple(checks),
        files=program.files,
        source=stripped,
        file=file,
        left_out=left_out,
    )


def _of_function(node: FunctionNode, owner: str = "") -> Iterator[RepairCheck]:
    """The calls of a test: one, or one for each row of literals that `parametrize` lists; none if it wants fixtures."""
    names = [parameter.arg for parameter in node.args.args][1 if owner else 0 :]
    needed = names[: len(names) - len(node.args.defaults)] if node.args.defaults else names
    called = f"{owner}.{node.name}" if owner else node.name
    for keywords in _parametrized(node):
        if set(needed) <= keywords.keys() <= set(names):
            arguments = ", ".join(f"{name}={text}" for name, text in keywords.items())
            yield RepairCheck(call=f"{called}({arguments})")


def _parametrized(node: FunctionNode) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = [{}]
    for decorator in node.decorator_list:
        is_call = isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute)
        if not (is_call and isinstance(decorator, ast.Call) and decorator.func.attr == "parametrize"):  # type: ignore[attr-defined]
            continue
        new_rows = _row_texts(decorator)
        rows = [{**row, **more} for more in new_rows for row in rows]
    return rows


def _row_texts(decorator: ast.Call) -> list[dict[str, str]]:
    try:
        names, rows = decorator.args
        name_list = ast.literal_eval(names)
    except (ValueError, TypeError, SyntaxError):
        return []
    parts = [part.strip() for part in name_list.split(",")] if isinstance(name_list, str) else list(name_list)
    if not isinstance(rows, ast.List | ast.Tuple):
        return []
    texts = list[dict[str, str]]()
    for row in rows.elts:
        values = row.elts if len(parts) > 1 and isinstance(row, ast.Tuple | ast.List) else [row]
        if len(values) == len(parts):
            texts.append(dict(zip(parts, map(ast.unparse, values), strict=True)))
    return texts


def _of_class(node: ast.ClassDef) -> Iterator[RepairCheck]:
    """The methods of a class of tests: unittest's run as it runs them, others on a fresh object."""
    is_unittest = any("TestCase" in ast.unparse(base) for base in node.bases)
    for method in node.body:
        if not isinstance(method, FunctionNode) or not method.name.startswith("test"):
            continue
        if is_unittest:
            yield RepairCheck(call=f"{node.name}({method.name!r}).debug()")
        elif node.name.startswith("Test"):
            yield from _of_function(method, f"{node.name}()")


def _of_assertion(node: ast.Assert) -> RepairCheck:
    """`assert f(1) == 2` as the call and its value; any other one as whether it holds."""
    test = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        try:
            value = ast.literal_eval(test.comparators[0])
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            value = ...
        if isinstance(test.left, ast.Call) and isinstance(
            value, int | float | str | list | tuple | dict | None
        ):
            return RepairCheck(call=ast.unparse(test.left), value=value, is_valued=True)
    return RepairCheck(call=f"bool({ast.unparse(test)})", value=True, is_valued=True)


def _without_assertions(source: str, tree: ast.Module) -> str:
    """A test file without assertions that stand alone and what only a script runs; lines keep their numbers."""
    lines = source.split("\n")
    for node in tree.body:
        is_main = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        if isinstance(node, ast.Assert) or is_main:
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = ["pass", *[""] * (last - node.lineno)]
    return "\n".join(lines)
