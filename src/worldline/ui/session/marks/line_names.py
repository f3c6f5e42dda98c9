"""What a line does to names, from Python's syntax tree or from the words of other languages.

`sharing` needs it. Words show plain assignments only: `b = a;`, `let b = a`, `List<X> b = a;`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from worldline.analyze.flow.operations import statements
from worldline.core.language import LANGUAGES, all_lines
from worldline.ui.session.marks.syntax import spans

_WORD = re.compile(r"[^\W\d][\w$]*+|\$[\w$]*+")
# An assigned name, and the name that is the whole value.
_ASSIGNED = re.compile(
    r"(?<![\w$.\]])([^\W\d][\w$]*+)(?:\s*+:[^=;]*+)?\s*+=(?![=>])\s*+(?:([^\W\d][\w$]*+)\s*+(?:;|,|$))?"
)


class LineNames(NamedTuple):
    """What a line does to names: those it binds, those it ties to one object, and the others it mentions."""

    bound: frozenset[str]
    ties: tuple[frozenset[str], ...]
    named: frozenset[str]


NOTHING = LineNames(frozenset(), (), frozenset())


@lru_cache(maxsize=4096)
def line_names(source: str, line: int, language: str = "python") -> LineNames:
    """Return what a line does to names. `x += ...` does not bind: it changes a mutable object in place."""
    if LANGUAGES[language].has_syntax_tree:
        return _in_python(source, line)
    return _by_words(source, line, language)


def _by_words(source: str, line: int, language: str) -> LineNames:
    """Read the words of a line, outside its strings and comments."""
    lines = all_lines(source, language)
    if not 0 < line <= len(lines):
        return NOTHING
    text = lines[line - 1]
    for start, end, kind in reversed(spans(source, language)[line - 1]):
        if kind in ("string", "comment"):
            text = text[:start] + " " + text[end:]
    named, bound, ties = set(_WORD.findall(text)), set[str](), list[frozenset[str]]()
    for match in _ASSIGNED.finditer(text):
        bound.add(match[1])
        if match[2] and match[2] != match[1]:
            ties.append(frozenset((match[1], match[2])))
    return LineNames(frozenset(bound), tuple(ties), frozenset(named - bound))


def _in_python(source: str, line: int) -> LineNames:
    bound, named, ties = set[str](), set[str](), list[frozenset[str]]()
    for node in statements(source, line):
        for part in _header(node):
            if isinstance(part, ast.Name):
                (named if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                bound.discard(name)
                named.add(name)
            case ast.Assign(targets=targets, value=value):
                tied = {part.id for part in (*targets, value) if isinstance(part, ast.Name)}
                ties += [frozenset(tied)] if len(tied) > 1 else []
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Name(id=other)) if name != other:
                ties.append(frozenset((name, other)))
    return LineNames(frozenset(bound), tuple(ties), frozenset(named))


def _header(node: ast.AST) -> Iterator[ast.AST]:
    """A statement without the statements inside it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _header(child)
