"""Python expressions as points of a graph, in the order in which they are evaluated.

A name is always reported on its own line; constants, operators and calls over several lines are points that an
interpreter may leave out. Bodies of lambdas and comprehensions are code objects of their own and not entered here,
except that 3.12 and later run comprehensions inline: their lines may be reported too.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from worldline.analyze.flow.graph import Graph

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)
MAX_SPAN_LINES = 64
MAX_KEYWORDS = 15


def touched(node: ast.AST) -> set[int]:
    """Return every line on which some part of the node may be evaluated."""
    lines: set[int] = set()
    for part in ast.walk(node):
        line = getattr(part, "lineno", None)
        if line is None:
            continue
        lines.add(line)
        if isinstance(part, ast.JoinedStr):
            lines.update(range(line, (part.end_lineno or line) + 1))
        elif isinstance(part, ast.Attribute):
            lines.add(part.end_lineno or line)
    return lines


def suspends(node: ast.AST) -> bool:
    """Return whether evaluating the node may suspend its code object."""
    return any(
        isinstance(part, SUSPENDS) or (isinstance(part, ast.comprehension) and bool(part.is_async))
        for part in ast.walk(node)
    )


class Evaluator:
    """Adds expressions to one graph; `yields` collects the lines on which the code object may suspend."""

    def __init__(self, graph: Graph, yields: set[int]) -> None:
        self.graph = graph
        self.yields = yields
        # The line of the statement whose condition is being evaluated: jumps are reported there.
        self.home = 0

    def visit(self, node: ast.expr, current: int) -> int:
        """Add one expression after the current point and return the point after it."""
        if node.lineno == node.end_lineno and not _is_special(node):
            return self.graph.then(current, node.lineno)
        if (node.end_lineno or node.lineno) - node.lineno > MAX_SPAN_LINES:
            return self.coarse(node, current)
        return self._parts(node, current)

    def coarse(self, node: ast.AST, current: int) -> int:
        """Add all lines of a node in any order."""
        lines = touched(node)
        current = self.graph.anyhow(current, lines | {self.home} if self.home else lines)
        if suspends(node):
            self._suspend(lines, current)
        return current

    def _suspend(self, lines: set[int], current: int) -> None:
        """Whatever is thrown in arrives here; a StopIteration from below only ends the wait."""
        self.yields |= lines
        self.graph.swallows |= lines
        self.graph.edge(current, self.graph.catch)

    def after(self, node: ast.expr | ast.stmt, current: int) -> int:
        """Add the operation itself after its operands."""
        if node.lineno == node.end_lineno:
            return self.graph.then(current, node.lineno)
        return self.graph.maybe(current, node.lineno)

    def _parts(self, node: ast.expr, current: int) -> int:
        match node:
            case ast.Name():
                return self.graph.then(current, node.lineno)
            case ast.Constant():
                return self.graph.maybe(current, node.lineno)
            case ast.BoolOp():
                return self._bool(node, current)
            case ast.IfExp():
                return self._if(node, current)
            case ast.Compare():
                return self._compare(node, current)
            case ast.Call():
                return self._call(node, current)
            case ast.Attribute():
                current = self.graph.maybe(self.visit(node.value, current), node.lineno)
                return self.graph.maybe(current, node.end_lineno or node.lineno)
            case ast.BinOp():
                return self._all([node.left, node.right], node, current)
            case ast.UnaryOp() | ast.Starred() | ast.Await() | ast.YieldFrom() | ast.Yield():
                return self._unary(node, current)
            case ast.Subscript():
                return self._all([node.value, node.slice], node, current)
            case ast.NamedExpr():
                return self._all([node.value, node.target], node, current)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._display(node.elts, node, current)
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return self._display([part for pair in pairs for part in pair if part], node, current)
            case _:
                return self.coarse(node, current)

    def _all(self, parts: Sequence[ast.expr], node: ast.expr, current: int) -> int:
        for part in parts:
            current = self.visit(part, current)
        return self.after(node, current)

    def _unary(self, node: ast.UnaryOp | ast.Starred | ast.Await | ast.YieldFrom | ast.Yield, current: int) -> int:
        operand = node.operand if isinstance(node, ast.UnaryOp) else node.value
        if operand is not None:
            current = self.visit(operand, current)
        if not isinstance(node, SUSPENDS):
            return self.after(node, current)
        if not isinstance(node, ast.Yield):
            self.graph.loops.add(node.lineno)
        current = self.graph.then(current, node.lineno)
        self._suspend({node.lineno}, current)
        return current

    def _display(self, parts: Sequence[ast.expr], node: ast.expr, current: int) -> int:
        current = self.graph.maybe(current, node.lineno)
        for part in parts:
            current = self.graph.maybe(self.visit(part, current), node.lineno)
        return current

    def _call(self, node: ast.Call, current: int) -> int:
        current = self.visit(node.func, current)
        unpacks = any(keyword.arg is None for keyword in node.keywords) or len(node.keywords) > MAX_KEYWORDS
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            current = self.visit(argument, current)
            if unpacks or isinstance(argument, ast.Starred):
                current = self.graph.maybe(current, node.lineno)
        if isinstance(node.func, ast.Attribute):
            current = self.graph.maybe(current, node.func.end_lineno or node.lineno)
        return self.after(node, current)

    def _bool(self, node: ast.BoolOp, current: int) -> int:
        if self.home:  # a condition's jumps are reported on whichever of its lines came before
            return self.coarse(node, current)
        ends = []
        for value in node.values:
            current = self.graph.maybe(self.visit(value, current), node.lineno)
            ends.append(current)
        return self.graph.join(*ends)

    def _compare(self, node: ast.Compare, current: int) -> int:
        current = self.visit(node.left, current)
        ends = []
        for value in node.comparators:
            current = self.after(node, self.visit(value, current))
            ends.append(current)
        return self.graph.join(*ends)

    def _if(self, node: ast.IfExp, current: int) -> int:
        tested = self.graph.maybe(self.visit(node.test, current), node.lineno)
        return self.graph.join(self.visit(node.body, tested), self.visit(node.orelse, tested))


def _is_special(node: ast.expr) -> bool:
    """Return whether a one-line expression must be inspected: it may suspend, loop, or be skipped."""
    if isinstance(node, ast.Constant):
        return True
    return any(isinstance(part, (*SUSPENDS, *COMPREHENSIONS)) for part in ast.walk(node))
