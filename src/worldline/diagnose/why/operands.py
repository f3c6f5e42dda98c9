"""What one line reads to compute a value: names, their parts (`p.x`, `xs[i]`), and calls, in the order of the source.

Read from the syntax tree; nothing is evaluated. Of another language only the words of the line are known.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldline.analyze.flow.line_words import decision, on_line
from worldline.analyze.flow.operations import (
    COMPREHENSIONS,
    Operation,
    condition,
    expression,
    mentions,
    of_expression,
    of_name,
    of_result,
    own_nodes,
    statements,
)

_COMPREHENSION_FRAMES = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_WORD = re.compile(r"(?<![\w$.\"'])(?:[^\W\d][\w$]*|\$[\w$]*)")


@dataclass(frozen=True)
class ReadTerm:
    """A name that is read, and the keys of the part that is read: `.x`, `[0]`, or the name of an index."""

    text: str
    name: str
    keys: tuple[str | ast.Name, ...] = ()


@dataclass(frozen=True)
class CallTerm:
    """A call whose function the trace shows; `number` is its place among the calls of the line."""

    text: str
    number: int


@dataclass(frozen=True)
class LineReads:
    """The operation of a line that computes a value, and the syntax it reads; of another language, words."""

    operation: Operation
    nodes: tuple[ast.AST, ...] = ()
    words: tuple[str, ...] = ()
    #: Names that a comprehension of the line sets.
    inner: frozenset[str] = field(default_factory=frozenset)
    #: Whether the line itself gives the name a value or changes it.
    binds: bool = True

    def terms(self, called: Sequence[str]) -> list[ReadTerm | CallTerm]:
        """Return what the line reads. `called` are the functions that it called, in order."""
        if self.words:
            calls = [CallTerm(f"{name}()", number) for number, name in enumerate(called)]
            return [*(ReadTerm(word, word) for word in self.words), *calls]
        waiting = dict(enumerate(called))
        terms: list[ReadTerm | CallTerm] = []
        for node in self.nodes:
            terms += _terms(node, _matched(node, waiting))
        terms += [CallTerm(f"{name}()", number) for number, name in waiting.items()]
        return [term for term in dict.fromkeys(terms) if isinstance(term, CallTerm) or term.name not in self.inner]


def reads_of_write(source: str, line: int | None, name: str, kind: str) -> LineReads:
    """Return what the line reads that gives a name its value or changes it."""
    for node in reversed(statements(source, line)):
        value = expression(node, name, "line")
        if value is not None:
            return _reads(of_expression(source, value, kind), (value,))
    nodes = statements(source, line)
    operation = of_name(source, line, name, kind)
    if not nodes:
        return LineReads(operation, binds=False)
    node = nodes[-1]
    parts: tuple[ast.AST, ...] = (node.iter,) if isinstance(node, (ast.For, ast.AsyncFor)) else _own(node)
    return _reads(operation, parts, binds=mentions(source, line, name))


def reads_of_result(source: str, line: int | None, event: str, kind: str, inside: tuple[str, str]) -> LineReads:
    """Return what the line reads that hands on a value: `return`, `yield`, `raise` or `output`."""
    operation = of_result(source, line, event, kind, inside)
    nodes = statements(source, line)
    if not nodes:
        return LineReads(operation)
    value = expression(nodes[-1], None, event)
    if value is None:
        return _reads(operation, _own(nodes[-1]))
    # A display is narrowed to the element that differs, as its operation is.
    narrowed = next((part for part in _elements(value) if _is_text(source, part, operation.text)), value)
    return _reads(operation, (narrowed,))


def _elements(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, (ast.Tuple, ast.List)):
        return node.elts
    return node.values if isinstance(node, ast.Dict) else []


def _is_text(source: str, node: ast.expr, text: str) -> bool:
    return of_expression(source, node).text == text


def parameters(source: str, line: int | None, function: str) -> tuple[str, ...]:
    """Return the parameters of the function that begins on a line, positional ones first; none of a comprehension."""
    last = function.rpartition(".")[2]
    for node in statements(source, line):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == last:
            return _parameters(node.args)
        for part in own_nodes(node):
            if isinstance(part, ast.Lambda) and last == "<lambda>":
                return _parameters(part.args)
    return ()


def _parameters(arguments: ast.arguments) -> tuple[str, ...]:
    others = (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
    every = (*arguments.posonlyargs, *arguments.args, *(other for other in others if other is not None))
    return tuple(parameter.arg for parameter in every)


def reads_of_argument(source: str, line: int | None, name: str, parameters: Sequence[str], called: str) -> LineReads:
    """Return what the caller's line reads that gives a parameter its value."""
    function = called.rpartition(".")[2]
    owner = called.rpartition(".")[0].rpartition(".")[2]
    names = {function, owner} if function == "__init__" else {function}
    for node in statements(source, line):
        for call in (part for part in own_nodes(node) if isinstance(part, ast.Call)):
            if _called(call) not in names:
                continue
            value = _argument(call, parameters, name, is_constructor=function == "__init__")
            if value is not None:
                return _reads(of_expression(source, value), (value,))
            return _reads(Operation("argument", of_expression(source, call).text), _arguments(call))
    nodes = statements(source, line)
    text = of_name(source, line, name).text
    return _reads(Operation("argument", text), _own(nodes[-1]) if nodes else ())


