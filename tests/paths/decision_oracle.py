"""What a program decides, by executing a copy of it whose conditions report themselves: no bytecode, no recorder."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

Decided = tuple[int, int, bool]
"""The line and the column of a decision, and whether it held."""


class _Reporting(ast.NodeTransformer):
    """Wraps each condition in a call that reports it. Sources are ASCII, so that columns are characters."""

    def _call(self, name: str, node: ast.AST, *arguments: ast.expr) -> ast.Call:
        place = [ast.Constant(node.lineno), ast.Constant(node.col_offset)]  # type: ignore[attr-defined]
        return ast.Call(ast.Name(name, ast.Load()), [*place, *arguments], [])

    def test(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self.test(value) for value in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(node.op, self.test(node.operand))
        if isinstance(node, ast.IfExp):
            return ast.IfExp(self.test(node.test), self.test(node.body), self.test(node.orelse))
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return ast.BoolOp(ast.And(), [self._call("decide", link, link) for link in _links(node)])
        return self._call("decide", node, self.visit(node))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        first = [self._operand(value, value) for value in node.values[:-1]]
        return ast.BoolOp(node.op, [*first, self.visit(node.values[-1])])

    def _operand(self, node: ast.expr, place: ast.expr) -> ast.expr:
        """An operand is decided by its last part, if that is evaluated: in `(a and b) or c`, by b."""
        if isinstance(node, ast.IfExp):
            return ast.IfExp(self.test(node.test), self._operand(node.body, place), self._operand(node.orelse, place))
        if not isinstance(node, ast.BoolOp):
            return self._call("decide", place, self.visit(node))
        first = [self._operand(value, value) for value in node.values[:-1]]
        return ast.BoolOp(node.op, [*first, self._operand(node.values[-1], place)])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        links = _links(node)
        decided = [self._call("decide", link, link) for link in links[:-1]]
        return ast.BoolOp(ast.And(), [*decided, links[-1]]) if decided else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return ast.IfExp(self.test(node.test), self.visit(node.body), self.visit(node.orelse))

    def _tested(self, node: Any) -> Any:
        node.test = self.test(node.test)
        for name in ("body", "orelse"):
            setattr(node, name, [self.visit(statement) for statement in getattr(node, name, [])])
        return node

    visit_If = visit_While = visit_Assert = _tested

    def visit_For(self, node: ast.For) -> ast.For:
        node.iter = self._call("items", node, self.visit(node.iter))
        node.body, node.orelse = ([self.visit(statement) for statement in part] for part in (node.body, node.orelse))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.iter = self._call("items", node.target, self.visit(node.iter))
        node.ifs = [self.test(test) for test in node.ifs]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        if node.type is not None:
            node.type = self._call("catch", node, node.type)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Match(self, node: ast.Match) -> ast.Match:
        cases = []
        for case in node.cases:
            guard = self.test(case.guard) if case.guard is not None else ast.Constant(True)
            body = [self.visit(statement) for statement in case.body]
            if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                cases.append(ast.match_case(case.pattern, guard if case.guard is not None else None, body))
                continue
            holds = ast.BoolOp(ast.And(), [self._call("matches", case.pattern), guard])
            fails = self._call("fails", case.pattern)
            cases += [ast.match_case(case.pattern, holds, body), ast.match_case(ast.MatchAs(), fails, [ast.Pass()])]
        node.subject, node.cases = self.visit(node.subject), cases
        return node


def _links(node: ast.Compare) -> list[ast.Compare]:
    """`a < b < c` as `a < b` and `b < c`; the sides have no effects."""
    sides = [node.left, *node.comparators]
    return [
        ast.copy_location(ast.Compare(sides[at], [op], [sides[at + 1]]), sides[at]) for at, op in enumerate(node.ops)
    ]


def decided_by(source: str, call: str) -> tuple[list[Decided], str]:
    """The decisions of a call in order, and the type of the exception that it raises, if any."""
    decided: list[Decided] = []
    matched: set[tuple[int, int]] = set()

    def decide(line: int, column: int, value: Any) -> Any:
        decided.append((line, column, bool(value)))
        return value

    def items(line: int, column: int, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            decided.append((line, column, True))
            yield value
        decided.append((line, column, False))

    def matches(line: int, column: int) -> bool:
        matched.add((line, column))
        decided.append((line, column, True))
        return True

    def fails(line: int, column: int) -> bool:
        if (line, column) not in matched:
            decided.append((line, column, False))
        matched.discard((line, column))
        return False

    def catch(line: int, column: int, kind: type[BaseException]) -> type[BaseException]:
        import sys

        error = sys.exc_info()[1]
        decided.append((line, column, isinstance(error, kind)))
        return kind

    names: dict[str, Any] = {"decide": decide, "items": items, "matches": matches, "fails": fails, "catch": catch}
    tree = ast.fix_missing_locations(_Reporting().visit(ast.parse(source)))
    exec(compile(tree, "<oracle>", "exec"), names)
    decided.clear()
    try:
        eval(call, names)
    except Exception as error:
        return decided, type(error).__name__
    return decided, ""
