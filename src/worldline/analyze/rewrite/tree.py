"""Syntax trees walked and compared, faster than by `ast`: contexts are left out, no text is compared."""

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
    """The nodes right below a node, in order, without contexts and the operators of one or two operands."""
    found: list[ast.AST] = []
    names = _FIELDS.get(node.__class__)
    if names is None:
        names = _FIELDS[node.__class__] = tuple(name for name in node._fields if name not in _IDLE)
    for name in names:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all below it as `children` gives them, level by level."""
    found = [node]
    for each in found:
        found += children(each)
    return found


def alike(one: Any, other: Any) -> bool:
    """Whether two trees, or parts of them, are one program: a field that is missing is None, places do not count."""
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ is list:
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, ast.AST):
        return all(alike(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    same: bool = one == other if isinstance(one, _EXACT) else repr(one) == repr(other)
    return same
