"""Executes an expression on the values that the trace shows, with single results replaced by others.

Only built-in operations on plain values are executed (`builtin_calls`). The value of a sub-expression that is more
than that, such as the result of a function of the program, comes from the recording of the decomposed line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.operations import COMPREHENSIONS
from worldline.diagnose.blame.builtin_calls import (
    FUNCTIONS,
    MAX_SIZE,
    TYPES,
    Undetermined,
    attempt,
    call_method,
    compare,
    formatted,
    operate,
    size,
)
from worldline.diagnose.blame.plain import OpaqueValue, PlainObject, elements, plain

MAX_STEPS = 60_000  # sub-expressions that one diagnosis may execute
Names = Mapping[str, Any]
_CONVERSIONS = {-1: "", 115: "s", 114: "r", 97: "a"}


class LineEvaluator:
    """Executes expressions of one line.

    Args:
        names: The plain values of the names.
        recorded: The recorded values of sub-expressions, by their text, as canonical text.
        own: Names that the program defines, which are no built-in functions.
    """

    def __init__(self, names: Names, recorded: Mapping[str, str], own: frozenset[str] = frozenset()) -> None:
        self.names, self.recorded, self.own = names, recorded, own
        self.steps = 0
        self._true: dict[tuple[int, int], Any] = {}
        self._kept: list[object] = []  # what the cache knows by identity must stay alive

    def value(self, node: ast.expr, names: Names | None = None) -> Any:
        """Return the true value of an expression.

        Raises:
            Undetermined: It cannot be determined.
        """
        scope = self.names if names is None else names
        key = id(node), id(scope)
        if key not in self._true:
            self._kept += (node, scope)
            try:
                self._true[key] = self.run(node, {}, scope)
            except Undetermined:
                self._true[key] = Undetermined
        if self._true[key] is Undetermined:
            raise Undetermined
        return self._true[key]

    def run(self, node: ast.expr, changed: Mapping[int, Any], names: Names | None = None) -> Any:
        """Return the value of an expression if nodes, by identity, had other results than the true ones.

        Raises:
            Undetermined: It cannot be determined.
        """
        try:
            return self._run(node, changed, self.names if names is None else names)
        except RecursionError:
            raise Undetermined from None

    def _run(self, node: ast.expr, changed: Mapping[int, Any], names: Names) -> Any:
        if id(node) in changed:
            return changed[id(node)]
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Undetermined
        try:
            result = self._result(node, changed, names)
        except Undetermined:
            return self._as_recorded(node, changed, names)
        if isinstance(result, OpaqueValue) or size(result) > MAX_SIZE:
            return self._as_recorded(node, changed, names)
        return result

    def _as_recorded(self, node: ast.expr, changed: Mapping[int, Any], names: Names) -> Any:
        """The recorded value of a sub-expression that nothing changed."""
        if not self.recorded or names is not self.names:
            raise Undetermined
        text = self.recorded.get(_unparsed(node))
        if text is None or any(id(part) in changed for part in ast.walk(node)):
            raise Undetermined
        value = plain(text)
        if isinstance(value, OpaqueValue):
            raise Undetermined
        return value

    def _result(self, node: ast.expr, changed: Mapping[int, Any], names: Names) -> Any:
        def run(part: ast.expr) -> Any:
            return self._run(part, changed, names)

        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._named(node.id, names)
            case ast.BinOp():
                return operate(type(node.op).__name__, run(node.left), run(node.right))
            case ast.UnaryOp():
                return _unary(node.op, run(node.operand))
            case ast.BoolOp():
                return _chosen(node, run)
            case ast.Compare():
                return _compared(node, run)
            case ast.IfExp():
                return run(node.body) if run(node.test) else run(node.orelse)
            case ast.Subscript():
                return attempt(lambda owner, key: owner[key], (self._indexed(run(node.value)), key_of(node, run)), {})
            case ast.Attribute():
                return _attribute(node, run)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return _displayed(node, run)
            case ast.JoinedStr():
                return "".join(field_text(part, run) for part in node.values)
            case ast.NamedExpr():
                return run(node.value)
            case ast.Call():
                return self._called(node, changed, names)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehended(node, changed, names)
        raise Undetermined

    def _indexed(self, owner: Any) -> Any:
        if isinstance(owner, (str, bytes, list, tuple, dict, range)) or type(owner).__name__ == "deque":
            return owner
        raise Undetermined

    def _named(self, name: str, names: Names) -> Any:
        if name in names:
            return names[name]
        if name in ("True", "False", "None") or name in self.own or name not in FUNCTIONS:
            raise Undetermined
        return FUNCTIONS[name]

    def _called(self, node: ast.Call, changed: Mapping[int, Any], names: Names) -> Any:
        if any(isinstance(part, ast.Starred) for part in node.args) or any(word.arg is None for word in node.keywords):
            raise Undetermined
        func = node.func
        if isinstance(func, ast.Attribute) and not self._is_type(func.value, names):
            owner: Any = self._run(func.value, changed, names)
            if func.attr == "format" and isinstance(owner, str):
                return self._format(owner, node, changed, names)
        arguments = [self._function(part, changed, names) for part in node.args]
        named = {word.arg or "": self._function(word.value, changed, names) for word in node.keywords}
        if isinstance(func, ast.Attribute) and not self._is_type(func.value, names):
            return call_method(owner, func.attr, arguments, named)
        act = self._function(func, changed, names)
        if not callable(act):
            raise Undetermined
        if act is FUNCTIONS["sum"] and arguments and isinstance(arguments[0], str):
            raise Undetermined
        return attempt(act, arguments, named)

    def _is_type(self, node: ast.expr, names: Names) -> bool:
        return isinstance(node, ast.Name) and node.id in TYPES and node.id not in names and node.id not in self.own

    def _function(self, node: ast.expr, changed: Mapping[int, Any], names: Names) -> Any:
        """An argument, which may be a function: a built-in one, an unbound method or a lambda."""
        if isinstance(node, ast.Attribute) and self._is_type(node.value, names):
            name = node.attr
            return lambda owner, *rest: call_method(owner, name, rest, {})
        if isinstance(node, ast.Lambda):
            parameters = [parameter.arg for parameter in node.args.args]
            return lambda *values: self._run(
                node.body, changed, {**names, **dict(zip(parameters, values, strict=True))}
            )
        return self._run(node, changed, names)

    def _format(self, template: str, node: ast.Call, changed: Mapping[int, Any], names: Names) -> str:
        pieces = format_pieces(template, node)
        if pieces is None:
            raise Undetermined
        return "".join(
            part if isinstance(part, str) else formatted(self._run(part[0], changed, names), part[1], part[2])
            for part in pieces
        )

    def _comprehended(self, node: ast.expr, changed: Mapping[int, Any], names: Names) -> Any:
        rounds = self.rounds(node, names, changed)
        if isinstance(node, ast.DictComp):
            return {self._run(node.key, changed, own): self._run(node.value, changed, own) for own in rounds}
        assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp))
        results = [self._run(node.elt, changed, own) for own in rounds]
        return attempt(set, (results,), {}) if isinstance(node, ast.SetComp) else results

    def rounds(
        self,
        node: ast.expr,
        names: Names | None = None,
        changed: Mapping[int, Any] | None = None,
        *,
        is_filtered: bool = True,
    ) -> list[Names]:
        """Return the names of each round of a comprehension that yields an element, or of every round."""
        assert isinstance(node, COMPREHENSIONS)
        scopes: list[Names] = [self.names if names is None else names]
        for generator in node.generators:
            inner: list[Names] = []
            for scope in scopes:
                items = elements(self._run(generator.iter, changed or {}, scope))
                if items is None:
                    raise Undetermined
                for item in items:
                    own = {**scope, **bound(generator.target, item)}
                    if not is_filtered or all(self._run(test, changed or {}, own) for test in generator.ifs):
                        inner.append(own)
            scopes = inner
        return scopes


def bound(target: ast.expr, value: Any) -> dict[str, Any]:
    """Return the names that a target binds to parts of a value."""
    if isinstance(target, ast.Name):
        return {target.id: value}
    parts = elements(value)
    if not isinstance(target, (ast.Tuple, ast.List)) or parts is None or len(parts) != len(target.elts):
        raise Undetermined
    names: dict[str, Any] = {}
    for element, part in zip(target.elts, parts, strict=True):
        names |= bound(element, part)
    return names


Run = Callable[[ast.expr], Any]


def _unary(op: ast.unaryop, value: Any) -> Any:
    if isinstance(op, ast.Not):
        return not value
    if isinstance(value, (int, float)) and not isinstance(op, ast.Invert):
        return -value if isinstance(op, ast.USub) else +value
    raise Undetermined


def _chosen(node: ast.BoolOp, run: Run) -> Any:
    for part in node.values[:-1]:
        value = run(part)
        if bool(value) is isinstance(node.op, ast.Or):
            return value
    return run(node.values[-1])


def _compared(node: ast.Compare, run: Run) -> Any:
    left, result = run(node.left), None
    for op, part in zip(node.ops, node.comparators, strict=True):
        right = run(part)
        result = compare(type(op).__name__, left, right)
        if not result:
            return result
        left = right
    return result


def key_of(node: ast.Subscript, run: Run) -> Any:
    """Return the key of a subscript."""
    if isinstance(node.slice, ast.Slice):
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        return slice(*(None if part is None else run(part) for part in bounds))
    return run(node.slice)


def _attribute(node: ast.Attribute, run: Run) -> Any:
    owner = run(node.value)
    if isinstance(owner, PlainObject) and node.attr in owner.fields:
        return owner.fields[node.attr]
    raise Undetermined


def _displayed(node: ast.List | ast.Tuple | ast.Set | ast.Dict, run: Run) -> Any:
    if isinstance(node, ast.Dict):
        pairs = [(run(key), run(item)) for key, item in zip(node.keys, node.values, strict=True) if key is not None]
        return attempt(dict, (pairs,), {})
    items: list[Any] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            spread = elements(run(element.value))
            if spread is None:
                raise Undetermined
            items += spread
        else:
            items.append(run(element))
    return attempt({ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)], (items,), {})


def field_text(part: ast.expr, run: Run) -> str:
    """Return the text of one part of an f-string."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    if not isinstance(part, ast.FormattedValue):
        raise Undetermined
    specification = "" if part.format_spec is None else run(part.format_spec)
    return formatted(run(part.value), specification, _CONVERSIONS.get(part.conversion, ""))


