"""Reads the imports of the package, lazy ones included, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = "worldline"
# Compiled from native/, so not found among the .py files.
NATIVE = {f"{PACKAGE}._engine", f"{PACKAGE}._recorder", f"{PACKAGE}._wire"}


@dataclass(frozen=True)
class Edge:
    """One import statement: who imports what, and where it says so."""

    importer: str
    imported: str
    line: int


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module, parsed once per test process."""
    return ast.parse(path.read_bytes())


def modules(root: Path) -> dict[str, Path]:
    """Every module under the package's folder, by dotted name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = [PACKAGE, *path.relative_to(root).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def edges(root: Path) -> list[Edge]:
    """Every import of the package by itself: also in functions, under TYPE_CHECKING, by import_module."""
    known = modules(root)
    return [
        Edge(name, _resolve(target, known), line)
        for name, path in known.items()
        for target, line in _targets(name, path)
        if target.split(".")[0] == PACKAGE
    ]


def _resolve(target: str, known: dict[str, Path]) -> str:
    """`from worldline.core import trace` names a module, `from worldline.core.limits import Limits` does not."""
    if target in known or target in NATIVE or "." not in target:
        return target
    parent = target.rpartition(".")[0]
    return parent if parent in known else target


def _targets(name: str, path: Path) -> Iterator[tuple[str, int]]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = _home(package, node)
            yield from ((f"{home}.{alias.name}" if home else alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__"):
            yield from (
                (argument.value, node.lineno)
                for argument in node.args
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            )


def _home(package: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
