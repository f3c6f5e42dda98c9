"""Where a program's text leaves room for a hidden input (a draw, a clock, what is read, who runs), and of which kinds.

An over-approximation that no recorded run leaves: a line may draw where it may run code that is not the program's own,
by a call, an iteration, an import and the like. What a line surely reads is `flow.unknowable`'s to say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from worldline.analyze.flow.control import first_line, syntax
from worldline.core.hidden import READ, THREAD

# What a library may draw; `below`, `bits`, `urandom` and `thread` have numbers behind them.
LIBRARY = frozenset({
    "below", "float", "bits", "urandom", "clock", "times", "usage", "id", "uuid", "stat", "state", THREAD,
})  # fmt: skip
# Modules that neither draw, nor read a clock, nor start anything.
_STILL = frozenset({
    "__future__", "abc", "array", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal",
    "enum", "fractions", "functools", "graphlib", "heapq", "itertools", "json", "keyword", "math", "numbers",
    "operator", "re", "string", "struct", "textwrap", "types", "typing", "unicodedata",
})  # fmt: skip
# What reaches a module that no import names.
_DYNAMIC = re.compile(
    r"\b(?:__import__|importlib|exec|eval|compile|globals|locals|vars|modules|__builtins__|__loader__|__spec__"
    r"|__subclasses__|__globals__|__getattribute__)\b"
)
# What starts threads, or hands work to some.
_THREADS = re.compile(
    r"thread|concurrent|asyncio|multiproc|queue|server|http|logging|subprocess|sched", re.IGNORECASE
)
_RUNS = (
    ast.Call, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Import, ast.ImportFrom, ast.comprehension, ast.Await,
    ast.YieldFrom, ast.Starred, ast.In, ast.NotIn, ast.Subscript, ast.Attribute, ast.ClassDef, ast.Delete,
)  # fmt: skip


def kinds(texts: Iterable[str], own: Iterable[str] = ()) -> frozenset[str]:
    """The kinds of hidden inputs that a program of these sources may have, by their first words.

    `own` are the paths of its further files.
    """
    modules = {re.split(r"[/.]", path)[0] for path in own}
    found = {READ}
    for text in texts:
        found |= _kinds(text, frozenset(modules))
    return frozenset(found)


@lru_cache(maxsize=256)
def _kinds(text: str, own: frozenset[str]) -> frozenset[str]:
    tree = syntax(text)
    if tree is None or _DYNAMIC.search(text):
        return LIBRARY
    if any(name not in own | _STILL for name in _imported(tree)):
        return LIBRARY if _THREADS.search(text) else LIBRARY - {THREAD}
    return frozenset({"id"}) if re.search(r"\bid\b", text) else frozenset()


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules that are imported, each by its root; a relative import is of an own file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


@lru_cache(maxsize=256)
def drawing_lines(source: str) -> frozenset[int] | None:
    """The lines that may draw; None: any."""
    tree = syntax(source)
    return None if tree is None else frozenset(_lines(tree))


def _lines(tree: ast.Module) -> Iterator[int]:
    pending: list[tuple[ast.AST, range]] = [(tree, range(0))]
    while pending:
        node, around = pending.pop()
        if isinstance(node, ast.stmt):
            around = _header(node)
        if isinstance(node, _RUNS) or _unpacks(node) or getattr(node, "decorator_list", None):
            yield from around
            yield from range(getattr(node, "lineno", 0), (getattr(node, "end_lineno", 0) or 0) + 1)
        pending += ((child, around) for child in ast.iter_child_nodes(node))


def _header(node: ast.stmt) -> range:
    """The lines of a statement, without those of its body."""
    body = getattr(node, "body", None)
    end = (node.end_lineno or node.lineno) + 1
    if isinstance(body, list) and body:
        end = max(first_line(body[0]), node.lineno + 1)
    return range(first_line(node), end)


def _unpacks(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else ()
    return any(isinstance(target, (ast.Tuple, ast.List)) for target in targets)
