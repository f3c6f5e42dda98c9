"""The assertions of a test file that are one equality, and the blanks in its rows of parameters.

These are `assert a == b`, `self.assertEqual(a, b)` and similar methods. `...` on one side is a blank to fill in, as is
one in a row of `parametrize`. The file is parsed; nothing in it is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from worldline.analyze.flow.control import syntax
from worldline.core.errors import UsageError

_EQUALS = {f"assert{kind}Equal" for kind in ("", "List", "Dict", "Set", "Tuple", "Sequence", "MultiLine")}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Expectation:
    """One equality: its place, the text of both sides, and whether a value is to be filled in."""

    line: int
    value: str  # the computed side, or the row of parameters
    wanted: str
    where: str = ""  # the function or method around it, if any
    blank: tuple[int, int] | None = None  # of `...`, in bytes
    span: tuple[int, int] = (0, 0)
    in_row: bool = False  # a blank among parameters, filled by what it is compared with

    @property
    def top(self) -> str:
        """The function or class at the top level around it, if any."""
        return self.where.partition(".")[0]


def find_expectations(source: str) -> list[Expectation]:
    """Find the asserted equalities and the blanks of a source, in order."""
    tree = syntax(source)
    if tree is None:
        raise UsageError("the tests cannot be parsed as Python")
    span = _spans(source)
    equalities = []
    for where, node in _statements(tree):
        if (sides := _sides(node)) is not None:
            left, right = sides
            blank = span(right) if _is_blank(right) else None
            equalities.append(Expectation(node.lineno, ast.unparse(left), ast.unparse(right), where, blank, span(node)))
        if isinstance(node, _Function | ast.ClassDef):
            equalities += [
                Expectation(item.lineno, ast.unparse(row), "...", where, span(item), span(item), in_row=True)
                for row, item in _blanks_of_rows(node)
            ]
    return sorted(equalities, key=lambda item: item.span)


def find_tests(source: str) -> list[str]:
    """List the top-level functions and classes that may hold tests, in order."""
    tree = syntax(source)
    return [
        node.name
        for node in ([] if tree is None else tree.body)
        if (isinstance(node, _Function) and node.name.startswith("test"))
        or (isinstance(node, ast.ClassDef) and (node.bases or node.name.startswith("Test")))
    ]


def _spans(source: str) -> Callable[[ast.expr | ast.stmt], tuple[int, int]]:
    """Return a function from a node to its span, in bytes."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return starts[node.lineno - 1] + node.col_offset, end

    return span


def _statements(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield every statement, with its top-level function or method."""
    for top in tree.body:
        name = top.name if isinstance(top, _Function | ast.ClassDef) else ""
        yield name, top
        for part in ast.iter_child_nodes(top):
            is_method = isinstance(top, ast.ClassDef) and isinstance(part, _Function)
            where = f"{name}.{part.name}" if is_method and isinstance(part, _Function) else name
            yield from ((where, node) for node in ast.walk(part) if isinstance(node, ast.stmt))


def _sides(node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Return the computed and the expected side; None if the statement is not a single equality."""
    pair = None
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
        if len(node.test.ops) == 1 and isinstance(node.test.ops[0], ast.Eq):
            pair = node.test.left, node.test.comparators[0]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        is_equal = isinstance(call.func, ast.Attribute) and call.func.attr in _EQUALS
        if is_equal and len(call.args) > 1 and not any(isinstance(argument, ast.Starred) for argument in call.args):
            pair = call.args[0], call.args[1]
    if pair is None:
        return None
    left, right = pair
    turned = (_is_blank(left) and not _is_blank(right)) or _computed_rank(left) < _computed_rank(right)
    return (right, left) if turned else (left, right)


def _is_blank(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _computed_rank(node: ast.expr) -> int:
    """Rank a side by how likely it is the computed one: a literal, a name, or a call."""
    if any(isinstance(part, ast.Call | ast.Await) for part in ast.walk(node)):
        return 2
    return int(any(isinstance(part, ast.Name) for part in ast.walk(node)))


def _blanks_of_rows(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each `...` in the rows of `parametrize`, with its row."""
    for call in node.decorator_list:
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        rows = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "argvalues")]
        if call.func.attr != "parametrize" or not rows or not isinstance(rows[0], ast.List | ast.Tuple):
            continue
        for row in rows[0].elts:
            yield from ((row, part) for part in ast.walk(row) if isinstance(part, ast.expr) and _is_blank(part))
