"""The operations of a line in one of its scopes: its own, or those of a comprehension or lambda on it.

Read from the syntax tree. A value of the run shows only the kind of the outermost operation; an inner one counts as
a concatenation, a repetition or a format only if an operand is a literal.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from worldline.analyze.flow.control import first_line
from worldline.analyze.flow.operations import COMPREHENSIONS, IDLE, any_operation, expression, statements

ValueKinds = tuple[tuple[str | None, str, tuple[str, ...]], ...]
"""Of each name that a line gives a value (none: what it returns or yields) the kind, and the kinds of its elements."""
_SCOPES = (*COMPREHENSIONS, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class InnerScope(NamedTuple):
    """The frame of the `turn`-th comprehension at a depth, or of a lambda with these parameters."""

    depth: int = 1
    turn: int = 0
    parameters: frozenset[str] | None = None


@lru_cache(maxsize=4096)
def executed(source: str, line: int | None, kinds: ValueKinds = (), scope: InnerScope | None = None) -> frozenset[str]:
    """Return the operations that a line executes; copies and literals only if there is nothing else.

    Args:
        source: The source text.
        line: The line number.
        kinds: Kinds of the values that the run shows.
        scope: A comprehension or lambda on the line; by default the line itself.
    """
    if scope is not None:
        return _of_scope(_find_scope(statements(source, line), scope), line, kinds)
    operations: set[str] = set()
    for node in statements(source, line):
        top = _known(node, kinds)
        value = getattr(node, "value", None)
        operations |= _named(_parts([node]), top)
        operations |= {any_operation(value, top.get(id(value), ""))} if isinstance(value, ast.expr) else set()
    return frozenset(operations)


def _of_scope(scope: ast.expr | None, line: int | None, kinds: ValueKinds) -> frozenset[str]:
    """Return the operations of a comprehension on the line, or all operations of a lambda."""
    kind = next((value_kind for name, value_kind, _ in kinds if name is None), "")
    if isinstance(scope, ast.Lambda):
        return frozenset(_named(_parts([scope.body]), {id(scope.body): kind}))
    if scope is None:
        return frozenset()
    roots = [child for child in ast.iter_child_nodes(scope) if isinstance(child, (ast.expr, ast.comprehension))]
    is_yield = isinstance(scope, ast.GeneratorExp)
    skipped = id(scope.generators[0].iter)  # type: ignore[attr-defined]
    return frozenset(
        _named((p for p in _parts(roots, skipped) if _place(p) == line), {id(roots[0]): kind if is_yield else ""})
    )


def begins(source: str, line: int | None, scope: InnerScope) -> bool:
    """Return whether a comprehension takes its next element on this line."""
    inner = _find_scope(statements(source, line), scope)
    return isinstance(inner, COMPREHENSIONS) and inner.generators[0].target.lineno == line


def is_lazy(source: str, line: int | None, scope: InnerScope) -> bool:
    """Return whether the comprehension is a generator."""
    return isinstance(_find_scope(statements(source, line), scope), ast.GeneratorExp)


def inlined(source: str, line: int | None) -> bool:
    """Return whether a further event of a line can only be an element of an inlined comprehension."""
    inner = _find_scope(statements(source, line), InnerScope())
    if not isinstance(inner, COMPREHENSIONS) or isinstance(inner, ast.GeneratorExp):
        return False
    is_one_line = inner.lineno == inner.end_lineno
    return is_one_line or (
        inner.generators[0].iter.lineno != line and line in {_place(p) for p in _parts([inner], 0, 1)}
    )


@lru_cache(maxsize=4096)
def goes_on(source: str, begun: int | None, line: int | None) -> bool:
    """Return whether the next line of a frame belongs to the same statement."""
    before, after = statements(source, begun), statements(source, line)
    if not before or not after or before[-1] is not after[-1] or any(isinstance(node, _LOOPS) for node in before):
        return False
    last = before[-1]
    return begun != line or last.end_lineno != first_line(last) or inlined(source, line)


def begins_lambda(source: str, line: int | None) -> bool:
    """Return whether a frame that begins on this line is a lambda's."""
    nodes = statements(source, line)
    owners = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return (
        not any(isinstance(node, owners) for node in nodes)
        and _find_scope(nodes, InnerScope(parameters=frozenset())) is not None
    )


