"""The source of a script with its loops counted, and what a stopped loop has to know of its body.

`for x in items` becomes `for x in _rounds(line, items)`, and `while test` becomes `while _more(line) and test`. After
each loop, its names are set to the values that `Loops.after` returns.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

ROUNDS, MORE, AFTER, LEFT = "_worldline_rounds", "_worldline_more", "_worldline_after", "_worldline_left"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def counted(source: str, path: str) -> Any:
    """Parse a source and count its loops."""
    tree = _Counting().visit(ast.parse(source, path))
    return ast.fix_missing_locations(tree)


class _Counting(ast.NodeTransformer):
    """Rewrites loops: `for x in _rounds(line, items)`, `while _more(line) and test`, and what to set after them."""

    def visit_For(self, node: ast.For) -> Any:
        names, facts = sorted(_assigned([node.target, *node.body])), _facts([node.target], node.body)
        self.generic_visit(node)
        node.iter = _call(ROUNDS, node.lineno, node.iter, *facts)
        return [node, *_settled(node, names)]

    def visit_While(self, node: ast.While) -> Any:
        test = ast.unparse(node.test) if _is_plain(node.test) else ""
        names, facts = sorted(_assigned(node.body)), _facts([], node.body)
        self.generic_visit(node)
        more = _call(MORE, node.lineno, ast.Constant(test), *facts)
        node.test = ast.BoolOp(ast.And(), [more, node.test])
        # A loop that was left by `return` or an exception leaves its count behind.
        return [ast.Expr(_call(AFTER, node.lineno)), node, *_settled(node, names)]

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _call(ROUNDS, node.target.lineno, node.iter)
        return node


def _call(name: str, line: int, *more: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(line), *more], [])


def _settled(loop: ast.stmt, names: list[str]) -> list[ast.stmt]:
    """The statements after a loop that set the values it would end with."""
    lines = [f"{LEFT} = {AFTER}({loop.lineno})"]
    lines += [f"if {name!r} in {LEFT}: {name} = {LEFT}[{name!r}]" for name in names]
    statements = ast.parse("\n".join(lines)).body
    for statement in statements:
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):
                ast.copy_location(node, loop)
    return statements


def _inside(nodes: list[Any], closed: tuple[type, ...]) -> Iterator[Any]:
    """Yield the nodes below some, not those inside nodes of the closed types."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, closed):
            yield node
            waiting += ast.iter_child_nodes(node)


def _assigned(nodes: list[Any]) -> set[str]:
    """Plain names that statements assign, outside functions of their own."""
    inside = _inside(nodes, (*_SCOPES, ast.comprehension))
    return {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _touched(nodes: list[Any]) -> set[str]:
    """Names whose values statements may change: `name[0] = 1`, `name.x = 1`, `name.append(1)`."""
    names = set()
    for node in _inside(nodes, _SCOPES):
        changed = node.func if isinstance(node, ast.Call) else node
        is_stored = isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del)
        if isinstance(changed, ast.Attribute | ast.Subscript) and (is_stored or isinstance(node, ast.Call)):
            while isinstance(changed, ast.Attribute | ast.Subscript):
                changed = changed.value
            names |= {changed.id} if isinstance(changed, ast.Name) else set()
    return names


def _facts(targets: list[ast.expr], body: list[ast.stmt]) -> list[ast.expr]:
    """What `_stop` has to know of a loop: the names it assigns, those it may change, whether it may end early."""
    texts = " ".join(sorted(_assigned([*targets, *body]))), " ".join(sorted(_touched(body)))
    return [*map(ast.Constant, texts), ast.Constant(_may_end_early(body))]


def _may_end_early(body: list[ast.stmt]) -> bool:
    """Tell whether a `break` or `return` may end a loop before its last round."""
    ends = any(isinstance(node, ast.Return) for node in _inside(body, _SCOPES))
    return ends or any(isinstance(node, ast.Break) for node in _inside(body, (*_SCOPES, ast.For, ast.While)))


_PLAIN_NODES = (
    ast.Compare,
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.cmpop,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.expr_context,
)


def _is_plain(test: ast.expr) -> bool:
    """Tell whether a test only compares names and numbers, so that it can be asked for other rounds."""
    return isinstance(test, ast.Compare) and all(isinstance(node, _PLAIN_NODES) for node in ast.walk(test))