def reads_of_condition(source: str, line: int | None) -> LineReads | None:
    """Return what the line reads that decides which line comes next; None if it decides nothing."""
    decides = condition(source, line)
    if decides is None:
        return None
    for node in reversed(statements(source, line)):
        if isinstance(node, (ast.If, ast.While, ast.Assert)):
            return _reads(decides, (node.test,))
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return _reads(decides, (node.iter,))
        if isinstance(node, ast.Match):
            return _reads(decides, (node.subject,))
    nodes = statements(source, line)
    return _reads(decides, _own(nodes[-1]) if nodes else ())


def reads_of_words(text: str, *, decides: bool = False) -> LineReads | None:
    """Return what a line of another language reads; with `decides`, None if it is not a condition or a loop."""
    operation = decision(text) if decides else on_line(text)
    if operation is None:
        return None
    return LineReads(operation, words=tuple(dict.fromkeys(_WORD.findall(text))))


def _own(node: ast.stmt) -> tuple[ast.AST, ...]:
    """The expressions of a statement, without the statements in it."""
    return tuple(part for part in ast.iter_child_nodes(node) if isinstance(part, (ast.expr, ast.keyword, ast.withitem)))


def _reads(operation: Operation, nodes: tuple[ast.AST, ...], *, binds: bool = True) -> LineReads:
    parts = [part for node in nodes for part in ast.walk(node)]
    targets = [part.target for part in parts if isinstance(part, ast.comprehension)]
    inner = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return LineReads(operation, nodes, inner=frozenset(inner), binds=binds)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _arguments(call: ast.Call) -> tuple[ast.AST, ...]:
    return (*call.args, *(keyword.value for keyword in call.keywords))


def _argument(call: ast.Call, parameters: Sequence[str], name: str, *, is_constructor: bool) -> ast.expr | None:
    """The expression that a call gives a parameter; of `self`, the object before the dot."""
    by_name = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    if by_name is not None or name not in parameters or any(isinstance(part, ast.Starred) for part in call.args):
        return by_name
    is_method = is_constructor or (isinstance(call.func, ast.Attribute) and parameters[0] in ("self", "cls"))
    at = list(parameters).index(name) - is_method
    if at == -1 and isinstance(call.func, ast.Attribute) and not is_constructor:
        return call.func.value
    return call.args[at] if 0 <= at < len(call.args) else None


def _matched(node: ast.AST, waiting: dict[int, str]) -> dict[ast.AST, int]:
    """The calls of an expression that the trace shows, innermost first, each with its number."""
    matched: dict[ast.AST, int] = {}
    for part in _post_order(node):
        if not isinstance(part, (ast.Call, *COMPREHENSIONS)):
            continue
        names = (_called(part),) if isinstance(part, ast.Call) else _COMPREHENSION_FRAMES
        number = next((number for number, name in waiting.items() if _is_call_of(name, names)), None)
        if number is not None:
            matched[part] = number
            del waiting[number]
    return matched


def _is_call_of(function: str, names: Sequence[str]) -> bool:
    owner, _, last = function.rpartition(".")
    return last in names or (last == "__init__" and owner.rpartition(".")[2] in names)


def _post_order(node: ast.AST) -> Iterator[ast.AST]:
    for part in ast.iter_child_nodes(node):
        yield from _post_order(part)
    yield node


def _terms(node: ast.AST, matched: dict[ast.AST, int]) -> Iterator[ReadTerm | CallTerm]:
    """What an expression reads. The arguments of a call that the trace shows are read by the called function."""
    if node in matched:
        yield CallTerm(_spelled(node), matched[node])
        return
    match node:
        case ast.Name():
            yield ReadTerm(node.id, node.id)
        case ast.Attribute() | ast.Subscript():
            yield from _part(node, matched)
        case ast.Call():
            if isinstance(node.func, ast.Attribute):
                yield from _terms(node.func.value, matched)
            for argument in _arguments(node):
                yield from _terms(argument, matched)
        case ast.Lambda():
            return
        case _:
            for part in ast.iter_child_nodes(node):
                yield from _terms(part, matched)


def _part(node: ast.Attribute | ast.Subscript, matched: dict[ast.AST, int]) -> Iterator[ReadTerm | CallTerm]:
    """A part of a name, as far as its keys are simple, and what its other keys read."""
    chain: list[ast.Attribute | ast.Subscript] = []
    base: ast.expr = node
    while isinstance(base, (ast.Attribute, ast.Subscript)) and base not in matched:
        chain.append(base)
        base = base.value
    if not isinstance(base, ast.Name):
        yield from _terms(base, matched)
    else:
        keys: list[str | ast.Name] = []
        whole: ast.expr = base
        for part in reversed(chain):
            key = _key(part)
            if key is None:
                break
            keys.append(key)
            whole = part
        yield ReadTerm(_spelled(whole), base.id, tuple(keys))
    for part in chain:
        if isinstance(part, ast.Subscript):
            yield from _terms(part.slice, matched)


def _key(node: ast.Attribute | ast.Subscript) -> str | ast.Name | None:
    if isinstance(node, ast.Attribute):
        return f".{node.attr}"
    match node.slice:
        case ast.Name() as name:
            return name
        case ast.Constant(value=int() | str() as value) if not isinstance(value, bool):
            return f"[{value!r}]"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return f"[-{value}]"
    return None


def _spelled(node: ast.AST) -> str:
    return ast.unparse(node)
