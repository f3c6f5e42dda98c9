"""The condition that decided that a step executes: the `if` or `while` around it, or an early exit before it."""

from __future__ import annotations

import ast

from worldline.diagnose.failure.evaluation import Evaluation
from worldline.diagnose.failure.origin import ExpressionRead, Origin
from worldline.diagnose.failure.trace_index import TraceIndex, own_end

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def deciding(index: TraceIndex, step: int) -> Origin | None:
    """Return the newest condition on which the statement of a step depends; None if it always executes."""
    frame = index.trace.columns.frame[step]
    function, statement = index.function(frame), index.statement(index.frames[frame].file, index.place(step).line)
    if function is None or statement is None:
        return None
    decision = _around(function.body, statement)
    if decision is None:
        return None
    node, holds = decision
    tested = _newest(index, frame, node, step)
    if tested is None:
        return None
    evaluation = Evaluation(index, tested)
    text = " ".join(ast.unparse(node.test).split())
    reads = (ExpressionRead(evaluation, node.test),)
    return Origin(kind="decided", step=tested, name=text, after=str(holds), reads=reads)


def _around(block: list[ast.stmt], statement: ast.stmt) -> tuple[ast.If | ast.While, bool] | None:
    """The innermost condition that decides a statement of a block, and whether it held."""
    early: tuple[ast.If | ast.While, bool] | None = None
    for node in block:
        if node is statement:
            return early
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = [part for part in getattr(node, name, ()) if isinstance(part, ast.AST)]
            flat = [part for part in inner if isinstance(part, ast.stmt)]
            for holder in inner:
                flat += [] if isinstance(holder, ast.stmt) else getattr(holder, "body", [])
            if any(statement is part for top in flat for part in ast.walk(top)):
                deeper = _around(flat, statement)
                own = (node, name == "body") if isinstance(node, ast.If | ast.While) else early
                return deeper or own
        if isinstance(node, ast.If) and node.body and isinstance(node.body[-1], _LEAVING):
            early = node, False
    return early


def _newest(index: TraceIndex, frame: int, node: ast.stmt, step: int) -> int | None:
    """The newest step of a frame on the own lines of a statement, before a step."""
    steps = [other for other in index.steps(frame) if other < step]
    lines = range(node.lineno, own_end(node) + 1)
    return next((other for other in reversed(steps) if index.trace.columns.line[other] in lines), None)
