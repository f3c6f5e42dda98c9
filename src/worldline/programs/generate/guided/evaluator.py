"""Evaluates the Python subset of guided programs, so that the next statement is chosen by the values so far.

Walks syntax trees: nothing is compiled or executed. Only built-in functions, methods of built-in types and bounded
sizes are known; everything else raises `BeyondSubsetError`.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Env = dict[str, Any]
MAX_SIZE = 400  # items or characters of a value
MAX_BITS = 48  # of an int
FUNCTIONS = """abs all any bool chr dict divmod enumerate filter float int len list map max min ord range repr reversed
round set sorted str sum tuple zip ValueError IndexError KeyError TypeError"""
BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in FUNCTIONS.split()}
OWNERS = (str, list, dict, tuple, set, int, float)
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, whole: item in whole,
    ast.NotIn: lambda item, whole: item not in whole,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class BeyondSubsetError(Exception):
    """The program leaves the subset, or grows beyond its limits."""


class _BreakSignal(Exception):
    pass


class _ContinueSignal(Exception):
    pass


class ReturnSignal(Exception):
    """A `return` statement was reached.

    Attributes:
        value: What it returns.
    """

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class GuidedEvaluator:
    """Evaluates expressions and statements, and counts statements.

    Attributes:
        steps: Statements evaluated so far.
    """

    def __init__(self, max_steps: int) -> None:
        self.max_steps = max_steps
        self.steps = 0

    def expression(self, node: ast.AST, env: Env) -> Any:
        """Return the value of an expression."""
        evaluate = _EXPRESSIONS.get(type(node))
        if evaluate is None:
            raise BeyondSubsetError(type(node).__name__)
        return evaluate(self, node, env)

    def block(self, body: list[ast.stmt], env: Env) -> None:
        """Evaluate statements; raise ReturnSignal at a `return`."""
        for statement in body:
            self.steps += 1
            if self.steps > self.max_steps:
                raise BeyondSubsetError("too many steps")
            evaluate = _STATEMENTS.get(type(statement))
            if evaluate is None:
                raise BeyondSubsetError(type(statement).__name__)
            evaluate(self, statement, env)

    def _name(self, node: ast.Name, env: Env) -> Any:
        if node.id in env:
            return env[node.id]
        if node.id not in BUILTINS:
            raise BeyondSubsetError(node.id)
        return BUILTINS[node.id]

    def _attribute(self, node: ast.Attribute, env: Env) -> Any:
        owner = self.expression(node.value, env)
        if node.attr.startswith("_") or not (isinstance(owner, OWNERS) or owner in OWNERS):
            raise BeyondSubsetError(node.attr)
        return getattr(owner, node.attr)

    def _call(self, node: ast.Call, env: Env) -> Any:
        function = self.expression(node.func, env)
        arguments: list[Any] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                arguments += self.expression(argument.value, env)
            else:
                arguments.append(self.expression(argument, env))
        named = {keyword.arg or "": self.expression(keyword.value, env) for keyword in node.keywords}
        return bounded(function(*arguments, **named))

    def _binary(self, node: ast.BinOp, env: Env) -> Any:
        left, right = self.expression(node.left, env), self.expression(node.right, env)
        if type(node.op) not in BINARY:
            raise BeyondSubsetError(type(node.op).__name__)
        return combine(type(node.op), left, right)

    def _bool(self, node: ast.BoolOp, env: Env) -> Any:
        stops = isinstance(node.op, ast.Or)
        value: Any = None
        for part in node.values:
            value = self.expression(part, env)
            if bool(value) is stops:
                break
        return value

    def _compare(self, node: ast.Compare, env: Env) -> Any:
        left, value = self.expression(node.left, env), True
        for test, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.expression(comparator, env)
            value = COMPARE[type(test)](left, right)
            if not value:
                break
            left = right
        return value

    def _subscript(self, node: ast.Subscript, env: Env) -> Any:
        return self.expression(node.value, env)[self.expression(node.slice, env)]

    def _slice(self, node: ast.Slice, env: Env) -> slice:
        return slice(*(part and self.expression(part, env) for part in (node.lower, node.upper, node.step)))

    def _joined(self, node: ast.JoinedStr, env: Env) -> str:
        return "".join(str(self.expression(part, env)) for part in node.values)

    def _formatted(self, node: ast.FormattedValue, env: Env) -> str:
        value = self.expression(node.value, env)
        spec = self.expression(node.format_spec, env) if node.format_spec else ""
        return format(repr(value) if node.conversion == ord("r") else value, spec)

    def _lambda(self, node: ast.Lambda, env: Env) -> Callable[..., Any]:
        names = [parameter.arg for parameter in node.args.args]
        return lambda *values: self.expression(node.body, env | dict(zip(names, values, strict=True)))

    def _items(self, generators: list[ast.comprehension], env: Env) -> Iterator[Env]:
        first, *rest = generators
        for item in self.expression(first.iter, env):
            inner = dict(env)
            self.bind(first.target, item, inner)
            if all(self.expression(test, inner) for test in first.ifs):
                yield from self._items(rest, inner) if rest else (inner,)

    def _list(self, node: ast.ListComp | ast.GeneratorExp, env: Env) -> list[Any]:
        values = [self.expression(node.elt, inner) for inner in self._items(node.generators, env)]
        bounded(values)
        return values

    def _dict(self, node: ast.DictComp, env: Env) -> dict[Any, Any]:
        pairs = self._items(node.generators, env)
        return {self.expression(node.key, inner): self.expression(node.value, inner) for inner in pairs}

    def bind(self, target: ast.expr, value: Any, env: Env) -> None:
        """Assign a value to a target."""
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, ast.Subscript):
            self.expression(target.value, env)[self.expression(target.slice, env)] = value
        elif isinstance(target, ast.Tuple):
            items = list(value)
            if len(items) != len(target.elts):
                raise ValueError("unpacking")
            for part, item in zip(target.elts, items, strict=True):
                self.bind(part, item, env)
        else:
            raise BeyondSubsetError(type(target).__name__)

    def _assign(self, node: ast.Assign, env: Env) -> None:
        value = self.expression(node.value, env)
        for target in node.targets:
            self.bind(target, value, env)

    def _augment(self, node: ast.AugAssign, env: Env) -> None:
        old = self.expression(node.target, env)
        value = self.expression(node.value, env)
        if isinstance(old, list) and isinstance(node.op, ast.Add):
            old += value
            bounded(old)
        else:
            self.bind(node.target, combine(type(node.op), old, value), env)

    def _delete(self, node: ast.Delete, env: Env) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                raise BeyondSubsetError("del")
            del self.expression(target.value, env)[self.expression(target.slice, env)]

    def _if(self, node: ast.If, env: Env) -> None:
        self.block(node.body if self.expression(node.test, env) else node.orelse, env)

    def _for(self, node: ast.For, env: Env) -> None:
        for item in self.expression(node.iter, env):
            self.bind(node.target, item, env)
            try:
                self.block(node.body, env)
            except _BreakSignal:
                return
            except _ContinueSignal:
                continue
        self.block(node.orelse, env)

    def _while(self, node: ast.While, env: Env) -> None:
        while self.expression(node.test, env):
            try:
                self.block(node.body, env)
            except _BreakSignal:
                return
            except _ContinueSignal:
                continue

    def _try(self, node: ast.Try, env: Env) -> None:
        try:
            self.block(node.body, env)
        except (ValueError, IndexError, KeyError, TypeError, ZeroDivisionError) as error:
            for handler in node.handlers:
                caught = self.expression(handler.type, env) if handler.type else Exception
                if isinstance(error, caught):
                    self.block(handler.body, env)
                    return
            raise
        self.block(node.orelse, env)

    def _return(self, node: ast.Return, env: Env) -> None:
        raise ReturnSignal(self.expression(node.value, env) if node.value else None)

    def _break(self, node: ast.Break, env: Env) -> None:
        raise _BreakSignal

    def _continue(self, node: ast.Continue, env: Env) -> None:
        raise _ContinueSignal


def combine(kind: type[ast.operator], left: Any, right: Any) -> Any:
    """Apply a binary operator whose result must stay small."""
    if kind is ast.Mult:
        sizes = [len(part) for part in (left, right) if hasattr(part, "__len__")]
        times = [part for part in (left, right) if isinstance(part, int)]
        if sizes and times and sizes[0] * times[0] > MAX_SIZE:
            raise BeyondSubsetError("too long")
    return bounded(BINARY[kind](left, right))


def bounded(value: Any) -> Any:
    """Return a value, or raise BeyondSubsetError if it is too large to trace."""
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise BeyondSubsetError("too large")
    elif isinstance(value, (str, list, tuple, dict, set)) and len(value) > MAX_SIZE:
        raise BeyondSubsetError("too long")
    return value


_Method = Callable[[GuidedEvaluator, Any, Env], Any]
_EXPRESSIONS: Mapping[type[ast.AST], _Method] = {
    ast.Constant: lambda self, node, env: node.value,
    ast.Name: GuidedEvaluator._name,
    ast.Attribute: GuidedEvaluator._attribute,
    ast.Call: GuidedEvaluator._call,
    ast.BinOp: GuidedEvaluator._binary,
    ast.UnaryOp: lambda self, node, env: UNARY[type(node.op)](self.expression(node.operand, env)),
    ast.BoolOp: GuidedEvaluator._bool,
    ast.Compare: GuidedEvaluator._compare,
    ast.Subscript: GuidedEvaluator._subscript,
    ast.Slice: GuidedEvaluator._slice,
    ast.JoinedStr: GuidedEvaluator._joined,
    ast.FormattedValue: GuidedEvaluator._formatted,
    ast.Lambda: GuidedEvaluator._lambda,
    ast.ListComp: GuidedEvaluator._list,
    ast.GeneratorExp: GuidedEvaluator._list,
    ast.DictComp: GuidedEvaluator._dict,
    ast.IfExp: lambda self, node, env: self.expression(
        node.body if self.expression(node.test, env) else node.orelse, env
    ),
    ast.List: lambda self, node, env: [self.expression(item, env) for item in node.elts],
    ast.Tuple: lambda self, node, env: tuple(self.expression(item, env) for item in node.elts),
    ast.Dict: lambda self, node, env: {
        self.expression(key, env): self.expression(value, env)
        for key, value in zip(node.keys, node.values, strict=True)
    },
}
_STATEMENTS: Mapping[type[ast.stmt], _Method] = {
    ast.Assign: GuidedEvaluator._assign,
    ast.AugAssign: GuidedEvaluator._augment,
    ast.Expr: lambda self, node, env: self.expression(node.value, env),
    ast.Delete: GuidedEvaluator._delete,
    ast.If: GuidedEvaluator._if,
    ast.For: GuidedEvaluator._for,
    ast.While: GuidedEvaluator._while,
    ast.Try: GuidedEvaluator._try,
    ast.Return: GuidedEvaluator._return,
    ast.Break: GuidedEvaluator._break,
    ast.Continue: GuidedEvaluator._continue,
    ast.Pass: lambda self, node, env: None,
}
