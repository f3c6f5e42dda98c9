"""Edits of values: names, constants, functions, slices, wrapping calls, other expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from worldline.plan.repair.edits.operators import is_value
from worldline.plan.repair.edits.parsed import NUMBERS, SEQUENCES, SIZED, NamesInScope, ParsedSource, SpanEdit

_SIBLINGS = (  # functions and methods that are often confused
    ("any", "all"), ("min", "max"), ("sum", "len", "max", "min"), ("floor", "ceil"), ("int", "float", "round"),
    ("list", "set", "tuple", "sorted"), ("append", "extend", "insert", "add"), ("strip", "lstrip", "rstrip"),
    ("lower", "upper", "title", "capitalize"), ("startswith", "endswith"), ("find", "rfind", "index"),
    ("pop", "popleft"),
    ("keys", "values", "items"), ("split", "rsplit", "splitlines"), ("isdigit", "isalpha", "isalnum", "isnumeric"),
    ("add", "discard", "remove"), ("union", "intersection", "difference", "symmetric_difference"),
    ("issubset", "issuperset"), ("sorted", "reversed"), ("ljust", "rjust", "center"), ("log", "log2", "log10"),
    ("heappush", "heappop", "heappushpop"), ("permutations", "combinations", "product"), ("append", "appendleft"),
)  # fmt: skip
_WRAPS = ("abs({})", "int({})", "str({})", "[{}]", "len({})", "list({})", "set({})", "sorted({})")
_NUMBER_WRAPS = 4  # the first ones apply to numbers
_TARGETS = (ast.Name, ast.Attribute, ast.Subscript)


def names(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Replace a name by another one of the scope."""
    if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Del):
        return
    for name in scope.functions if node.id in scope.functions else scope.names:
        if name != node.id:
            yield code.replace(node, name, "name")


def called(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Replace a function, method or attribute by a similar one, or drop arguments."""
    if isinstance(node, ast.Name) and isinstance(code.parents.get(node), ast.Call):
        for other in _siblings(node.id):
            yield code.replace(node, other, "called")
    elif isinstance(node, ast.Attribute):
        end = code.span(node)[1]
        for other in dict.fromkeys(chain(_siblings(node.attr), scope.attributes)):
            if other != node.attr:
                yield SpanEdit(end - len(node.attr), end, other, "called", *code.reach(node))
    elif isinstance(node, ast.Call):
        for argument in node.args:
            if not isinstance(argument, ast.Starred):
                yield code.replace_fitting(node, code.text(argument), "drop")
        if len(node.args) > 1:
            for i in range(len(node.args)):
                rest = ", ".join(code.text(value) for j, value in enumerate(node.args) if j != i)
                start, end = code.span(node.args[0])[0], code.span(node.args[-1])[1]
                yield SpanEdit(start, end, rest, "drop", *code.reach(node))


def _siblings(name: str) -> Iterator[str]:
    for family in _SIBLINGS:
        if name in family:
            yield from (other for other in family if other != name)


def constants(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Replace a constant by another or by a name; put an element into an empty list."""
    if isinstance(node, ast.List) and not node.elts and isinstance(node.ctx, ast.Load):
        for inside in ("[]", *scope.names):
            yield code.replace(node, f"[{inside}]", "constant")
    if not isinstance(node, ast.Constant) or not is_value(code, node):
        return
    if isinstance(node.value, bool):
        yield code.replace(node, str(not node.value), "constant")
    elif isinstance(node.value, int | float):
        for text in ("0", "1", "2", "-1", f"-{code.text(node)}"):
            yield code.replace(node, text, "constant")
    elif isinstance(node.value, str):
        for text in ("''", "' '", *scope.strings):
            yield code.replace(node, text, "constant")
    for name in scope.names:
        yield code.replace(node, name, "constant")


def operands(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Join another operand to a value."""
    if not is_value(code, node) or not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.ListComp):
        return
    text = code.text(node)
    for name in scope.names:
        if name == text:
            continue
        if not isinstance(node, ast.Name):
            yield code.replace_fitting(node, f"{text} + {name}", "operand")
            yield code.replace_fitting(node, f"{name} + {text}", "operand")
        elif scope.may_add(text, name):
            yield code.replace_fitting(node, f"{text} + {name}", "operand")
            if scope.may_be(text, NUMBERS):
                yield code.replace_fitting(node, f"{text} - {name}", "operand")
    if isinstance(node, ast.Name) and scope.may_be(text, NUMBERS):
        yield code.replace_fitting(node, f"{text} ** 2", "operand")
        yield code.replace_fitting(node, f"{text} * 2", "operand")
        yield code.replace_fitting(node, f"{text} // 2", "operand")
        yield code.replace_fitting(node, f"-{text}", "operand")


def slices(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Slice or index a value, or drop its subscript."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        owner = code.text(node.value)
        yield code.replace(node, owner, "drop")
        if isinstance(node.slice, ast.Slice):
            lower, upper = node.slice.lower, node.slice.upper
            if (lower is None) != (upper is None) and (bound := lower or upper) is not None:
                turned = f":{code.text(bound)}" if lower else f"{code.text(bound)}:"
                yield code.replace(node, f"{owner}[{turned}]", "slice")
            yield code.replace(node, f"{owner}[::-1]", "slice")
        elif not isinstance(node.slice, ast.Tuple):
            for cut_text in (f"{code.text(node.slice)}:", f":{code.text(node.slice)}"):
                yield code.replace(node, f"{owner}[{cut_text}]", "slice")
    elif is_value(code, node) and isinstance(node, ast.Name | ast.Attribute):
        text = code.text(node)
        if not scope.may_be(text, SEQUENCES):
            return
        bounds = ("1:", ":-1", "0", "-1", "::-1")
        places = [name for name in scope.names if scope.may_be(name, NUMBERS)]
        for cut in (*bounds, *chain.from_iterable((f"{name}:", f":{name}") for name in places)):
            if cut.strip(":") != text:
                yield code.replace(node, f"{text}[{cut}]", "slice")


def wrappings(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Wrap a value in a call."""
    if not is_value(code, node) or not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Subscript | ast.List):
        return
    text, parent = code.text(node), code.parents.get(node)
    if isinstance(parent, ast.Assign | ast.AugAssign | ast.Return):
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        others = ["0", *([code.text(target)] if isinstance(target, _TARGETS) else [])]
        for other in others if scope.may_be(text, NUMBERS) else ():
            yield code.replace(node, f"max({other}, {text})", "wrap")
            yield code.replace(node, f"min({other}, {text})", "wrap")
    wraps = _WRAPS[:_NUMBER_WRAPS] if isinstance(node, ast.BinOp) or not scope.may_be(text, SIZED) else _WRAPS
    for wrap in wraps[1:] if not scope.may_be(text, NUMBERS) else wraps:
        yield code.replace(node, wrap.format(text), "wrap")


def others(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Replace an expression by another one of the function."""
    if not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.BinOp | ast.Compare | ast.Attribute):
        return
    is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
    if (isinstance(node, ast.Name) and is_stored) or not (is_stored or is_value(code, node)):
        return
    text = code.text(node)
    for donor in scope.donors:
        is_name = donor.isidentifier() and isinstance(node, ast.Name)  # `names` has those
        if donor != text and not is_name and not (is_stored and not _is_target(donor)):
            yield (code.replace_fitting(node, donor, "other") if " " in donor else code.replace(node, donor, "other"))


def _is_target(text: str) -> bool:
    return isinstance(ast.parse(text, mode="eval").body, ast.Name | ast.Subscript | ast.Attribute)
