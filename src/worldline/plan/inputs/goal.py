"""The goal of an input search: an expression over one call that must hold, a line to reach, or an exception.

A goal is parsed and never evaluated here: it becomes an expression that the sandbox evaluates. Its one call is of a
top-level function of the file, with literals and free names. The search finds values for the free names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from worldline.analyze.flow.control import syntax
from worldline.core.errors import UsageError

MAX_GOAL_CHARACTERS = 20_000
BUILTINS = (
    "abs", "all", "any", "bool", "dict", "float", "frozenset", "int", "len", "list", "max", "min", "round", "set",
    "sorted", "str", "sum", "tuple", "type",
)  # fmt: skip
"""The builtins that a goal may call."""
CALL_VALUE = "value_of_the_call"  # the name of the call's value in `test` and `pairs`
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "==",
    ast.IsNot: "!=",
}
_PARTS = (
    ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Call, ast.Constant, ast.Name, ast.List, ast.Tuple, ast.Dict,
    ast.Set, ast.Subscript, ast.Slice, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_RUN_THROUGH = re.compile(rf"\b(?:frozenset|list|max|min|set|sorted|sum|tuple)\({CALL_VALUE}\b")
_LINE = re.compile(r"line:([1-9][0-9]{0,8})")
_RAISES = re.compile(r"raises:([^\W\d]\w*)")


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A parsed goal: the call with its free names, and the condition on it.

    In `test` and `pairs` the value of the call has its own name; `pairs` are the comparisons that must all hold (left,
    operator, right). If the function is a generator, the call is `consumed`.
    """

    text: str
    function: str
    arguments: tuple[tuple[str, str], ...]  # keyword (or empty) and text
    names: tuple[tuple[str, str], ...]  # free name and its parameter (or empty)
    test: str = ""
    pairs: tuple[tuple[str, str, str], ...] = ()
    line: int = 0
    exception: str = ""
    consumed: bool = False

    def call(self, values: Mapping[str, str]) -> str:
        """Return the call with values in place of the free names."""
        arguments = [
            f"{word}={values.get(text, text)}" if word else values.get(text, text) for word, text in self.arguments
        ]
        called = f"{self.function}({', '.join(arguments)})"
        return f"list({called})" if self.consumed else called

    def probe(self, values: Mapping[str, str]) -> str:
        """Return the expression for the sandbox: the call, or whether the goal holds, with both sides."""
        if not self.test:
            return self.call(values)
        sides = ", ".join(f"[{left}, {right}]" for left, _, right in self.pairs)
        inner = f"(lambda {CALL_VALUE}: (bool({self.test}), [{sides}]))({self._value})"
        free = ", ".join(name for name, _ in self.names)
        return f"(lambda {free}: {inner})({', '.join(values[name] for name, _ in self.names)})"

    @property
    def _value(self) -> str:
        """The call; if the goal only iterates over its value, one that can be iterated twice."""
        call, uses = self.call({}), self.test.count(CALL_VALUE)
        if len(_RUN_THROUGH.findall(self.test)) < uses:
            return call
        return f"(lambda it: list(it) if hasattr(it, '__next__') else it)({call})"

    @property
    def inlined(self) -> str:
        """The whole expression over its free names."""
        return re.sub(rf"\b{CALL_VALUE}\b", lambda _: self.call({}), self.test)


def read_goal(text: str, source: str, function: str | None = None) -> Goal:
    """Parse a goal.

    Args:
        text: An expression over one call, `line:N` or `raises:NAME`.
        source: The Python source that defines the function.
        function: The function of a line or an exception, if it is not clear.

    Raises:
        UsageError: The text is not a goal for this source.
    """
    tree = syntax(source)
    if tree is None:
        raise UsageError("the source cannot be parsed as Python")
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if function is not None and function not in functions:
        raise UsageError(f"there is no function {function!r} at the top level; {_known(functions)}")
    if match := _LINE.fullmatch(text.strip()):
        line = int(match[1])
        return replace(_call_goal(text, functions[function or _function_around(functions, line)]), line=line)
    if match := _RAISES.fullmatch(text.strip()):
        if function is None and len(functions) != 1:
            raise UsageError(f"{text} needs a function: pass --function; {_known(functions)}")
        return replace(_call_goal(text, functions[function or next(iter(functions))]), exception=match[1])
    return _expression(text, functions)


def goal_of_return(source: str, function: str, value: str, *, exact: bool = False) -> Goal:
    """Build the goal that a function returns a value, a literal; all its arguments are free.

    With `exact` the type must match too, so that 3.0 is not 3.
    """
    tree = syntax(source)
    nodes = [] if tree is None else [statement for statement in tree.body if isinstance(statement, ast.FunctionDef)]
    node = next((statement for statement in nodes if statement.name == function), None)
    if node is None:
        raise UsageError(f"there is no function {function!r} at the top level")
    call = _call_goal(function, node).call({})
    same = f" and type({call}) == type({value})" if exact else ""
    return read_goal(f"{call} == {value}{same}", source)


def _known(functions: Mapping[str, ast.FunctionDef]) -> str:
    return f"it defines {', '.join(list(functions)[:8])}" if functions else "it defines none"


def _function_around(functions: Mapping[str, ast.FunctionDef], line: int) -> str:
    for name, node in functions.items():
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            return name
    raise UsageError(f"line {line} is not in a top-level function: pass --function")


