"""Edits of operators and operands: another operator, swapped, dropped, off by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from worldline.plan.repair.edits.parsed import NUMBERS, NamesInScope, ParsedSource, SpanEdit

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
}
_BITS: dict[type[ast.operator], str] = {
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_ORDER: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_OPPOSITES: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.Add)  # `+` of texts and lists


def operators(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Edit one operation."""
    if isinstance(node, ast.BinOp):
        yield from _binary(code, node)
    elif isinstance(node, ast.AugAssign):
        symbol, others = _family(node.op)
        span = code.between(node.target, node.value)
        for other in others:
            yield from _symbol(code, span, symbol + "=", other + "=", node, "operator")
    elif isinstance(node, ast.Compare):
        yield from _compared(code, node)
    elif isinstance(node, ast.BoolOp):
        yield from _joined(code, node)
    elif isinstance(node, ast.UnaryOp):
        yield code.replace(node, code.text(node.operand), "drop")


def _family(op: ast.operator) -> tuple[str, list[str]]:
    family = _ARITHMETIC if type(op) in _ARITHMETIC else _BITS
    symbol = family.get(type(op), "@")
    return symbol, [other for other in family.values() if other != symbol]


def _symbol(
    code: ParsedSource, span: tuple[int, int], old: str, new: str, node: ast.AST, kind: str
) -> Iterator[SpanEdit]:
    """Replace the symbol between two operands."""
    at = code.source.find(old, *span)
    if at >= 0:
        yield SpanEdit(at, at + len(old), new, kind, *code.reach(node))


def _binary(code: ParsedSource, node: ast.BinOp) -> Iterator[SpanEdit]:
    symbol, others = _family(node.op)
    for other in others:
        yield from _symbol(code, code.between(node.left, node.right), symbol, other, node, "operator")
    for part in (node.left, node.right):
        yield code.replace_fitting(node, code.text(part), "drop")
    if isinstance(node.op, _ORDERED):
        yield code.swap(node.left, node.right)


def _compared(code: ParsedSource, node: ast.Compare) -> Iterator[SpanEdit]:
    operands = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
        span = code.between(left, right)
        if type(op) in _ORDER:
            symbol = _ORDER[type(op)]
            for other in _ORDER.values():
                if other != symbol:
                    yield from _symbol(code, span, symbol, other, node, "comparison")
                    yield from _boundary(code, span, symbol, other, right, node)
        else:
            yield from _symbol(code, span, *_OPPOSITES[type(op)], node, "comparison")
        yield code.swap(left, right)


def _boundary(
    code: ParsedSource, span: tuple[int, int], old: str, new: str, right: ast.expr, node: ast.AST
) -> Iterator[SpanEdit]:
    """Change a comparison with a number, and the number by one."""
    at = code.source.find(old, *span)
    if at >= 0 and isinstance(right, ast.Constant) and type(right.value) is int:
        start, end = code.span(right)
        middle = code.source[at + len(old) : start]
        for moved in (right.value + 1, right.value - 1):
            yield SpanEdit(at, end, new + middle + str(moved), "boundary", *code.reach(node))


def _joined(code: ParsedSource, node: ast.BoolOp) -> Iterator[SpanEdit]:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in pairwise(node.values):
        yield from _symbol(code, code.between(left, right), old, new, node, "operator")
    for i in range(len(node.values)):
        rest = [code.text(value) for j, value in enumerate(node.values) if j != i]
        yield code.replace_fitting(node, f" {old} ".join(rest), "drop")


def off_by_one(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Add or subtract one where the value may be a number."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for value in (node.value + 1, node.value - 1):
            yield code.replace(node, str(value), "off by one")
    elif is_value(code, node) and isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute):
        if isinstance(node, ast.Name) and not scope.may_be(node.id, NUMBERS):
            return
        for sign in "-+":
            yield code.replace_fitting(node, f"{code.text(node)} {sign} 1", "off by one")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        for sign in "-+":
            yield code.replace(node, f"{code.text(node)} {sign} 1", "off by one")


def is_value(code: ParsedSource, node: ast.AST) -> bool:
    """Whether a node is an expression that is read, not a called function or the owner of an attribute."""
    parent = code.parents.get(node)
    if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(parent, ast.Call):
        return node is not parent.func
    return not isinstance(parent, ast.Attribute | ast.Starred | ast.FormattedValue | ast.Expr)


def order(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Swap neighbouring arguments, or elements of a tuple or list."""
    if isinstance(node, ast.Call):
        yield from _neighbours(code, node.args)
    elif isinstance(node, ast.Tuple | ast.List):
        yield from _neighbours(code, node.elts)


def _neighbours(code: ParsedSource, elements: Sequence[ast.expr]) -> Iterator[SpanEdit]:
    for left, right in pairwise(elements):
        if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
            yield code.swap(left, right)
