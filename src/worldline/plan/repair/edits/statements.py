"""Edits of whole statements: insert, drop, move, swap, or rebind a container."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from worldline.analyze.rewrite.names import FunctionNode
from worldline.plan.repair.edits.parsed import NUMBERS, NamesInScope, ParsedSource, SpanEdit

_BLOCKS = ("body", "orelse", "finalbody")
_REBINDING = frozenset({"update", "extend", "append", "add"})


def statements(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Edit the blocks of a node, and one statement."""
    if isinstance(node, ast.Expr):
        yield from _rebind(code, node)
    for field in _BLOCKS:
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield from _block_edits(code, node, block, scope)


def _block_edits(code: ParsedSource, owner: ast.AST, block: list[ast.stmt], scope: NamesInScope) -> Iterator[SpanEdit]:
    if not all(_is_alone(code, statement) for statement in block):
        return
    for statement in block:
        if not isinstance(statement, FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
            yield code.replace(statement, "pass", "drop statement")
    for left, right in pairwise(block):
        if not isinstance(right, FunctionNode) and not isinstance(left, FunctionNode):
            yield _exchange(code, left, right)
    if isinstance(owner, ast.For | ast.While | ast.If) and len(block) > 1:
        yield from _dedent(code, owner, block[-1])
    yield from _insert(code, owner, block, scope)


def _is_alone(code: ParsedSource, statement: ast.stmt) -> bool:
    """Whether a statement has its lines for itself."""
    start, end = code.span(statement)
    first = code.line_start(statement.lineno)
    last = code.line_end(statement.end_lineno or statement.lineno)
    after = code.source[end:last].strip()
    return not code.source[first:start].strip() and (not after or after.startswith("#"))


def _exchange(code: ParsedSource, left: ast.stmt, right: ast.stmt) -> SpanEdit:
    start, middle = code.span(left)
    again, end = code.span(right)
    text = code.source[again:end] + code.source[middle:again] + code.source[start:middle]
    return SpanEdit(start, end, text, "move", left.lineno, right.end_lineno or right.lineno)


def _dedent(code: ParsedSource, owner: ast.stmt, statement: ast.stmt) -> Iterator[SpanEdit]:
    """Move the last statement of a block after the block."""
    if getattr(owner, "orelse", None) or statement.end_lineno != statement.lineno:
        return
    start = code.line_start(statement.lineno)
    indent = " " * (owner.col_offset)
    end = code.line_end(statement.lineno)
    yield SpanEdit(start, end, indent + code.source[start:end].lstrip(), "move", *code.reach(statement))


def _insert(code: ParsedSource, owner: ast.AST, block: list[ast.stmt], scope: NamesInScope) -> Iterator[SpanEdit]:
    """Insert a statement before each statement, and after the last."""
    start, _ = code.span(block[0])
    indent = code.source[code.line_start(block[0].lineno) : start]
    new_statements = list(_new_statements(owner, scope))
    for statement in block:
        line = min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", []))])
        at = code.line_start(line)
        for text in new_statements:
            yield SpanEdit(at, at, f"{indent}{text}{code.newline}", "insert", *code.reach(statement))
    last = block[-1].end_lineno or block[-1].lineno
    at = code.line_end(last)
    if not isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break):
        for text in new_statements:
            yield SpanEdit(at, at, f"{code.newline}{indent}{text}", "insert", block[0].lineno, last)


def _new_statements(owner: ast.AST, scope: NamesInScope) -> Iterator[str]:
    for holder, method in scope.containers:
        for name in scope.names:
            if name != holder:
                yield f"{holder}.{method}({name})"
    for name in scope.names:
        for other in scope.names:
            if name != other and scope.may_be_alike(name, other):
                yield f"{name} = {other}"
    for name in scope.names:
        if scope.may_be(name, NUMBERS):
            yield f"{name} += 1"
        yield f"return {name}"
    if isinstance(owner, ast.For | ast.While | ast.If):
        yield "break"
        yield "continue"


def _rebind(code: ParsedSource, node: ast.Expr) -> Iterator[SpanEdit]:
    """Turn `a.update(b)` into `a = b`."""
    call = node.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) == 1):
        return
    if call.func.attr in _REBINDING and re.match(r"[^\W\d]", code.text(call.func.value)):
        target, value = code.text(call.func.value), code.text(call.args[0])
        yield code.replace(node, f"{target} = {value}", "rebind")
        yield code.replace(node, f"{target} = {target} + {value}", "rebind")
