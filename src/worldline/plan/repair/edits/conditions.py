"""Changes of conditions and of what is returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from worldline.plan.repair.edits.parsed import NamesInScope, ParsedSource, SpanEdit


def conditions(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """A condition negated, joined with one more, or another altogether."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield from _tested(code, node.test, scope)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield from _tested(code, test, scope)


def _tested(code: ParsedSource, test: ast.expr, scope: NamesInScope) -> Iterator[SpanEdit]:
    text = code.text(test)
    if isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda):
        text = f"({text})"
    is_plain = isinstance(test, ast.Name | ast.Call | ast.Attribute | ast.Compare | ast.Subscript)
    yield code.replaced(test, f"not {text}" if is_plain else f"not ({code.text(test)})", "condition")
    owners = [code.text(n.value) for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    for name in dict.fromkeys([*owners, *scope.names]):
        for guard in (f"not {name} or ", f"{name} and ", f"{name} is None or ", f"{name} is not None and "):
            yield code.replaced(test, guard + text, "condition")
        for guard in (f" or not {name}", f" and {name}", f" or {name}", f" and not {name}"):
            yield code.replaced(test, text + guard, "condition")
        if isinstance(test, ast.Constant):
            yield code.replaced(test, name, "condition")
            yield code.replaced(test, f"not {name}", "condition")


def returns(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Something else returned: a name, whether it is nothing, the opposite."""
    if not isinstance(node, ast.Return):
        return
    if node.value is None:
        start, end = code.span(node)
        for name in scope.names:
            yield SpanEdit(start, end, f"return {name}", "return", *code.reach(node))
        return
    for name in scope.names:
        replacements = (name, f"not {name}", f"{name} == 0", f"{name} > 0", f"bool({name})")
        for text in replacements if isinstance(node.value, ast.Constant) else replacements[:1]:
            yield code.replaced(node.value, text, "return")
    if isinstance(node.value, ast.Compare | ast.Name | ast.Call):
        yield code.replaced(node.value, f"not {code.text(node.value)}", "return")
