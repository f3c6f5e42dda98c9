"""What an edit of a function can use: its names, containers, attributes and expressions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from typing import TypeVar

from worldline.analyze.rewrite.names import FunctionNode
from worldline.plan.repair.edits.parsed import NamesInScope, ParsedSource, own_nodes

_T = TypeVar("_T")
MAX_DONOR_CHARACTERS = 40  # of an expression that replaces another
_BUILT_IN = frozenset(dir(builtins))
_CONSTRUCTORS = {"set": "add", "list": "append", "deque": "append", "Queue": "append"}
_ADDERS = {"append": "append", "add": "add", "extend": "append", "update": "add", "popleft": "append"}
_DONORS = (ast.Call, ast.Subscript, ast.Attribute, ast.BinOp, ast.Compare, ast.Name)


def find_names(
    code: ParsedSource, function: ast.AST, kinds: Mapping[str, frozenset[str]] | None = None
) -> NamesInScope:
    """Collect the names of a function and its enclosing functions, and their uses."""
    around, at = list[ast.AST](), function
    while isinstance(at, FunctionNode):
        around.append(at)
        at = _outer(code, at)
    nodes = [node for item in around or [function] for node in own_nodes(item)]
    defined = [node.name for node in ast.walk(code.tree) if isinstance(node, FunctionNode)]
    names = [*_parameters(around), *(node.id for node in nodes if isinstance(node, ast.Name))]
    imported = {
        (item.asname or item.name).partition(".")[0]
        for node in ast.walk(code.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for item in node.names
    }
    own_names = [name for name in names if name not in _BUILT_IN | imported and name not in defined]
    return NamesInScope(
        names=_distinct(own_names),
        containers=_distinct(_containers(nodes)),
        attributes=_distinct(node.attr for node in ast.walk(code.tree) if isinstance(node, ast.Attribute)),
        donors=_distinct(_donors(code, function)),
        functions=_distinct(defined),
        strings=_distinct(code.text(n) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)),
        kinds=kinds or {},
    )


def _outer(code: ParsedSource, node: ast.AST) -> ast.AST:
    parent = code.parents.get(node)
    while parent is not None and not isinstance(parent, FunctionNode):
        parent = code.parents.get(parent)
    return parent if parent is not None else code.tree


def _parameters(around: Iterable[ast.AST]) -> list[str]:
    names = list[str]()
    for function in around:
        if isinstance(function, FunctionNode):
            args = function.args
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            names += [parameter.arg for parameter in every if parameter]
    return names


def _containers(nodes: Iterable[ast.AST]) -> Iterable[tuple[str, str]]:
    """Yield names that hold containers, with the method that adds to them."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _ADDERS:
            yield node.value.id, _ADDERS[node.attr]
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        if isinstance(node.value, ast.List | ast.ListComp):
            yield node.targets[0].id, "append"
        elif isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            method = _CONSTRUCTORS.get(node.value.func.id)
            yield from [(node.targets[0].id, method)] if method else []


def _donors(code: ParsedSource, function: ast.AST) -> Iterable[str]:
    for node in own_nodes(function):
        if isinstance(node, _DONORS) and not (
            isinstance(node, ast.Name) and (node.id in _BUILT_IN or isinstance(node.ctx, ast.Store))
        ):
            text = code.text(node)
            if len(text) <= MAX_DONOR_CHARACTERS and "\n" not in text:
                yield text


def _distinct(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
