"""Read a Python test file as checks: functions and methods `test*`, rows of `parametrize`, top-level assertions.

The file is parsed, never executed here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from worldline.analyze.rewrite.names import FunctionNode
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.plan.repair.edits.parsed import ParsedSource


def checks_from_python(program: Program, source: str, file: str) -> CheckSet:
    """Read functions and methods `test*`, and top-level assertions."""
    tree = ParsedSource(source, file).tree
    checks, left_out = list[RepairCheck](), 0
    for node in tree.body:
        if isinstance(node, FunctionNode) and node.name.startswith("test"):
            from_function = list(_function_checks(node))
            left_out += not from_function
            checks += from_function
        elif isinstance(node, ast.ClassDef):
            checks += _class_checks(node)
        elif isinstance(node, ast.Assert):
            checks.append(_assertion_check(node))
    if not checks:
        why = "; its tests need fixtures, which are not supported" if left_out else ""
        raise UsageError(f"{file} has no tests (functions test_*, methods of a Test class, or assertions){why}")
    stripped = _without_assertions(source, tree)
    return CheckSet(
        name=program.name, checks=tuple(checks), files=program.files, source=stripped, file=file, left_out=left_out
    )


def _function_checks(node: FunctionNode, owner: str = "") -> Iterator[RepairCheck]:
    """Yield the calls of a test: one, or one per row of `parametrize`; none if it needs fixtures."""
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


def _class_checks(node: ast.ClassDef) -> Iterator[RepairCheck]:
    """Yield the methods of a test class: run by unittest, or on a new object."""
    is_unittest = any("TestCase" in ast.unparse(base) for base in node.bases)
    for method in node.body:
        if not isinstance(method, FunctionNode) or not method.name.startswith("test"):
            continue
        if is_unittest:
            yield RepairCheck(call=f"{node.name}({method.name!r}).debug()")
        elif node.name.startswith("Test"):
            yield from _function_checks(method, f"{node.name}()")


def _assertion_check(node: ast.Assert) -> RepairCheck:
    """Turn `assert f(1) == 2` into a call and its value; others into whether they hold."""
    test = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        try:
            value = ast.literal_eval(test.comparators[0])
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            value = ...
        if isinstance(test.left, ast.Call) and isinstance(value, int | float | str | list | tuple | dict | None):
            return RepairCheck(call=ast.unparse(test.left), value=value, is_valued=True)
    return RepairCheck(call=f"bool({ast.unparse(test)})", value=True, is_valued=True)


def _without_assertions(source: str, tree: ast.Module) -> str:
    """Remove top-level assertions and the `__main__` block; line numbers stay."""
    lines = source.split("\n")
    for node in tree.body:
        is_main = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        if isinstance(node, ast.Assert) or is_main:
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = ["pass", *[""] * (last - node.lineno)]
    return "\n".join(lines)
