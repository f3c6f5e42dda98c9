"""Which lines of a source can never run: blank ones, comments, and the docstrings of functions.

They hold nothing that a step depends on, so a prompt may leave them out. A source that does not parse has none.
"""

from __future__ import annotations

import ast
import io
import tokenize
from functools import lru_cache


@lru_cache(maxsize=64)
def idle_lines(source: str) -> frozenset[int]:
    """The numbers of the lines that can never run."""
    try:
        tree = ast.parse(source)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return frozenset()
    unused = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    strings = _docstrings(tree)
    busy: set[int] = set()
    for token in tokens:
        if token.type not in unused and not (token.type == tokenize.STRING and token.start in strings):
            busy.update(range(token.start[0], token.end[0] + 1))
    return frozenset(range(1, len(source.splitlines()) + 1)) - busy


def _docstrings(tree: ast.Module) -> set[tuple[int, int]]:
    """Where the docstrings of functions stand. One that is a whole body runs, as do those of modules and classes."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) > 1:
            match node.body[0]:
                case ast.Expr(value=ast.Constant(value=str())) as first:
                    found.add((first.lineno, first.col_offset))
    return found
