"""The lines where the first frame of a call can begin, known before it runs.

A result is certain, or it is None, which restricts nothing. It is certain if the call's expression runs nothing else
first, and each name in it is an undecorated function or a plain class of the module, bound once.
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections import Counter
from functools import lru_cache

from worldline.analyze.flow.names import bound_names

_MAX_CALL_CHARS = 10_000  # characters of a call; a longer one is not looked at
# What binds names that no statement shows, or runs code between any two lines.
_OTHERWISE = re.compile(
    r"\b(?:exec|eval|globals|vars|setattr|delattr|__dict__|__setattr__|__code__|__del__|__builtins__|modules|__main__"
    r"|weakref|signal|settrace|setprofile|monitoring|__import__|builtins)\b|\bimport\s+\*"
)
_PLAIN = (
    ast.Expression, ast.Call, ast.keyword, ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict,
    ast.UnaryOp, ast.BinOp, ast.Attribute, ast.Load, ast.unaryop, ast.operator,
)  # fmt: skip
_BUILTINS = frozenset(name for name in vars(builtins) if not name.startswith("_"))


@lru_cache(maxsize=256)
def entries(source: str, call: str) -> frozenset[int] | None:
    """Return the lines where the first frame of a call can begin; None if unknown."""
    expression, module = _parsed(call, "eval"), _parsed(source, "exec")
    if not isinstance(expression, ast.Expression) or not isinstance(module, ast.Module):
        return None
    if _OTHERWISE.search(source) or _OTHERWISE.search(call) or not _is_plain(expression):
        return None
    times, begin_lines = _bindings(module), set[int]()
    attributes = frozenset(node.attr for node in ast.walk(expression) if isinstance(node, ast.Attribute))
    for name in {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}:
        lines = _named(module, name, times[name], attributes)
        if lines is None:
            return None
        begin_lines |= lines
    return frozenset(begin_lines) or None


def _parsed(text: str, mode: str) -> ast.AST | None:
    if mode == "eval" and len(text) > _MAX_CALL_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip() if mode == "eval" else text, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_plain(expression: ast.Expression) -> bool:
    """Return whether only named functions run code: operands and hashed items are constants."""
    for node in ast.walk(expression):
        if not isinstance(node, _PLAIN) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Call)):
            return False
        match node:
            case ast.Set(elts=parts) | ast.Dict(keys=parts):
                pass
            case ast.UnaryOp(operand=part):
                parts = [part]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case _:
                continue
        if any(part is None or any(isinstance(n, ast.Name) for n in ast.walk(part)) for part in parts):
            return False
    return True


def _named(module: ast.Module, name: str, times: int, attributes: frozenset[str]) -> frozenset[int] | None:
    """Return the lines where a frame can begin because of this name; None if unknown."""
    if not times:
        return frozenset() if name in _BUILTINS else None
    node = next((node for node in module.body if getattr(node, "name", None) == name), None)
    if times != 1 or getattr(node, "decorator_list", None):
        return None
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None if attributes & _set_attributes(module) else frozenset({node.lineno})
    return _methods(module, node, attributes) if isinstance(node, ast.ClassDef) else None


def _methods(module: ast.Module, node: ast.ClassDef, attributes: frozenset[str]) -> frozenset[int] | None:
    """Return the lines of the methods that can run first for objects of a plain class; None if unknown."""
    if node.bases or node.keywords:
        return None
    lines: set[int] = set()
    for part in node.body:
        match part:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if part.decorator_list or name in _set_attributes(module) or name.startswith("__getattr"):
                    return None
                if name in attributes or name.startswith("__"):
                    lines.add(part.lineno)
            case ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=ast.Constant() | None):
                pass
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                return None
    return frozenset(lines)


def _set_attributes(module: ast.Module) -> frozenset[str]:
    """Return the attributes that are assigned anywhere, except on `self`."""
    return frozenset(
        node.attr
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    )


def _bindings(module: ast.Module) -> Counter[str]:
    """Count how often the module binds each name; a `global` declaration counts twice."""
    counts = Counter(bound_names(module))
    for node in ast.walk(module):
        if isinstance(node, ast.Global):
            counts.update((*node.names, *node.names))
    return counts
