"""The statements of a module one by one, each with its text: what can be put elsewhere without being printed anew."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_IMPORTS = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class StatementText:
    """One statement of a module and its lines, comments and blank lines above it included."""

    text: str
    node: ast.stmt

    @property
    def is_import(self) -> bool:
        """Whether it imports something."""
        return isinstance(self.node, _IMPORTS)

    def binds(self) -> set[str]:
        """The names that it gives a meaning in the module."""
        if isinstance(self.node, Definition):
            return {self.node.name}
        if isinstance(self.node, _IMPORTS):
            return {(alias.asname or alias.name).split(".")[0] for alias in self.node.names}
        nodes = [one for one in ast.walk(self.node) if isinstance(one, ast.Name)]
        return {one.id for one in nodes if not isinstance(one.ctx, ast.Load)}

    def at_once(self) -> list[ast.AST]:
        """The parts of it that run when the module does."""
        node = self.node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return [node]
        notes = [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg) and one.annotation]
        defaults = [one for one in (*node.args.defaults, *node.args.kw_defaults) if one is not None]
        return [*node.decorator_list, *defaults, *notes, *([node.returns] if node.returns else [])]


def pieces(source: str) -> list[StatementText]:
    """The statements of a module; empty where they cannot be told apart, or one of them has its place in the file."""
    lines = source.splitlines(keepends=True)
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if len(lines) != source.count("\n") or any(map(_is_fixed, body)):
        return []
    found, at = [], 0
    for node in body:
        end = node.end_lineno or node.lineno
        if end <= at:  # two statements in a line
            return []
        found.append(StatementText("".join(lines[at:end]).strip("\n") + "\n", node))
        at = end
    return found


def named(nodes: Sequence[ast.AST]) -> set[str]:
    """Every name that stands in the nodes."""
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_fixed(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