FormatPiece = str | tuple[ast.expr, str, str]
"""Literal text, or the expression of a field with its specification and conversion."""


def format_pieces(template: str, node: ast.Call) -> list[FormatPiece] | None:
    """Return the pieces of a call of `format`; None if a field is more than an argument."""
    import string

    named = {word.arg: word.value for word in node.keywords}
    pieces: list[FormatPiece] = []
    count = 0
    try:
        for literal, name, specification, conversion in string.Formatter().parse(template):
            if literal:
                pieces.append(literal)
            if name is None:
                continue
            place: Any = count if name == "" else int(name) if name.isdecimal() else name
            count += name == ""
            value = named.get(place) if isinstance(place, str) else node.args[place] if place < len(node.args) else None
            if value is None or "{" in (specification or ""):
                return None
            pieces.append((value, specification or "", conversion or ""))
    except ValueError:
        return None
    return pieces


@lru_cache(maxsize=512)
def _text_of_node(node: ast.expr) -> str:
    return ast.unparse(node)


def _unparsed(node: ast.expr) -> str:
    return _text_of_node(node)


@lru_cache(maxsize=64)
def module_names(source: str) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the constants that a module assigns once at its top, and all names that it defines."""
    tree = syntax(source)
    defined: list[str] = []
    constants: dict[str, Any] = {}
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.append(node.name)
        elif isinstance(node, ast.alias):
            defined.append(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.append(node.id)
    for statement in () if tree is None else tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and defined.count(target.id) == 1:
                constants |= _literal(target.id, statement.value)
    return constants, frozenset(defined)


def _literal(name: str, node: ast.expr) -> dict[str, Any]:
    try:
        return {name: ast.literal_eval(node)}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}


def in_order(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of a tree in the order in which their values come to be; of a loop those of its head."""
    for child in _operands(node):
        yield from in_order(child)
    if isinstance(node, ast.expr):
        yield node


def _operands(node: ast.AST) -> Sequence[ast.AST]:
    match node:
        case ast.IfExp():
            return [node.test, node.body, node.orelse]
        case ast.Assign():
            return [node.value, *node.targets]
        case ast.AugAssign():
            return [node.value, node.target]
        case ast.For() | ast.AsyncFor():
            return [node.iter, node.target]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [*node.generators, node.elt]
        case ast.DictComp():
            return [*node.generators, node.key, node.value]
        case ast.comprehension():
            return [node.iter, *node.ifs]
    return list(ast.iter_child_nodes(node))
