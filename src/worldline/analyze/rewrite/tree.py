"""Walks and compares syntax trees faster than `ast`: without contexts and without comparing text."""

from __future__ import annotations

import ast
from typing import Any

# Fields that never hold a node, or none that anybody looks for.
_IDLE = frozenset(
    [
        "ctx",
        "op",
        "id",
        "attr",
        "kind",
        "type_comment",
        "is_async",
        "conversion",
        "module",
        "level",
        "asname",
        "simple",
        "kwd_attrs",
    ]
)
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}
_EXACT = (str, int, bool, bytes, type(None), type(...))


def children(node: ast.AST) -> list[ast.AST]:
    """Return a node's direct children in order, without contexts and unary or binary operators."""
    nodes: list[ast.AST] = []
    names = _FIELDS.get(node.__class__)
    if names is None:
        names = _FIELDS[node.__class__] = tuple(name for name in node._fields if name not in _IDLE)
    for name in names:
        value = getattr(node, name, None)
        if value.__class__ is list:
            nodes += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            nodes.append(value)
    return nodes


def walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and all its descendants by `children`, level by level."""
    nodes = [node]
    for current in nodes:
        nodes += children(current)
    return nodes


def alike(left: Any, right: Any) -> bool:
    """Return whether two trees are the same program; missing fields count as None, positions do not count."""
    if left.__class__ is not right.__class__:
        return False
    if left.__class__ is list:
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, ast.AST):
        return all(alike(getattr(left, name, None), getattr(right, name, None)) for name in left._fields)
    same: bool = left == right if isinstance(left, _EXACT) else repr(left) == repr(right)
    return same
