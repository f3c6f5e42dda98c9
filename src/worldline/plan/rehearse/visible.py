"""Calls in a source that touch the outside world, recognised by name; nothing is executed.

Calls under another name, from a library or from generated code are not found, and a call that is found may never be
reached. The names are in `calls.toml`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from worldline.core.language import LANGUAGES
from worldline.plan.rehearse.effect import TEXT, ScriptEffect

_MAX_TARGET_CHARACTERS = 80  # characters of a target
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    with open(Path(__file__).with_name("calls.toml"), "rb") as file:
        names_by_language: Mapping[str, Mapping[str, str]] = tomllib.load(file)
    return names_by_language


def visible(source: str, language: str) -> list[ScriptEffect]:
    """List the calls of a source that touch something, by name, in the order of lines."""
    effects = _python(source) if LANGUAGES[language].has_syntax_tree else _other(source, language)
    return sorted(effects, key=lambda effect: effect.line)


def _python(source: str) -> Iterator[ScriptEffect]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            kind, is_method = _kind(node, names)
            if kind:
                target, detail = _target(node, is_method)
                yield ScriptEffect(kind=kind, target=target, detail=detail, line=node.lineno, seen=TEXT)


def _imported(tree: ast.AST) -> dict[str, str]:
    """Map imported names to what they import."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                modules[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def _kind(node: ast.Call, names: Mapping[str, str]) -> tuple[str, bool]:
    """Return the kind of a call's effect, and whether only the name of a method shows it."""
    first, dot, rest = _dotted(node.func).partition(".")
    name = names.get(first, first) + dot + rest
    kind = _table()["python"].get(name, "")
    if kind or not isinstance(node.func, ast.Attribute):
        return (_opened(node) if kind == "open" else kind), False
    is_method = first not in names or names[first].partition(".")[0] in ("pathlib", "socket")
    return (_table()["methods"].get(node.func.attr, "") if is_method else ""), True


def _opened(node: ast.Call) -> str:
    modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    mode = modes[0].value if modes and isinstance(modes[0], ast.Constant) else "" if modes else "r"
    return "write" if not isinstance(mode, str) or set(mode) & set("wax+") or mode == "" else "read"


def _target(node: ast.Call, is_method: bool) -> tuple[str, str]:
    """Return the target of a call: a constant, or the source of an expression."""
    whose = node.func.value if isinstance(node.func, ast.Attribute) and is_method else node
    argument = whose.args[0] if isinstance(whose, ast.Call) and whose.args else None
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value[:_MAX_TARGET_CHARACTERS], ""
    return ast.unparse(node)[:_MAX_TARGET_CHARACTERS], "source text"


def _other(source: str, language: str) -> Iterator[ScriptEffect]:
    names = {**_table().get(LANGUAGES[language].extends, {}), **_table().get(language, {})}
    if not names:
        return
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w$])({known})\s*\(([^()\n]{{0,{_MAX_TARGET_CHARACTERS}}})")
    bare = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), source)
    for number, line in enumerate(bare.split("\n"), 1):
        for match in pattern.finditer(line):
            kind = names[match[1]]
            kind = ("write" if re.search(r"\"[wa]|O_WRONLY|O_CREAT", line) else "read") if kind == "open" else kind
            target = f"{match[1]}({match[2].strip()}"
            yield ScriptEffect(
                kind=kind, target=target[:_MAX_TARGET_CHARACTERS], detail="source text", line=number, seen=TEXT
            )
