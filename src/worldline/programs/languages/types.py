"""The types of a small Python program's names, which of them are never negative, and which change.

The types are `int bool char str list stack map charmap record:NAME several:...`. A list that is pushed to or popped
from is a stack; a dict whose keys are single letters of a text is a charmap.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

GROWING = ("append", "pop", "insert")


@dataclass
class NameTypes:
    """What is known about the names of one function or of a script."""

    params: dict[str, str] = field(default_factory=dict)
    growing: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    natural: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def scope(body: list[ast.stmt], params: dict[str, str]) -> NameTypes:
    """Collect what the statements of a body say about its names."""
    types = NameTypes({name: "int" if kind == "nat" else kind for name, kind in params.items()})
    seen: set[str] = set(params)
    for node in _nodes(body):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            if node.func.attr in GROWING:
                types.growing.add(node.func.value.id)
            if node.func.attr in (*GROWING, "reverse"):
                types.changed.add(node.func.value.id)
        for target in _targets(node):
            name = _root(target)
            if name and (name in seen or not isinstance(target, ast.Name) or isinstance(node, ast.AugAssign)):
                types.changed.add(name)
            if name:
                seen.add(name)
    annotated = [node for node in _nodes(body) if isinstance(node, ast.AnnAssign)]
    annotated_natural = {_root(node.target) for node in annotated if ast.unparse(node.annotation) == "nat"}
    types.names = set(params) | {node.id for node in _nodes(body) if isinstance(node, ast.Name)}
    natural_params = {name for name, kind in params.items() if kind == "nat"}
    types.natural = _natural(body, natural_params - types.changed) | annotated_natural | natural_params
    return types


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from _walked(statement)


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree in source order."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walked(child)


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        return list(target.elts) if isinstance(target, ast.Tuple) else [target]
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For) else []


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _natural(body: list[ast.stmt], natural_params: set[str]) -> set[str]:
    """Return the names that are never negative: start with all and drop those assigned a possibly negative value."""
    sets: list[tuple[str, ast.expr]] = []
    for node in _nodes(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else []
            sets += [(_root(t), v) for t, v in zip(node.targets[0].elts, values, strict=False)]
        elif isinstance(node, ast.Assign):
            sets.append((_root(node.targets[0]), node.value))
        elif isinstance(node, ast.AugAssign):
            sets.append((_root(node.target), ast.BinOp(node.target, node.op, node.value)))
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call):
            first = node.iter.args[0] if len(node.iter.args) > 1 else ast.Constant(0)
            is_up = len(node.iter.args) < 3
            sets.append((node.target.id, first if is_up else ast.Constant(-1)))
    natural = {name for name, _ in sets} | natural_params
    while bad := {name for name, value in sets if name in natural and not is_natural(value, natural)}:
        natural -= bad
    return natural


def is_natural(node: ast.expr, names: set[str]) -> bool:
    """Return whether an expression is never negative, if these names are not."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value >= 0
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Mod):
            return True
        both = is_natural(node.left, names) and is_natural(node.right, names)
        return both and isinstance(node.op, ast.Add | ast.Mult | ast.FloorDiv)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("len", "abs", "ord")
    return False
