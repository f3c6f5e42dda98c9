"""Edits that build what the source does not have yet: first values, expressions, copied statements, guards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import permutations

from worldline.analyze.rewrite.names import FunctionNode
from worldline.plan.repair.edits.operators import is_value
from worldline.plan.repair.edits.parsed import (
    NUMBERS,
    SEQUENCES,
    SIZED,
    NamesInScope,
    ParsedSource,
    SpanEdit,
    own_nodes,
)

MAX_COPIED_CHARACTERS = 60  # of a statement that is copied
MAX_NAMES = 8  # of a function, for expressions of two names
_FIRST_VALUES = ("0", "1", "-1", "None", "True", "False", "''", "[]", "{}", "set()")
_INFINITIES = ("float('inf')", "float('-inf')")
_EMPTY_RETURNS = ("0", "None", "[]", "''", "False", "True", "-1", "{}")
_PAIRS = ("{} + {}", "{} - {}", "{} * {}", "{} // {}", "{} % {}")
_TESTS = ("{} == {}", "{} != {}", "{} < {}", "{} <= {}", "{} in {}")
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try)


def first_values(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Start a name with another value."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or not _is_first_value(node.value):
        return
    if not isinstance(node.targets[0] if isinstance(node, ast.Assign) else node.target, ast.Name):
        return
    items = [f"{name}[0]" for name in _known(scope, SEQUENCES)]
    for text in (*_FIRST_VALUES, *_INFINITIES, *items, *(f"len({name})" for name in _known(scope, SIZED))):
        yield code.replace(node.value, text, "first value")


def _is_first_value(value: ast.expr) -> bool:
    """Whether a value looks like the first of an accumulator."""
    if isinstance(value, ast.Constant | ast.Name | ast.Subscript | ast.UnaryOp):
        return True
    is_empty = isinstance(value, ast.List | ast.Tuple) and not value.elts
    return is_empty or (isinstance(value, ast.Dict) and not value.keys) or isinstance(value, ast.Call)


def expressions(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Replace a constant by an expression of the function, or by one that joins its names."""
    if not isinstance(node, ast.Constant) or not is_value(code, node):
        return
    built = _tests(scope) if isinstance(node.value, bool) else _numbers(scope)
    for text in (*scope.donors, *(built if isinstance(node.value, bool | int | float) else ())):
        yield code.replace_fitting(node, text, "expression")


def _numbers(scope: NamesInScope) -> Iterator[str]:
    for name in _known(scope, SIZED):
        yield f"len({name})"
    for name in _known(scope, SEQUENCES):
        yield from (f"{name}[0]", f"{name}[-1]")
    numbers = _known(scope, NUMBERS)
    for name in numbers:
        yield from (f"{name} + 1", f"{name} - 1", f"-{name}")
    for left, right in permutations(numbers, 2):
        yield from (pair.format(left, right) for pair in _PAIRS)
    for name in _known(scope, SEQUENCES):
        yield from (f"{name}[{place}]" for place in numbers)


def _tests(scope: NamesInScope) -> Iterator[str]:
    for left, right in permutations(scope.names[:MAX_NAMES], 2):
        for test in _TESTS:
            may_hold = scope.may_be(right, SIZED) if " in " in test else scope.may_be_alike(left, right)
            if may_hold:
                yield test.format(left, right)


def _known(scope: NamesInScope, kinds: frozenset[str]) -> list[str]:
    """Return the names that held values of these kinds in the failing run."""
    return [name for name in scope.names if not kinds.isdisjoint(scope.kinds.get(name, ()))][:MAX_NAMES]


def copied_statements(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Copy a simple statement of the function to the start of a loop, behind a block, or to the end of one."""
    if not isinstance(node, (FunctionNode, *_COMPOUND)) or isinstance(node, ast.Try):
        return
    copies = _copies(code, node)
    for block in (node.body, getattr(node, "orelse", [])):
        if block and block[0].lineno > node.lineno:
            yield from _insert_copies(code, node, block, copies)


def _copies(code: ParsedSource, node: ast.AST) -> list[tuple[str, tuple[str, ...]]]:
    """Return the simple statements of the function around a node, each with the names that it reads."""
    owner: ast.AST | None = node
    while owner is not None and not isinstance(owner, FunctionNode):
        owner = code.parents.get(owner)
    copies = dict[str, tuple[str, ...]]()
    for inner in own_nodes(owner) if owner is not None else ():
        if not isinstance(inner, _SIMPLE) or (isinstance(inner, ast.Expr) and not isinstance(inner.value, ast.Call)):
            continue
        text = code.text(inner)
        if len(text) <= MAX_COPIED_CHARACTERS and "\n" not in text:
            names = (n.id for n in ast.walk(inner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
            copies.setdefault(text, tuple(dict.fromkeys(names)))
    return list(copies.items())


def _insert_copies(
    code: ParsedSource, owner: ast.AST, block: list[ast.stmt], copies: list[tuple[str, tuple[str, ...]]]
) -> Iterator[SpanEdit]:
    indent = _indent(code, block[0])
    if isinstance(owner, ast.For | ast.While):
        at = code.line_start(block[0].lineno)
        for text, _ in copies:
            yield SpanEdit(at, at, f"{indent}{text}{code.newline}", "copied statement", *code.reach(block[0]))
    for statement in block:
        is_end = statement is block[-1] and not isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break)
        if not isinstance(statement, _COMPOUND) and not is_end:
            continue
        at = code.line_end(statement.end_lineno or statement.lineno)
        first, last = block[0].lineno, statement.end_lineno or statement.lineno
        for text, names in copies:
            yield SpanEdit(at, at, f"{code.newline}{indent}{text}", "copied statement", first, last)
            for name in names:
                guarded = f"{code.newline}{indent}if {name}:{code.newline}{indent}    {text}"
                yield SpanEdit(at, at, guarded, "copied statement", first, last)


def _indent(code: ParsedSource, statement: ast.stmt) -> str:
    return code.source[code.line_start(statement.lineno) : code.span(statement)[0]]


def guards(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Return early from a function for an empty, missing or small argument."""
    if not isinstance(node, FunctionNode) or node.body[0].lineno == node.lineno:
        return
    arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args) if argument.arg != "self"]
    body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
    at, indent = code.line_start(body[0].lineno), _indent(code, body[0])
    for name in arguments:
        tests = [f"not {name}", *([f"{name} < 0", f"{name} <= 1"] if scope.may_be(name, NUMBERS) else [])]
        for test in tests:
            for value in (*_EMPTY_RETURNS, name):
                text = f"{indent}if {test}:{code.newline}{indent}    return {value}{code.newline}"
                yield SpanEdit(at, at, text, "guard", *code.reach(body[0]))
