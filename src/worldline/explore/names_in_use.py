"""The names that a line under way has read already: other values for them would come too late. Reads source only.

A loop goes on over what it began with; so does a comprehension. A frame that waits at a line, for a call or to be
resumed, may have read any name of the expression that it waits in. Which of them it has is not found out.
"""

from __future__ import annotations

import ast
from functools import lru_cache


@lru_cache(maxsize=64)
def in_use(source: str, line: int, *, waits: bool) -> dict[str, int]:
    """Those names, each with the line that reads it. `waits`: the frame is in the midst of the line."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.For | ast.AsyncFor) and _is_in(line, node.iter, node.body[-1]):
            _read(node.iter, found)
        elif isinstance(node, ast.expr) and _is_in(line, node, node):
            if waits:
                _read(node, found)
            for loop in getattr(node, "generators", ()):
                _read(loop.iter, found)
    return found


def _is_in(line: int, first: ast.expr, last: ast.stmt | ast.expr) -> bool:
    return first.lineno <= line <= (last.end_lineno or last.lineno)


def _read(node: ast.expr, found: dict[str, int]) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.setdefault(part.id, part.lineno)
