"""The expressions of a failing statement whose values explain it: the sides of a comparison, or what it reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from worldline.diagnose.failure.evaluation import Evaluation, called_name, own_expressions
from worldline.diagnose.failure.value_keys import literal

MAX_VALUES = 6
#: Methods and functions of assertion libraries, by their name: `assertEqual`, `assert_allclose`.
_ASSERTING = re.compile(r"assert_?[A-Za-z]\w*\Z")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "warns")
#: pytest writes `assert 4 == 5`, then lines that start with ` + where`; unittest writes `4 != 5`.
_COMPARED = re.compile(r"(?:AssertionError: )?(?:assert )?(.*)", re.DOTALL)


def asserted_nodes(statement: ast.stmt) -> tuple[list[ast.expr], bool]:
    """Return the expressions that explain a failing statement, and whether two of them should be equal."""
    if isinstance(statement, ast.Assert):
        return _tested(statement.test)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if _ASSERTING.match(called_name(call)):
            is_equal = "equal" in called_name(call).lower() and "not" not in called_name(call).lower()
            size = 2 if len(call.args) > 1 and not re.search("True|False|None", called_name(call)) else 1
            return list(call.args[:size]), is_equal and size == 2
    if isinstance(statement, ast.With | ast.AsyncWith) and expects_exception(statement):
        calls = (next(_calls(item), None) for item in reversed(statement.body))
        return [call for call in calls if call is not None][:1], False
    return [node for root in own_expressions(statement) for node in read_by(root)], False


def is_assertion(statement: ast.stmt) -> bool:
    """Tell whether a statement is `assert`, or a call of an assertion library."""
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return isinstance(statement, ast.Assert) or (
        is_call and bool(_ASSERTING.match(called_name(statement.value)))  # type: ignore[attr-defined]
    )


def expects_exception(statement: ast.stmt) -> bool:
    """Tell whether a statement is `with pytest.raises(...)` or the like."""
    calls = [part for root in own_expressions(statement) for part in ast.walk(root) if isinstance(part, ast.Call)]
    return isinstance(statement, ast.With | ast.AsyncWith) and any(called_name(call) in _RAISES for call in calls)


def _tested(test: ast.expr) -> tuple[list[ast.expr], bool]:
    if isinstance(test, ast.Compare):
        is_equal = len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is)
        return [test.left, *test.comparators], is_equal
    if isinstance(test, ast.BoolOp):
        return [node for part in test.values for node in _tested(part)[0]], False
    if isinstance(test, ast.UnaryOp):
        return _tested(test.operand)
    if isinstance(test, ast.Call) and called_name(test) in ("isinstance", "all", "any", "bool", "hasattr", "approx"):
        return [test, *test.args[:1]], False
    return [test], False


def read_by(root: ast.AST) -> list[ast.expr]:
    """Return the names, attributes and items that an expression reads, each once; what is looked up comes first."""
    nodes: dict[str, ast.expr] = {}
    called = {part.func for part in ast.walk(root) if isinstance(part, ast.Call)}
    for part in _indexes_first(root):
        is_read = isinstance(part, ast.Name | ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Load)
        if is_read and part not in called and isinstance(part, ast.expr):
            nodes.setdefault(ast.unparse(part), part)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            nodes.setdefault(ast.unparse(part.func.value), part.func.value)
    return list(nodes.values())


def _indexes_first(root: ast.AST) -> list[ast.AST]:
    """The nodes of an expression, what is looked up before what it is looked up in."""
    parts = list(ast.walk(root))
    indexes = [part for node in parts if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)]
    return [*indexes, *parts]


def _calls(statement: ast.stmt) -> Iterator[ast.expr]:
    """The outermost call of a statement."""
    yield from (part for part in ast.walk(statement) if isinstance(part, ast.Call))


def printed_sides(exception: str, count: int) -> list[str | None]:
    """Return the values that pytest's message has for the sides of a comparison, where they are literals."""
    first = exception.split("\n", 1)[0]
    match = _COMPARED.match(first)
    tree = None
    if match is not None:
        try:
            tree = ast.parse(match[1], mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            tree = None
    sides = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
    if len(sides) != count:
        return [None] * count
    return [literal(ast.unparse(side)) for side in sides]


def is_literal(evaluation: Evaluation, node: ast.expr) -> bool:
    """Tell whether an expression is written as its value: it reads no name and calls nothing recorded."""
    parts = list(ast.walk(node))
    return not any(isinstance(part, ast.Name) or part in evaluation.calls for part in parts)
