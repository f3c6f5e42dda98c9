"""Split a module into statements with their text, which can be moved without regenerating it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_IMPORTS = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class StatementText:
    """One statement of a module and its lines, with comments and blank lines above it."""

    text: str
    node: ast.stmt

    @property
    def is_import(self) -> bool:
        """Whether it imports something."""
        return isinstance(self.node, _IMPORTS)

    def binds(self) -> set[str]:
        """Return the names it binds in the module."""
        if isinstance(self.node, Definition):
            return {self.node.name}
        if isinstance(self.node, _IMPORTS):
            return {(alias.asname or alias.name).split(".")[0] for alias in self.node.names}
        nodes = [name for name in ast.walk(self.node) if isinstance(name, ast.Name)]
        return {name.id for name in nodes if not isinstance(name.ctx, ast.Load)}

    def at_once(self) -> list[ast.AST]:
        """Return the parts that run when the module does."""
        node = self.node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return [node]
        notes = [part.annotation for part in ast.walk(node.args) if isinstance(part, ast.arg) and part.annotation]
        defaults = [part for part in (*node.args.defaults, *node.args.kw_defaults) if part is not None]
        return [*node.decorator_list, *defaults, *notes, *([node.returns] if node.returns else [])]


def split_statements(source: str) -> list[StatementText]:
    """Split a module; empty if statements share lines or one must keep its place in the file."""
    lines = source.splitlines(keepends=True)
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if len(lines) != source.count("\n") or any(map(_is_fixed, body)):
        return []
    statements, at = [], 0
    for node in body:
        end = node.end_lineno or node.lineno
        # Two statements on one line.
        if end <= at:
            return []
        statements.append(StatementText("".join(lines[at:end]).strip("\n") + "\n", node))
        at = end
    return statements


def names_in(nodes: Sequence[ast.AST]) -> set[str]:
    """Return every name in the nodes."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_fixed(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
