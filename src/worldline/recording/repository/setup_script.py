"""Read the literal arguments of `setup(...)` in a setup.py. The script is parsed, never executed."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

__all__ = ["setup_arguments"]

MAX_LIST_ITEMS = 1_000


def setup_arguments(source: str) -> dict[str, Any]:
    """Return the arguments of the call of `setup` that are literals, or names of literals in the module.

    `packages=find_packages("src")` is returned as `find_packages` with the folder, `ext_modules` as True.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    names = _module_literals(tree)
    arguments: dict[str, Any] = {}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _called(node) == "setup"):
            continue
        for keyword in node.keywords:
            if keyword.arg is None:
                known = names.get(keyword.value.id) if isinstance(keyword.value, ast.Name) else None
                arguments.update(known if isinstance(known, dict) else {})
            elif keyword.arg == "ext_modules":
                arguments["ext_modules"] = not (isinstance(keyword.value, ast.List) and not keyword.value.elts)
            elif isinstance(keyword.value, ast.Call) and _called(keyword.value).startswith("find_"):
                arguments["find_packages"] = _where(keyword.value)
            else:
                with suppress(ValueError):
                    arguments[keyword.arg] = _literal(keyword.value, names)
    return arguments


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _where(node: ast.Call) -> str:
    places = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "where")]
    values = [place.value for place in places if isinstance(place, ast.Constant) and isinstance(place.value, str)]
    return values[0] if values else "."


def _module_literals(tree: ast.Module) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            with suppress(ValueError):
                names[node.targets[0].id] = _literal(node.value, names)
    return names


def _literal(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return the value of an expression of literals, names of literals and additions of lists.

    Raises:
        ValueError: It has another part.
    """
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(item, names) for item in node.elts]
    if isinstance(node, ast.Dict):
        # `**other` and computed keys are left out.
        return {key: _literal(value, names) for key, value in _pairs(node)}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left, names), _literal(node.right, names)
        # Without a bound, a chain of `a = b + b` doubles a list until memory is full.
        if isinstance(left, list) and isinstance(right, list) and len(left) + len(right) <= MAX_LIST_ITEMS:
            return left + right
    if isinstance(node, ast.Constant):
        return node.value
    raise ValueError(f"not a literal: {type(node).__name__}")


def _pairs(node: ast.Dict) -> list[tuple[Any, ast.expr]]:
    pairs = zip(node.keys, node.values, strict=True)
    return [(key.value, value) for key, value in pairs if isinstance(key, ast.Constant)]
