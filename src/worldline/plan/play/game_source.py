"""A game as a program for a model: the part of its source that `step` needs, and a step as a call.

The rest of the module, docstrings and annotations are left out: a shorter prompt gives better predictions.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any

from worldline.core.errors import UsageError
from worldline.plan.games.game import CHANCE, OVER, GameMove

GAME_MODULE = "worldline.plan.games.game"


def source_of(start: Any) -> str:
    """Return the part of a game's source that `step` needs; UsageError if its states cannot be written as calls."""
    kind = type(start)
    try:
        tree = ast.parse(inspect.getsource(inspect.getmodule(kind)))  # type: ignore[arg-type]
        ast.literal_eval(f"({', '.join(map(repr, _fields(start)))},)")
    except (OSError, TypeError, ValueError, SyntaxError, AttributeError):
        raise UsageError(
            f"{kind.__name__} cannot be predicted: its state must be a dataclass of plain values, defined in a file"
        ) from None
    return ast.unparse(ast.fix_missing_locations(_needed_source(tree, kind.__name__))) + "\n"


def call_of(state: Any, move: GameMove) -> str:
    """Return a step as an expression."""
    return f"{type(state).__name__}({', '.join(map(repr, _fields(state)))}).step({move!r})"


def _fields(state: Any) -> list[Any]:
    return [getattr(state, name) for name in type(state).__dataclass_fields__]


def _needed_source(tree: ast.Module, name: str) -> ast.Module:
    """Return the class with everything of it and of the module that `step` can reach."""
    own = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    methods = {node.name: node for node in own.body if isinstance(node, ast.FunctionDef)}
    defined = {defined_name: node for node in tree.body if node is not own for defined_name in _defines(node)}
    fields = [node for node in own.body if not isinstance(node, ast.FunctionDef)]
    reached, waiting = (set[str](), ["step", *(defined_name for node in fields for defined_name in _names(node))])
    while waiting:
        defined_name = waiting.pop()
        if defined_name not in reached and (definition := methods.get(defined_name) or defined.get(defined_name)):
            reached.add(defined_name)
            waiting += _names(definition)
    own.body = [node for node in own.body if node in fields or methods.keys() & reached & {*_defines(node)}]
    statements = [
        _without_worldline(node)
        for node in tree.body
        if node is own or reached & set(_defines(node)) or "dataclass" in _defines(node)
    ]
    for node in [part for defined_name in statements for part in ast.walk(defined_name)]:
        _strip_annotations(node)
    return ast.Module(statements, [])


def _names(node: ast.AST) -> list[str]:
    """List the names and attributes in a node."""
    parts = list(ast.walk(node))
    return [part.id for part in parts if isinstance(part, ast.Name)] + [
        part.attr for part in parts if isinstance(part, ast.Attribute)
    ]


def _defines(node: ast.stmt) -> list[str]:
    """List the names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def _without_worldline(node: ast.stmt) -> ast.stmt:
    """Replace an import of worldline by its values."""
    if isinstance(node, ast.ImportFrom) and node.module == GAME_MODULE:
        return ast.parse(f"CHANCE, OVER = {CHANCE}, {OVER}").body[0]
    return node


def _strip_annotations(node: ast.AST) -> None:
    """Remove docstrings and annotations."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    if isinstance(node, ast.FunctionDef):
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
    if isinstance(node, ast.AnnAssign) and any(isinstance(part, ast.Subscript) for part in ast.walk(node.annotation)):
        node.annotation = ast.Name(ast.unparse(node.annotation).partition("[")[0])
