"""Finds what would let a program notice a rewrite: frames, lines, names, lifetimes or stack depth.

It looks at the code's behaviour, not at words in comments, texts or variables. Doubt (a module passed on as a value, a
name looked up by text) counts as noticing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from worldline.analyze.rewrite.names import FunctionNode, bindings, own
from worldline.analyze.rewrite.tree import walk


def _table() -> dict[str, frozenset[str]]:
    kinds: dict[str, frozenset[str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text().splitlines()[1:]:
        kind, *names = line.split()
        kinds[kind] = kinds.get(kind, frozenset()) | {*names}
    return kinds


_KINDS = _table()
_PARTIAL = ("inspect", "traceback", "warnings", "sys")  # modules of which only some parts see anything
_TEXTS = _KINDS["attribute"] | _KINDS["import"] | {*_PARTIAL[:3]}  # what a look-up by text may name


def watches(tree: ast.Module) -> str | None:
    """Return what in a program would notice a rewrite, and on which line; None if nothing does."""
    for line, name in sorted(_seen(tree)):
        return f"it uses `{name}` on line {line}, which sees its own frames, lines, names or lifetimes"
    if (dropped := _dropped(tree)) is not None:
        return f"the generator on line {dropped} does something when it is dropped, which a temporary would delay"
    return None


def _seen(tree: ast.Module) -> Iterator[tuple[int, str]]:
    nodes, own_names, modules = walk(tree), bindings(tree), dict[str, str]()
    yield from _imported(nodes, modules)
    lookups = {name for node in nodes for name in _looked_up_by(node)} & _KINDS["lookup"]
    named = {id(e) for node in nodes if _asks_for_its_name(node) for e in walk(node)}
    holders = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=part) if name in modules:
                if part in _KINDS[modules[name]]:
                    yield node.lineno, f"{modules[name]}.{part}"
            case ast.Attribute(attr=part) if part in _KINDS["attribute"]:
                yield node.lineno, part
            case ast.Name(id=name) if name in modules and id(node) not in holders and modules[name] != "sys":
                yield node.lineno, name
            case ast.Name(id=name) if name in _KINDS["builtin"] and not own_names[name]:
                yield node.lineno, name
            case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if (
                name in _KINDS["bare"] and not own_names[name]
            ):
                yield node.lineno, f"{name}()"
            case ast.FunctionDef(name="__del__"):
                yield node.lineno, "__del__"
            case ast.Constant(value=str(text)) if lookups and text in _TEXTS and id(node) not in named:
                yield node.lineno, text
            case _:
                pass


def _asks_for_its_name(node: ast.AST) -> bool:
    """Return whether this is `__name__ == "__main__"`, which looks nothing up."""
    return isinstance(node, ast.Compare) and "__name__" in {
        side.id for side in (node.left, *node.comparators) if isinstance(side, ast.Name)
    }


def _imported(nodes: list[ast.AST], modules: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield imports that rule out a rewrite; put modules with some such members into `modules` by local name."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                if top in _KINDS["import"]:
                    yield node.lineno, f"import {alias.name}"
                elif top in _PARTIAL:
                    modules[alias.asname or top] = top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            top = node.module.partition(".")[0]
            for alias in node.names:
                if (
                    top in _KINDS["import"]
                    or (top in _PARTIAL and alias.name in _KINDS[top])
                    or (alias.name == "*" and top in _PARTIAL)
                ):
                    yield node.lineno, f"{top}.{alias.name}"


def _looked_up_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield node.name


def _dropped(tree: ast.Module) -> int | None:
    """Return the line of a generator that acts when it is dropped: a temporary would keep it alive longer."""
    for node in walk(tree):
        if isinstance(node, FunctionNode):
            managers = [part for part in node.decorator_list if ast.unparse(part).endswith("contextmanager")]
            guarded = [part for part in own(node) if isinstance(part, ast.Try | ast.With | ast.TryStar)]
            if not managers and any(isinstance(e, ast.Yield | ast.YieldFrom) for part in guarded for e in own(part)):
                return node.lineno
    return None
