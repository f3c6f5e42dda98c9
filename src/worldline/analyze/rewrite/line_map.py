"""Where a rewritten program stands in the original: the statement of each line, and the names that are scratch.

A statement of several lines is known by its first one, whichever of them runs: a rewriting does not keep the others.
Headers of compound statements, handlers and cases are statements of their own here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.analyze.rewrite.names import FunctionNode, begin, bindings

MODULE = 0  # stands for the line of the module's own frame


@dataclass(frozen=True)
class LineMap:
    """`heads[n]` is the original statement's first line of which line n + 1 is a part, 0 for a line that is of none.

    `scratch`: names that a function has in the rewriting alone, by the line at which its frame begins.
    """

    heads: tuple[int, ...]
    scratch: Mapping[int, frozenset[str]]

    def head(self, line: int) -> int:
        """Return the first line of the statement that a line belongs to; an unknown line is its own head."""
        return self.heads[line - 1] if 0 < line <= len(self.heads) else line


def line_map(original: str, source: str | None = None, lines: tuple[int, ...] = ()) -> LineMap:
    """Map the lines of a source, or of its rewrite with these original `lines`, to statement heads."""
    try:
        tree = ast.parse(original)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # never rewritten, and never run
        tree = ast.Module([], [])
    heads = dict(_heads(tree))
    if source is None:
        count = original.count("\n") + 1
        return LineMap(tuple(heads.get(line, line) for line in range(1, count + 1)), {})
    known = {line: tuple(bindings(scope)) for line, scope in _scopes(tree)}
    scratch: dict[int, frozenset[str]] = {}
    for line, scope in _scopes(ast.parse(source)):
        before = known.get(lines[line - 1] if line else MODULE, ())
        scratch[line] = frozenset(bindings(scope)) - frozenset(before)
    return LineMap(tuple(heads.get(line, line) for line in lines), scratch)


def _scopes(tree: ast.Module) -> Iterator[tuple[int, ast.AST]]:
    """Yield the module and every function, by the line at which its frame begins."""
    yield MODULE, tree
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            yield begin(node), node


def _heads(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield lines with the first line of their statement; later pairs, of inner statements, take precedence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = begin(node)
        elif isinstance(node, ast.ExceptHandler):
            first = node.lineno
        elif isinstance(node, ast.match_case):
            first = node.pattern.lineno
        else:
            continue
        inner: list[ast.stmt] = getattr(node, "body", [])
        end = begin(inner[0]) - 1 if inner else getattr(node, "end_lineno", None) or first
        for line in range(first, max(end, first) + 1):
            yield line, first