def _call_goal(text: str, node: ast.FunctionDef) -> Goal:
    """Build a goal whose call has a free name per required parameter."""
    placed = [*node.args.posonlyargs, *node.args.args]
    needed = [parameter.arg for parameter in placed]
    words = [
        parameter.arg
        for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is None
    ]
    arguments = (*(("", name) for name in needed), *((word, word) for word in words))
    if not arguments:
        starred = node.args.vararg is not None or node.args.kwarg is not None
        takes = "only starred arguments" if starred else "no arguments"
        raise UsageError(f"{node.name} takes {takes}: there is no input to search")
    names = tuple((name, name) for name in (*needed, *words))
    return Goal(text=text, function=node.name, arguments=arguments, names=names, consumed=_yields(node))


def _yields(node: ast.FunctionDef) -> bool:
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(part))
    return False


def _expression(text: str, functions: Mapping[str, ast.FunctionDef]) -> Goal:
    shape = "a goal is an expression over one call, such as `f(x) == 7`, or line:12, or raises:KeyError"
    try:
        tree = ast.parse(text.strip(), mode="eval").body if len(text) <= MAX_GOAL_CHARACTERS else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None:
        raise UsageError(f"{text[:80]!r} cannot be parsed: {shape}")
    call = _find_call(tree, functions, text)
    _require_plain(tree, text)
    names = _free_names(call, functions[call.func.id] if isinstance(call.func, ast.Name) else None, text)
    unbound = _plain_names(tree, call) - {name for name, _ in names}
    if unbound:
        raise UsageError(
            f"{text!r} names {min(unbound)}, which is not an argument of its call: write its value instead"
        )
    arguments = [("", ast.unparse(argument)) for argument in call.args]
    arguments += [(argument.arg or "", ast.unparse(argument.value)) for argument in call.keywords]
    test = _ReplaceCall(ast.dump(call)).visit(tree)
    return Goal(
        text=text,
        function=ast.unparse(call.func),
        arguments=tuple(arguments),
        names=names,
        test=ast.unparse(test),
        pairs=tuple(_pairs(test)),
    )


def _find_call(tree: ast.expr, functions: Mapping[str, ast.FunctionDef], text: str) -> ast.Call:
    """Return the call of a goal; the same call may occur several times."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    other = [node for node in calls if not isinstance(node.func, ast.Name)]
    if other:
        raise UsageError(
            f"{text!r} calls {ast.unparse(other[0].func)}: a goal calls one function of the file by its name"
        )
    own = {ast.dump(node): node for node in calls if _called(node) in functions}
    if len(own) > 1:
        raise UsageError(f"{text!r} has {len(own)} different calls: a goal has only one")
    if not own:
        unknown = next((_called(node) for node in calls if _called(node) not in BUILTINS), None)
        why = f"there is no function {unknown!r} at the top level" if unknown else "it calls no function of the file"
        raise UsageError(f"{text!r}: {why}; {_known(functions)}")
    strange = [_called(node) for node in calls if _called(node) not in (*functions, *BUILTINS)]
    if strange:
        raise UsageError(
            f"{text!r} calls {strange[0]}: besides its function, a goal may call only {', '.join(BUILTINS)}"
        )
    return next(iter(own.values()))


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _require_plain(tree: ast.expr, text: str) -> None:
    for node in ast.walk(tree):
        if not isinstance(node, (*_PARTS, ast.keyword)):
            raise UsageError(
                f"{text!r}: {type(node).__name__} is not allowed in a goal: use names, literals, operators and calls"
            )


def _free_names(call: ast.Call, node: ast.FunctionDef | None, text: str) -> tuple[tuple[str, str], ...]:
    """Return the free names of a call, each with its parameter."""
    assert node is not None  # the call was found by its name
    placed = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if any(argument.arg is None for argument in call.keywords) or any(
        isinstance(argument, ast.Starred) for argument in call.args
    ):
        raise UsageError(f"{text!r}: starred arguments are not allowed in a goal")
    free: dict[str, str] = {}
    for at, value in enumerate(call.args):
        if isinstance(value, ast.Name):
            free.setdefault(value.id, placed[at] if at < len(placed) else "")
        else:
            _literal(value, text)
    for word in call.keywords:
        if isinstance(word.value, ast.Name):
            free.setdefault(word.value.id, word.arg or "")
        else:
            _literal(word.value, text)
    if not free:
        raise UsageError(f"{text!r} has no free name: write one for each value to find, such as f(x)")
    return tuple(free.items())


def _literal(node: ast.expr, text: str) -> None:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise UsageError(f"{text!r}: the argument {ast.unparse(node)} is not a name or a literal") from None


def _plain_names(tree: ast.expr, call: ast.Call) -> set[str]:
    """Return the names in a goal that are not called."""
    heads = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in heads}


class _ReplaceCall(ast.NodeTransformer):
    """Replaces the call by the name of its value."""

    def __init__(self, call: str) -> None:
        self.call = call

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace the call of the goal, and no other."""
        return ast.Name(CALL_VALUE, ast.Load()) if ast.dump(node) == self.call else self.generic_visit(node)


def _pairs(test: ast.expr) -> list[tuple[str, str, str]]:
    """Return the comparisons that must all hold; empty if the goal is not such a conjunction."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_pairs(operand) for operand in test.values]
        return [pair for part in parts for pair in part] if all(parts) else []
    if not isinstance(test, ast.Compare):
        return []
    sides = [ast.unparse(side) for side in (test.left, *test.comparators)]
    return [(left, _OPERATORS[type(op)], right) for left, op, right in zip(sides, test.ops, sides[1:], strict=False)]
