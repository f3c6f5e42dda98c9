"""What a line of a program computes: the operation that yields a name's value, and the condition that it decides by.

Read from the syntax tree alone; nothing is run. A value is put down to the outermost operation of its expression. A
source that is not Python has no operations: `unknown`.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.analyze.flow.control import first_line, syntax

UNKNOWN = "unknown"
KINDS = (
    "slice", "index", "arithmetic", "concatenation", "repetition", "comparison", "boolean", "format", "literal", "copy",
    "display", "comprehension", "conditional", "attribute", "call", "method", "function", "unpacking", "iteration",
    "item assignment", "attribute assignment", "deletion", "definition", "import", "with", "exception", "argument",
    "await", "print", "implicit return", UNKNOWN,
)  # fmt: skip
"""The operations that have no name of their own; built-in functions and methods of built-in types go by theirs."""
METHODS = frozenset(
    name
    for owner in (str, bytes, list, dict, set, tuple, int, float, frozenset)
    for name in vars(owner)
    if not name.startswith("_")
)
BUILTINS = frozenset(name for name in vars(builtins) if name.islower() and not name.startswith("_"))
_CHANGES = ("item assignment", "attribute assignment", "deletion")
SEQUENCES = ("str", "bytes", "list", "tuple", "deque", "bytearray")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Operation:
    """An operation, and the source text that it was read from."""

    name: str
    text: str = ""
    operands: frozenset[str] = frozenset()


def statements(source: str, line: int | None) -> tuple[ast.stmt, ...]:
    """Return the innermost statements of a line; enclosing ones come first if several begin there."""
    return () if line is None else _statements(source).get(line, ())


@lru_cache(maxsize=64)
def _statements(source: str) -> dict[int, tuple[ast.stmt, ...]]:
    by_line: dict[int, tuple[ast.stmt, ...]] = {}
    begins: dict[int, int] = {}
    tree = syntax(source)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.stmt):
            begin, alone = first_line(node), (node,)
            for line in range(begin, (node.end_lineno or node.lineno) + 1):
                if begin >= begins.get(line, 0):
                    by_line[line] = (*by_line[line], node) if begin == begins.get(line) else alone
                    begins[line] = begin
    return by_line


def of_name(source: str, line: int | None, name: str, kind: str = "") -> Operation:
    """Return the operation on a line that assigns a name a value of this kind."""
    for node in reversed(statements(source, line)):
        binding = _binding(node, name)
        if isinstance(binding, ast.expr):
            return of_expression(source, binding, kind)
        if binding is not None:
            return Operation(binding, _text(source, node), _loads(node))
    nodes = statements(source, line)
    return Operation(_under_another(nodes), _text(source, nodes[-1]) if nodes else "")


def _under_another(nodes: Sequence[ast.stmt]) -> str:
    """Return what changes a name that a line does not mention: a call, or an assignment through an alias."""
    parts = [part for node in nodes for part in own_nodes(node)]
    if any(isinstance(part, ast.Call) for part in parts):
        return "call"
    stored = (any_operation(part) for part in parts if isinstance(part, (ast.Subscript, ast.Attribute)))
    deleted = (any_operation(part) for part in parts if isinstance(part, ast.Delete))
    return next((change for change in (*stored, *deleted) if change in _CHANGES), UNKNOWN)


def of_result(
    source: str, line: int | None, event: str, kind: str = "", inside: tuple[str, str] = ("", "")
) -> Operation:
    """Return the operation on a line whose value is returned, yielded, raised or printed.

    `inside` is a path into the value and the kind of what is there: a display is put down to that element's operation.
    """
    nodes = statements(source, line)
    if event == "raise":
        return Operation("exception", _text(source, nodes[-1]) if nodes else "")
    for node in reversed(nodes):
        value = _result(node, event)
        if value is not None:
            element = _inside(value, inside[0])
            return of_expression(source, element, kind if element is value else inside[1])
    if event == "return" and nodes:
        return Operation("implicit return", _text(source, nodes[-1]))
    return Operation("print" if event == "output" else UNKNOWN, _text(source, nodes[-1]) if nodes else "")


def of_argument(source: str, line: int | None, function: int | None, name: str, kind: str = "") -> Operation:
    """Return the operation that computes a parameter's value in a line's call of a function."""
    called = signature(source, function)
    if called is None:
        return Operation("argument")
    for node in statements(source, line):
        for call in _calls(node, called):
            value = _argument(call, called[1], name)
            return of_expression(source, value, kind) if value else Operation("argument", _text(source, call))
    return Operation("argument")


FunctionSignature = tuple[str, tuple[str, ...]]
"""What a function is called, and its parameters."""


def signature(source: str, line: int | None) -> FunctionSignature | None:
    """Return the signature of the function that begins on a line; None if there is none."""
    definition = next((node for node in statements(source, line) if isinstance(node, _FUNCTIONS)), None)
    if definition is None:
        return None
    return definition.name, tuple(parameter.arg for parameter in (*definition.args.posonlyargs, *definition.args.args))


def _calls(node: ast.stmt, called: FunctionSignature) -> Iterator[ast.Call]:
    return (part for part in own_nodes(node) if isinstance(part, ast.Call) and _called(part) == called[0])


def expression(
    node: ast.stmt, name: str | None, event: str, called: FunctionSignature | None = None
) -> ast.expr | None:
    """Return the expression of a statement that gives a name, a parameter or a result its value."""
    if called is not None:
        call = next(_calls(node, called), None)
        return None if call is None else _argument(call, called[1], name or "")
    bound = _result(node, event) if name is None else _binding(node, name)
    return bound if isinstance(bound, ast.expr) else None


def comprehensions(source: str, line: int | None) -> list[ast.expr]:
    """Return the comprehensions of the statement on a line."""
    nodes = statements(source, line)
    return [part for node in nodes[-1:] for part in own_nodes(node) if isinstance(part, COMPREHENSIONS)]


def condition(source: str, line: int | None) -> Operation | None:
    """Return what decides which line comes next; None if the line decides nothing."""
    for node in reversed(statements(source, line)):
        if isinstance(node, (ast.If, ast.While, ast.Assert)):
            return Operation("condition", _text(source, node.test), _loads(node.test))
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return Operation("iteration", f"{_text(source, node.target)} in {_text(source, node.iter)}")
        if isinstance(node, ast.Match):
            return Operation("condition", f"match {_text(source, node.subject)}", _loads(node.subject))
        for part in own_nodes(node):
            if isinstance(part, ast.IfExp):
                return Operation("condition", _text(source, part.test), _loads(part.test))
            if isinstance(part, COMPREHENSIONS):
                return Operation("iteration", _text(source, part))
            if isinstance(part, ast.BoolOp):
                return Operation("condition", _text(source, part), _loads(part))
    return None


@lru_cache(maxsize=64)
def operations(source: str) -> frozenset[str]:
    """Return the names of all effective operations of a source, without literals, names and displays."""
    tree = syntax(source)
    return frozenset(any_operation(node) for node in ast.walk(tree)) - IDLE if tree is not None else frozenset()


def any_operation(node: ast.AST, kind: str = "") -> str:
    """Return the operation of any node; `unknown` if it has none."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return {ast.Subscript: "item assignment", ast.Attribute: "attribute assignment"}.get(type(node), UNKNOWN)
    if isinstance(node, ast.AugAssign):
        return _arithmetic(node.op, None, kind)
    return _operation(node, kind) if isinstance(node, ast.expr) else _statement(node)


