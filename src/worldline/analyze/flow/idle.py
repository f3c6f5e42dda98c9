"""Which lines of a source can never run: blank ones, comments, and the docstrings of functions.

They hold nothing that a step depends on, so a prompt may leave them out. A source that does not parse has none, and
neither has one of another language than Python: which of its lines are text is not known here.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence
from functools import lru_cache

from worldline.core.language import LANGUAGES


def idle_in(lines: Sequence[str], language: str) -> frozenset[int]:
    """Return the numbers of the given lines of a source that can never run."""
    if not LANGUAGES[language].has_syntax_tree:
        return frozenset()
    return idle_lines("".join(line + "\n" for line in lines))


@lru_cache(maxsize=64)
def idle_lines(source: str) -> frozenset[int]:
    """Return the numbers of the lines that can never run."""
    try:
        tree = ast.parse(source)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return frozenset()
    unused = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    docstrings = _docstrings(tree)
    busy: set[int] = set()
    for token in tokens:
        if token.type not in unused and (token.start, token.end) not in docstrings:
            busy.update(range(token.start[0], token.end[0] + 1))
    return frozenset(range(1, source.count("\n") + 1)) - busy


def _docstrings(tree: ast.Module) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the docstrings of functions begin and end.

    One that is a whole body runs, as do those of modules and classes. One before another string is left in: without
    it, the other would be the docstring.
    """
    spans = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str())), ast.Expr(value=ast.Constant(value=str())), *_]:
                    continue
                case [ast.Expr(value=ast.Constant(value=str())) as first, _, *_]:
                    end = (first.end_lineno or 0, first.end_col_offset or 0)
                    spans.add(((first.lineno, first.col_offset), end))
    return spans
