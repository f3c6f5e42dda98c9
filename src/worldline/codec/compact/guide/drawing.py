"""Which lines of a source may use a hidden input (a draw, a clock, stdin, a thread switch), and of which kinds.

An over-approximation that no recorded execution leaves: a line may draw if it may execute code that is not the
program's own, by a call, an iteration, an import and the like. `flow.unknowable` has the lines that certainly draw.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from worldline.analyze.flow.control import first_line, syntax
from worldline.core.hidden import READ, THREAD

# What a library may draw; `below`, `bits`, `urandom` and `thread` are followed by numbers.
_DRAWS = (
    "below",
    "float",
    "bits",
    "urandom",
    "clock",
    "times",
    "usage",
    "id",
    "uuid",
    "stat",
    "state",
    "load",
    "proc",
    THREAD,
)
LIBRARY = frozenset(_DRAWS)
# Modules that neither draw, nor read a clock, nor start anything.
_DETERMINISTIC = frozenset({
    "__future__", "abc", "array", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal",
    "enum", "fractions", "functools", "graphlib", "heapq", "itertools", "json", "keyword", "math", "numbers",
    "operator", "re", "string", "struct", "textwrap", "types", "typing", "unicodedata",
})  # fmt: skip
# What reaches a module that no import names.
_DYNAMIC = re.compile(
    r"\b(?:__import__|importlib|exec|eval|compile|globals|locals|vars|modules|__builtins__|__loader__|__spec__"
    r"|__subclasses__|__globals__|__getattribute__)\b"
)
# What starts threads, or hands work to threads.
_THREADS = re.compile(r"thread|concurrent|asyncio|multiproc|queue|server|http|logging|subprocess|sched", re.IGNORECASE)
# What a program of another language may draw with, or reach what draws.
_FOREIGN_DRAWS = re.compile(
    r"\b(?:\w*[rR]and\w*|\w*[cC]lock\w*|\w*[tT]imers?\w*|set(?:Timeout|Interval|Immediate)|Date|Calendar|now|Instant|UUID|shuffle|\w*sleep"
    r"|performance|crypto|process|os|fs|Atomics|getInstance|Runtime|globalThis|require|import|eval|Function|constructor"
    r"|gettimeofday|time|times|getrusage|getloadavg|Hash(?:Map|Set)|f?open|ifstream|File|read)\b"
)
# Syntax that may execute code which is not the program's own.
_RUNS = (
    *(ast.Call, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Import, ast.ImportFrom, ast.comprehension),
    *(ast.Await, ast.YieldFrom, ast.Starred, ast.In, ast.NotIn, ast.Subscript, ast.Attribute, ast.ClassDef),
    ast.Delete,
)


def kinds(texts: Iterable[str], own: Iterable[str] = ()) -> frozenset[str]:
    """Return the first words of the kinds of hidden inputs that a program may have.

    `texts` are its sources, `own` the paths of its further files.
    """
    modules = {re.split(r"[/.]", path)[0] for path in own}
    words = {READ}
    for text in texts:
        words |= _kinds(text, frozenset(modules))
    return frozenset(words)


def foreign_kinds(texts: Iterable[str]) -> frozenset[str]:
    """Return the first words of the kinds of hidden inputs that a program of another language may have."""
    return LIBRARY - {THREAD} | {READ} if any(map(_FOREIGN_DRAWS.search, texts)) else frozenset({READ})


@lru_cache(maxsize=256)
def _kinds(text: str, own: frozenset[str]) -> frozenset[str]:
    tree = syntax(text)
    if tree is None or _DYNAMIC.search(text):
        return LIBRARY
    if any(name not in own | _DETERMINISTIC for name in _imported(tree)):
        return LIBRARY if _THREADS.search(text) else LIBRARY - {THREAD}
    return frozenset({"id"}) if re.search(r"\bid\b", text) else frozenset()


def _imported(tree: ast.AST) -> Iterator[str]:
    """The roots of the imported modules; a relative import is of an own file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


@lru_cache(maxsize=256)
def drawing_lines(source: str) -> frozenset[int] | None:
    """Return the lines that may draw, or None if any may."""
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