def _statement(node: ast.AST) -> str:
    names: list[tuple[type[ast.AST] | tuple[type[ast.AST], ...], str]] = [
        (ast.AugAssign, "arithmetic"),
        ((ast.If, ast.While, ast.Assert, ast.Match), "condition"),
        ((ast.For, ast.AsyncFor, ast.comprehension), "iteration"),
        (ast.Delete, "deletion"),
        ((ast.With, ast.AsyncWith), "with"),
        ((ast.Raise, ast.Try), "exception"),
    ]
    return next((name for types, name in names if isinstance(node, types)), UNKNOWN)


def mentions(source: str, line: int | None, name: str) -> bool:
    """Whether a line gives this very name a value or changes what is under it, by an assignment or a method."""
    return any(_binding(node, name) is not None for node in statements(source, line))


def of_expression(source: str, node: ast.expr, kind: str = "") -> Operation:
    """Return the outermost operation of an expression whose value is of this kind."""
    return Operation(_operation(node, kind), _text(source, node), _loads(node))


def operation_name(node: ast.expr, kind: str = "") -> str:
    """What the outermost operation of an expression is called."""
    return _operation(node, kind)


IDLE = frozenset(("literal", "copy", "display", UNKNOWN))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _operation(node: ast.expr, kind: str) -> str:
    match node:
        case ast.Subscript():
            return "slice" if isinstance(node.slice, ast.Slice) else "index"
        case ast.BinOp():
            return _arithmetic(node.op, node.left, kind)
        case ast.UnaryOp():
            return "boolean" if isinstance(node.op, ast.Not) else "arithmetic"
        case ast.Call():
            return _call(node)
        case ast.NamedExpr() | ast.Starred():
            return _operation(node.value, kind)
    simple: list[tuple[type[ast.expr] | tuple[type[ast.expr], ...], str]] = [
        (ast.Compare, "comparison"),
        (ast.BoolOp, "boolean"),
        (ast.JoinedStr, "format"),
        (ast.Constant, "literal"),
        (ast.Name, "copy"),
        ((ast.List, ast.Tuple, ast.Set, ast.Dict), "display"),
        (COMPREHENSIONS, "comprehension"),
        (ast.IfExp, "conditional"),
        (ast.Attribute, "attribute"),
        (ast.Lambda, "function"),
        (ast.Await, "await"),
        ((ast.Yield, ast.YieldFrom), "iteration"),
    ]
    return next((name for types, name in simple if isinstance(node, types)), UNKNOWN)