@lru_cache(maxsize=4096)
def shows_elements(source: str, line: int | None) -> bool:
    """Return whether a line writes a tuple or list whose elements are computed with operators."""
    parts = (part for node in statements(source, line) for part in _parts([node]))
    shown = (part.elts for part in parts if isinstance(part, (ast.Tuple, ast.List)))
    return any(isinstance(element, ast.BinOp) for elements in shown for element in elements)


def _named(parts: Iterator[ast.AST], top: dict[int, str]) -> set[str]:
    nodes = list(parts)
    called = {id(part.func) for part in nodes if isinstance(part, ast.Call)}  # a method's name is no attribute
    return {any_operation(part, top.get(id(part)) or _written(part)) for part in nodes if id(part) not in called} - IDLE


def _written(node: ast.AST) -> str:
    """Return the kind of an operation's value if a literal operand shows it."""
    for operand in (node.left, node.right) if isinstance(node, ast.BinOp) else ():
        if isinstance(operand, ast.JoinedStr):
            return "str"
        if isinstance(operand, ast.Constant) and isinstance(operand.value, (str, bytes)):
            return type(operand.value).__name__
        if isinstance(operand, (ast.List, ast.Tuple)):
            return type(operand).__name__.lower()
    return ""


def _known(node: ast.stmt, kinds: ValueKinds) -> dict[int, str]:
    """Return the kinds of the expressions of a statement whose values the run shows."""
    top: dict[int, str] = {}
    for name, kind, elements in kinds:
        if isinstance(node, ast.AugAssign) and name is not None:
            top[id(node)] = kind
        value = _result(node) if name is None else expression(node, name, "")
        if value is not None:
            top[id(value)] = kind
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(elements):
            top.update((id(element), of) for element, of in zip(value.elts, elements, strict=True))
    return top


def _result(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Return):
        return node.value
    suspended = (part.value for part in _parts([node]) if isinstance(part, (ast.Yield, ast.YieldFrom)))
    return next(suspended, None)


def _find_scope(nodes: Sequence[ast.stmt], scope: InnerScope) -> ast.expr | None:
    """Find the scope at a depth on the line: a lambda by its parameters, a comprehension by its order."""
    level: list[ast.AST] = list(nodes[-1:])
    for _ in range(scope.depth):
        level = [part for node in level for part in _parts(_roots(node)) if isinstance(part, _SCOPES)]
    is_lambda = scope.parameters is not None
    candidates = [node for node in level if isinstance(node, ast.expr) and isinstance(node, ast.Lambda) == is_lambda]
    candidates.sort(key=lambda node: (node.lineno, node.col_offset))
    if not is_lambda:
        return candidates[scope.turn % len(candidates)] if candidates else None
    fit = (
        node
        for node in candidates
        if isinstance(node, ast.Lambda) and {a.arg for a in node.args.args} == set(scope.parameters or ())
    )
    return next(fit, candidates[0] if candidates else None)


def _roots(node: ast.AST) -> list[ast.AST]:
    return list(ast.iter_child_nodes(node)) if isinstance(node, _SCOPES) else [node]


def _parts(roots: Sequence[ast.AST], skipped: int = 0, into: int = 0) -> Iterator[ast.AST]:
    """Yield the nodes that one scope evaluates; of nested scopes only the first iterable or the defaults."""
    for root in roots:
        if id(root) == skipped:
            continue
        yield root
        if not isinstance(root, _SCOPES) or into:
            children: list[ast.AST] = [child for child in ast.iter_child_nodes(root) if not isinstance(child, ast.stmt)]
        elif isinstance(root, ast.Lambda):
            children = [child for child in (*root.args.defaults, *root.args.kw_defaults) if child is not None]
        else:
            children = [root.generators[0].iter]
        yield from _parts(children, skipped)


def _place(node: ast.AST) -> int | None:
    return node.target.lineno if isinstance(node, ast.comprehension) else getattr(node, "lineno", None)
