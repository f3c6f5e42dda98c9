"""What decides the effect of a statement: its text, its names, and whether it needs definitions of its program."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from worldline.analyze.flow.control import syntax

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete)


@dataclass(frozen=True)
class StatementPlace:
    """The statement of a line.

    Attributes:
        text: The statement, of a compound one its head.
        names: All names in it, sorted.
        is_simple: It is an assignment, an expression or a deletion, so it decides nothing about the path.
        is_closed: It names nothing that the program defines at its top level.
    """

    text: str
    names: tuple[str, ...]
    is_simple: bool
    is_closed: bool


@lru_cache(maxsize=256)
def statement_places(source: str) -> Mapping[int, StatementPlace]:
    """Return the statement of each line inside a function; empty for a source that does not parse."""
    tree = syntax(source)
    if tree is None:
        return {}
    defined = set(_defined_names(tree))
    places: dict[int, StatementPlace] = {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for statement in (inner for function in functions for inner in ast.walk(function) if isinstance(inner, ast.stmt)):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        place = _place(statement, defined)
        end = statement.end_lineno or statement.lineno
        for line in range(statement.lineno, end + 1):
            # Inner statements come later and replace the compound one that they are in.
            places[line] = place
    return places


def _place(statement: ast.stmt, defined: set[str]) -> StatementPlace:
    parts = list(_head(statement))
    names = {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
    text = f"{type(statement).__name__} {'; '.join(map(ast.unparse, parts))}"
    return StatementPlace(text, tuple(sorted(names)), isinstance(statement, _SIMPLE), names.isdisjoint(defined))


def _head(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield a simple statement, or the expressions of a compound one without its blocks."""
    if not hasattr(statement, "body"):
        yield statement
        return
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr | ast.withitem):
            yield child


def _defined_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.stmt):
            yield from (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