def _arithmetic(operator: ast.operator, left: ast.expr | None, kind: str) -> str:
    if kind in SEQUENCES:
        is_text = left is not None and isinstance(left, (ast.Constant, ast.JoinedStr))
        if isinstance(operator, ast.Mod) and (is_text or kind in ("str", "bytes")):
            return "format"
        if isinstance(operator, ast.Add):
            return "concatenation"
        if isinstance(operator, ast.Mult):
            return "repetition"
    return "arithmetic"


def _call(node: ast.Call) -> str:
    name = _called(node)
    own = f"{name}()" if name in ("index", "slice") else name  # those words stand for subscripts
    if isinstance(node.func, ast.Attribute):
        return own if name in METHODS else "method"
    return own if name in BUILTINS else "call"


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _binding(node: ast.stmt, name: str) -> ast.expr | str | None:
    """The expression that a statement gives a name, or the operation that changes it; None where it does neither."""
    bound: ast.expr | str | None = None
    match node:
        case ast.Assign():
            bound = next((b for target in node.targets if (b := _bound(target, node.value, name))), None)
        case ast.AnnAssign() if node.value is not None:
            bound = _bound(node.target, node.value, name)
        case ast.AugAssign():
            bound = _augmented(node, name)
        case ast.For() | ast.AsyncFor() if name in _stores(node.target):
            bound = "iteration"
        case ast.With() | ast.AsyncWith() if any(name in _stores(item.optional_vars) for item in node.items):
            bound = "with"
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name == name:
            bound = "definition"
        case ast.Import() | ast.ImportFrom() if any((a.asname or a.name) == name for a in node.names):
            bound = "import"
        case ast.Delete() if any(_base(target) == name for target in node.targets):
            bound = "deletion"
        case ast.Try() if any(handler.name == name for handler in node.handlers):
            bound = "exception"
    return bound if bound is not None else _inner_binding(node, name)


