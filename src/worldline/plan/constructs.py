"""The constructs of a piece of Python code: what a model must have seen before its confidence means anything.

Finer than `operations`: operators and methods by their names, special methods, what a condition is decided by, forms of
subscripts, calls and functions, and unusual data. Read from the syntax tree, so a type shows only in a literal.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib.resources import files

from worldline.analyze.flow.operations import BUILTINS, COMPREHENSIONS, IDLE, any_operation


def _read_names() -> dict[str, list[str]]:
    """Read the sections of `constructs.txt`."""
    sections, lines = dict[str, list[str]](), list[str]()
    for line in files(__package__).joinpath("constructs.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


def _by_class(lines: Iterable[str]) -> dict[type[ast.AST], str]:
    pairs = (line.split(" ", 1) for line in lines)
    return {getattr(ast, name): text for name, text in pairs}


_NAMES = _read_names()
_SYMBOLS, _STATEMENTS = _by_class(_NAMES["operators"]), _by_class(_NAMES["statements"])
_COARSE = IDLE.union(_NAMES["coarse"])
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
LARGE_NUMBER = 10_000
LONG_TEXT = 40
MANY_ITEMS = 12
_DECIDED = (ast.Compare, ast.BoolOp, ast.Constant)


def constructs(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the constructs of some code, as a reader would name them.

    Args:
        nodes: Definitions, and the call as an expression.
    """
    parts = [part for node in nodes for part in ast.walk(node)]
    # The name of a method is not an attribute that is read.
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    return frozenset(name for part in parts if id(part) not in called for name in _names(part))


def _names(node: ast.AST) -> Iterator[str]:
    if type(node) in _STATEMENTS:
        yield _STATEMENTS[type(node)]
    yield from _operators(node)
    if not isinstance(node, ast.Call) and (operation := any_operation(node)) not in _COARSE:
        yield operation
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from _definition(node)
        case ast.Call():
            yield from _call(node)
        case ast.Subscript():
            yield from _subscript(node.slice)
        case ast.FormattedValue():
            yield from ["format specification"] * (node.format_spec is not None)
            yield from ["format conversion"] * (node.conversion != -1)
        case ast.Constant():
            yield from _constant(node.value)
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            yield from _display(node)
        case ast.For() | ast.While() if node.orelse:
            yield "else of a loop"
        case ast.Try() if node.finalbody:
            yield "finally"
        case ast.comprehension() if node.ifs:
            yield "condition of a comprehension"
    yield from ["truth of a value" for test in _tests(node) if not isinstance(test, _DECIDED)]


def _operators(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.BinOp):
        symbol = _SYMBOLS[type(node.op)]
        kinds = {kind for operand in (node.left, node.right) if (kind := _literal_kind(operand))}
        yield from (f"{symbol} with a {kind}" for kind in kinds)
        if not kinds:
            yield symbol
    elif isinstance(node, ast.AugAssign):
        yield f"{_SYMBOLS[type(node.op)]}="
    elif isinstance(node, (ast.UnaryOp, ast.BoolOp)):
        if not (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)):
            yield _SYMBOLS[type(node.op)]
    elif isinstance(node, ast.Compare):
        yield from (_SYMBOLS[type(operator)] for operator in node.ops)
        yield from ["chained comparison"] * (len(node.ops) > 1)


def _literal_kind(node: ast.expr) -> str:
    """The kind of a literal operand that is not a number."""
    match node:
        case ast.JoinedStr():
            return "str"
        case ast.Constant(value=str() | bytes() as value):
            return type(value).__name__
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            return type(node).__name__.lower()
        case _ if isinstance(node, COMPREHENSIONS):
            return "comprehension"
    return ""


def _definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[str]:
    yield from (f"@{ast.unparse(decorator).partition('(')[0]}" for decorator in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        yield from ["subclass"] * bool(node.bases)
        return
    if node.name.startswith("__") and node.name.endswith("__"):
        yield node.name
    arguments = node.args
    yield from ["default argument"] * bool(arguments.defaults or any(arguments.kw_defaults))
    yield from ["*args"] * (arguments.vararg is not None)
    yield from ["**kwargs"] * (arguments.kwarg is not None)
    parts = [part for child in node.body for part in ast.walk(child)]
    yield from ["inner function"] * any(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) for part in parts)
    called = {part.func.id for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    yield from ["recursion"] * (node.name in called)


def _constant(value: object) -> Iterator[str]:
    if isinstance(value, (float, complex, bytes)):
        yield f"{type(value).__name__} literal"
    elif isinstance(value, int) and abs(value) >= LARGE_NUMBER:
        yield "large number"
    elif isinstance(value, str):
        yield from ["text that is not ASCII"] * (not value.isascii())
        yield from ["long text"] * (len(value) > LONG_TEXT)


def _display(node: ast.List | ast.Tuple | ast.Set | ast.Dict) -> Iterator[str]:
    items = node.values if isinstance(node, ast.Dict) else node.elts
    inner = [part for item in items for part in ast.iter_child_nodes(item) if isinstance(item, _DISPLAYS)]
    yield f"{type(node).__name__.lower()} literal"
    yield from ["literal of many items"] * (len(items) > MANY_ITEMS)
    yield from ["nested literal"] * any(isinstance(item, _DISPLAYS) for item in items)
    yield from ["deeply nested literal"] * any(isinstance(part, _DISPLAYS) for part in inner)


def _call(node: ast.Call) -> Iterator[str]:
    if isinstance(node.func, ast.Attribute):
        yield f".{node.func.attr}()"
    elif isinstance(node.func, ast.Name) and node.func.id in BUILTINS:
        yield f"{node.func.id}()"
    yield from (f"argument {keyword.arg}=" if keyword.arg else "unpacking with **" for keyword in node.keywords)


def _subscript(index: ast.expr) -> Iterator[str]:
    if isinstance(index, ast.Slice):
        yield from ["slice with a step"] * (index.step is not None)
        if any(isinstance(bound, ast.UnaryOp) for bound in (index.lower, index.upper)):
            yield "slice with a negative bound"
    elif isinstance(index, ast.UnaryOp):
        yield "negative index"


def _tests(node: ast.AST) -> list[ast.expr]:
    """The expressions whose truth a node decides by; `and`, `or` and `not` decide by their operands."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = list(node.ifs)
    elif isinstance(node, ast.BoolOp):
        tests = node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        tests = [node.operand]
    else:
        return []
    return [test for test in tests if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))]
