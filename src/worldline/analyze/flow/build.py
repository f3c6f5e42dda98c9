"""Builds the line graph of Python statements and expressions, in evaluation order.

One `Builder` builds one code object. Code on one line is exact. A statement over several lines is over-approximated
where interpreters differ, and as "its lines, in any order" if it is large or deeply nested.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from worldline.analyze.flow.expression import Evaluator, touched
from worldline.analyze.flow.graph import EXIT, Graph


@dataclass
class Block:
    """A block that a jump passes on its way out: a loop, a `with` (its lines) or a `finally`."""

    kind: str
    goes_on: int = EXIT
    breaks: int = EXIT
    lines: tuple[int, ...] = ()
    pending: list[tuple[str, int]] = field(default_factory=list)


class Builder:
    """Builds the graph of one code object; each method takes the current point and returns the one after."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.blocks: list[Block] = []
        self.yields: set[int] = set()
        self.evaluator = Evaluator(self.graph, self.yields)

    def body(self, statements: Sequence[ast.stmt], current: int) -> int:
        """Add statements in sequence."""
        for statement in statements:
            current = self.statement(statement, current)
        return current

    def statement(self, node: ast.stmt, current: int) -> int:
        """Add one statement: exactly if possible, else as its lines in any order."""
        visit: Callable[[ast.stmt, int], int] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        depth, catch = len(self.blocks), self.graph.catch
        try:
            if visit is not None:
                return visit(node, current)
        except RecursionError:
            del self.blocks[depth:]
            self.graph.catch = catch
        return self.evaluator.coarse(node, current)

    def expression(self, node: ast.expr, current: int) -> int:
        """Add one expression in evaluation order."""
        return self.evaluator.visit(node, current)

    def _condition(self, node: ast.expr, line: int, current: int) -> int:
        self.evaluator.home = line
        current = self.evaluator.visit(node, current)
        self.evaluator.home = 0
        return current

    def _expr(self, node: ast.Expr, current: int) -> int:
        return self.graph.maybe(self.expression(node.value, current), node.lineno)

    def _assign(self, node: ast.Assign, current: int) -> int:
        current = self.expression(node.value, current)
        for target in node.targets:
            current = self.expression(target, current)
        return current

    def _augassign(self, node: ast.AugAssign, current: int) -> int:
        current = self.expression(node.target, current)
        current = self.evaluator.after(node, self.expression(node.value, current))
        return self.expression(node.target, current)

    def _annassign(self, node: ast.AnnAssign, current: int) -> int:
        if node.value is not None:
            current = self.expression(node.target, self.expression(node.value, current))
        return self.graph.anyhow(current, {node.lineno} | touched(node.annotation))

    def _return(self, node: ast.Return, current: int) -> int:
        if node.value is not None:
            current = self.expression(node.value, current)
        self.jump("return", node.lineno, self.evaluator.after(node, current))
        return self.graph.point()

    def _raise(self, node: ast.Raise, current: int) -> int:
        for part in (node.exc, node.cause):
            current = self.expression(part, current) if part is not None else current
        current = self.evaluator.after(node, current)
        if node.exc is None:  # raising again is not reported
            self.graph.edge(current, self.graph.catch)
        return self.graph.point()

    def _break(self, node: ast.Break, current: int) -> int:
        self.jump("break", node.lineno, self.graph.maybe(current, node.lineno))
        return self.graph.point()

    def _continue(self, node: ast.Continue, current: int) -> int:
        self.jump("continue", node.lineno, self.graph.maybe(current, node.lineno))
        return self.graph.point()

    def _pass(self, node: ast.Pass, current: int) -> int:
        return self.graph.maybe(current, node.lineno)

    def _global(self, node: ast.Global, current: int) -> int:
        return current

    def _nonlocal(self, node: ast.Nonlocal, current: int) -> int:
        return current

    def _assert(self, node: ast.Assert, current: int) -> int:
        current = self.graph.maybe(self._condition(node.test, node.lineno, current), node.lineno)
        if node.msg is not None:
            self.graph.maybe(self.expression(node.msg, current), node.lineno)
        return current

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, current: int) -> int:
        return self._definition(node, [node.args, *([node.returns] if node.returns is not None else [])], current)

    def _asyncfunctiondef(self, node: ast.AsyncFunctionDef, current: int) -> int:
        return self._functiondef(node, current)

    def _classdef(self, node: ast.ClassDef, current: int) -> int:
        return self._definition(node, [*node.bases, *node.keywords], current)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, parts: Sequence[ast.AST], current: int
    ) -> int:
        """Add the decorators, the definition, the decorators' calls in reverse, and the name."""
        for decorator in node.decorator_list:
            current = self.expression(decorator, current)
        lines = {node.lineno}.union(*(touched(part) for part in parts))
        if len(lines) > 1:
            current = self.graph.anyhow(current, lines)
        current = self.graph.then(current, node.lineno)
        for decorator in reversed(node.decorator_list):
            current = self.graph.then(current, decorator.lineno)
        return self.graph.then(current, node.lineno) if node.decorator_list else current

    def _if(self, node: ast.If, current: int) -> int:
        end = self.graph.point()
        while True:  # an elif chain is as deep as it is long: no recursion over it
            current = self._condition(node.test, node.lineno, current)
            self.graph.edge(self.body(node.body, current), end)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        self.graph.edge(self.body(node.orelse, current), end)
        return end

    def _while(self, node: ast.While, current: int) -> int:
        head, end = self.graph.point(), self.graph.point()
        self.graph.edge(current, head)
        tested = self._condition(node.test, node.lineno, head)
        self._loop(node, head, tested, end)
        if not (isinstance(node.test, ast.Constant) and node.test.value):
            self.graph.edge(self.body(node.orelse, tested), end)
        return end

    def _for(self, node: ast.For | ast.AsyncFor, current: int) -> int:
        head, end = self.graph.point(), self.graph.point()
        self.graph.edge(self.expression(node.iter, current), head)
        if node.iter.end_lineno == node.lineno:
            stepped = self.graph.then(head, node.lineno)
        else:
            stepped = self.graph.maybe(self.graph.maybe(head, node.lineno), node.iter.lineno)
        # 3.12 reports a StopIteration with a value.
        self.graph.swallows.update({node.lineno, node.iter.lineno})
        self._loop(node, head, self.expression(node.target, stepped), end)
        self.graph.edge(self.body(node.orelse, stepped), end)
        return end

    def _asyncfor(self, node: ast.AsyncFor, current: int) -> int:
        lines = {node.lineno} | touched(node.iter)
        self.yields |= lines
        self.graph.swallows |= lines
        return self._for(node, self.graph.anyhow(current, lines))

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor, head: int, current: int, end: int) -> None:
        self.blocks.append(Block("loop", goes_on=head, breaks=end))
        self.graph.edge(self.body(node.body, current), head)
        self.blocks.pop()
        if node.body[0].lineno == node.lineno:
            self.graph.loops.add(node.lineno)

    def _try(self, node: ast.Try, current: int) -> int:
        current = self.graph.then(current, node.lineno)
        outer, end = self.graph.catch, self.graph.point()
        block = Block("finally", goes_on=self.graph.point())
        if node.finalbody:
            self.blocks.append(block)
            self.graph.catch = outer_or_final = block.goes_on
        else:
            outer_or_final = outer
        dispatch = self.graph.point()
        self.graph.catch = dispatch
        current = self.body(node.body, current)
        self.graph.catch = outer_or_final
        current = self.body(node.orelse, current)
        ends = [current, *self._handlers(node, dispatch, outer_or_final)]
        if node.finalbody:
            self.blocks.pop()
        self.graph.catch = outer
        for point in ends:
            self.graph.edge(point, block.goes_on if node.finalbody else end)
        if node.finalbody:
            self._finally(node, block, end)
        return end

    def _trystar(self, node: ast.Try, current: int) -> int:
        return self._try(node, current)

    def _handlers(self, node: ast.Try, dispatch: int, escape: int) -> list[int]:
        """Add the except clauses in order; an exception that none of them catches escapes."""
        ends = []
        star = type(node).__name__ == "TryStar"
        for handler in node.handlers:
            if handler.type is None:
                current = self.graph.then(dispatch, handler.lineno)
            else:
                current = self.expression(handler.type, self.graph.maybe(dispatch, handler.lineno))
                current = self.graph.maybe(current, handler.lineno)
            dispatch = self.graph.point()
            self.graph.edge(current, dispatch)
            current = self.body(handler.body, current)
            if handler.name is not None:  # the name is taken away again
                current = self.graph.maybe(current, handler.lineno)
            if star:  # the rest of the group goes on to the next clause
                self.graph.edge(current, dispatch)
            ends.append(current)
        self.graph.edge(dispatch, escape)
        return ends

    def _finally(self, node: ast.Try, block: Block, end: int) -> None:
        """Add one copy of the final body; it continues in every way that entered it."""
        current = self.body(node.finalbody, block.goes_on)
        self.graph.edge(current, end)
        self.graph.edge(current, self.graph.catch)
        for kind, line in sorted(set(block.pending)):
            self.jump(kind, line, self.graph.maybe(current, line))

    def _with(self, node: ast.With | ast.AsyncWith, current: int) -> int:
        lines = tuple({node.lineno, *(item.context_expr.lineno for item in node.items)})
        for item in node.items:
            current = self._leave(lines, self.expression(item.context_expr, current))
            if item.optional_vars is not None:
                current = self.expression(item.optional_vars, current)
        end, outer, caught = self.graph.point(), self.graph.catch, self.graph.point()
        self.blocks.append(Block("with", lines=lines))
        self.graph.catch = caught
        current = self.body(node.body, current)
        self.graph.catch = outer
        self.blocks.pop()
        self.graph.edge(self._leave(lines, current), end)
        swallowed = self._leave(lines, caught)
        self.graph.swallows.update(lines)
        self.graph.loops.update(lines if len(node.items) > 1 else ())  # each item is left in turn
        self.graph.edge(swallowed, end)
        self.graph.edge(swallowed, outer)
        return end

    def _asyncwith(self, node: ast.AsyncWith, current: int) -> int:
        lines = {node.lineno, *(item.context_expr.lineno for item in node.items)}
        self.yields |= lines
        self.graph.loops |= lines
        return self._with(node, current)

    def _leave(self, lines: tuple[int, ...], current: int) -> int:
        return self.graph.then(current, lines[0]) if len(lines) == 1 else self.graph.anyhow(current, lines)

    def _match(self, node: ast.Match, current: int) -> int:
        end = self.graph.point()
        current = self.graph.maybe(self.expression(node.subject, current), node.lineno)
        for case in node.cases:
            current = self.graph.anyhow(current, touched(case.pattern))
            matched = self.expression(case.guard, current) if case.guard is not None else current
            self.graph.edge(self.body(case.body, matched), end)
            current = self.graph.join(current, matched)
        self.graph.edge(current, end)
        return end

    def jump(self, kind: str, line: int, current: int) -> None:
        """Route a return, break or continue out through the open blocks."""
        for depth in range(len(self.blocks) - 1, -1, -1):
            block = self.blocks[depth]
            if block.kind == "finally":
                block.pending.append((kind, line))
                self.graph.edge(current, block.goes_on)
                return
            if block.kind == "with":
                current = self.graph.maybe(self._leave(block.lines, current), line)
            elif kind != "return":
                self.graph.edge(current, block.goes_on if kind == "continue" else block.breaks)
                return
        self.graph.edge(current, EXIT)