def _inner_binding(node: ast.stmt, name: str) -> ast.expr | str | None:
    """A name bound inside an expression, or changed by a method that is called on it."""
    for part in own_nodes(node):
        if isinstance(part, ast.NamedExpr) and part.target.id == name:
            return part.value
        if isinstance(part, ast.comprehension) and name in _stores(part.target):
            return "iteration"
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and _base(part.func.value) == name:
            return _call(part)
    return None


def _bound(target: ast.expr, value: ast.expr, name: str) -> ast.expr | str | None:
    if isinstance(target, ast.Name):
        return value if target.id == name else None
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        starred = any(isinstance(element, ast.Starred) for element in (*target.elts, *values))
        if len(values) == len(target.elts) and not starred:
            pairs = zip(target.elts, values, strict=True)
            return next((b for t, v in pairs if (b := _bound(t, v, name))), None)
        return "unpacking" if name in _stores(target) else None
    if _base(target) == name:
        return "attribute assignment" if isinstance(target, ast.Attribute) else "item assignment"
    return None


def _augmented(node: ast.AugAssign, name: str) -> ast.expr | str | None:
    if isinstance(node.target, ast.Name) and node.target.id == name:
        left = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), node.target)
        return ast.copy_location(ast.BinOp(left=left, op=node.op, right=node.value), node)
    return _bound(node.target, node.value, name)


def _result(node: ast.stmt, event: str) -> ast.expr | None:
    if event == "output":
        calls = (part for part in own_nodes(node) if isinstance(part, ast.Call) and _called(part) == "print")
        call = next(calls, None)
        return call.args[0] if call is not None and len(call.args) == 1 and not call.keywords else None
    if event == "return" and isinstance(node, ast.Return):
        return node.value
    for part in own_nodes(node):
        if event == "yield" and isinstance(part, (ast.Yield, ast.YieldFrom)):
            return part.value
        if isinstance(part, ast.Lambda):
            return part.body
        if isinstance(part, COMPREHENSIONS):
            return part
    return None


def _inside(node: ast.expr, path: str) -> ast.expr:
    """Return the element of a display that a path such as `[1]` or `['k']` begins with."""
    key = path[1:].partition("]")[0]
    if isinstance(node, ast.Dict) and path.startswith("["):
        keys = [repr(part.value) if isinstance(part, ast.Constant) else None for part in node.keys]
        return node.values[keys.index(key)] if None not in keys and keys.count(key) == 1 else node
    if isinstance(node, (ast.Tuple, ast.List)) and key.isdecimal() and len(key) < 9:
        plain = not any(isinstance(part, ast.Starred) for part in node.elts)
        return node.elts[int(key)] if plain and int(key) < len(node.elts) else node
    return node


def _argument(call: ast.Call, names: Sequence[str], name: str) -> ast.expr | None:
    by_name = next((word.value for word in call.keywords if word.arg == name), None)
    if by_name is not None or name not in names or any(isinstance(argument, ast.Starred) for argument in call.args):
        return by_name
    at = names.index(name) - (isinstance(call.func, ast.Attribute) and names[0] in ("self", "cls"))
    return call.args[at] if 0 <= at < len(call.args) else None


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A statement's own nodes, without those of the statements in it."""
    waiting = deque([node])
    while waiting:
        current = waiting.popleft()
        yield current
        waiting += [child for child in ast.iter_child_nodes(current) if not isinstance(child, ast.stmt)]


def _stores(node: ast.expr | None) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} if node is not None else set()


def _loads(node: ast.AST) -> frozenset[str]:
    return frozenset(
        part.id for part in own_nodes(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    )


def _base(node: ast.expr) -> str | None:
    """Return the name that a chain of subscripts and attributes hangs on."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _text(source: str, node: ast.AST) -> str:
    """Return the node's source in one line; of a compound statement, its first line."""
    text = ast.get_source_segment(source, node) or ""
    if not text and isinstance(node, ast.expr):
        text = ast.unparse(node)
    if isinstance(node, ast.stmt) and hasattr(node, "body"):
        text = text.partition("\n")[0]
    return " ".join(line.strip() for line in text.splitlines())
