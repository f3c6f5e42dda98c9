"""What a program's text does not determine: where it draws, reads a clock, hashes, or goes through a set.

Names are resolved by the imports of the source. It says what a line may read, not that it matters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.operations import own_nodes, statements

DRAW, CLOCK, HASH, ADDRESS, INPUT, SYSTEM = (
    "a random draw", "the clock", "the hash seed", "an address", "an input", "the system",
)  # fmt: skip
SET = "the order of a set"
_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_READ = {
    "uuid": {"uuid1": DRAW, "uuid4": DRAW},
    "os": {"urandom": DRAW, "getrandom": DRAW, "getpid": SYSTEM, "getppid": SYSTEM, "times": CLOCK},
    "time": dict.fromkeys(
        (*_CLOCKS, *(f"{name}_ns" for name in _CLOCKS), "localtime", "gmtime", "ctime", "asctime", "strftime"), CLOCK
    ),
    "datetime": dict.fromkeys(("now", "utcnow", "today"), CLOCK),
    "builtins": {"id": ADDRESS, "hash": HASH, "input": INPUT},
}  # fmt: skip
_DRAWN = ("random", "secrets")  # whose functions all draw, but these
_STILL = ("seed", "Random", "getstate", "setstate", "compare_digest")


@lru_cache(maxsize=64)
def unknowables(source: str) -> frozenset[str]:
    """Return the kinds of values that a program may read but its text does not determine."""
    tree = syntax(source)
    nodes = list(ast.walk(tree)) if tree is not None else []
    kinds = set(_kinds(source, nodes))
    is_set = any(isinstance(node, (ast.Set, ast.SetComp)) for node in nodes)
    makes_set = any(isinstance(n, ast.Name) and n.id in ("set", "frozenset") for n in nodes)
    return frozenset(kinds | ({SET} if is_set or makes_set else set()))


def unknowable_on(source: str, line: int | None) -> str:
    """Return what a line reads that the text does not determine; empty if nothing. Seeded draws are known."""
    nodes = [part for node in statements(source, line)[-1:] for part in own_nodes(node)]
    return next((kind for kind in _kinds(source, nodes) if kind != DRAW or not _is_seeded(source)), "")


def _kinds(source: str, nodes: list[ast.AST]) -> Iterator[str]:
    names = _imported(source)
    for node in nodes:
        kind = _read(node.func, names) if isinstance(node, ast.Call) else ""
        if kind:
            yield kind


def _read(function: ast.expr, names: dict[str, tuple[str, str]]) -> str:
    last = ""
    while isinstance(function, ast.Attribute):
        last = last or function.attr
        function = function.value
    if not isinstance(function, ast.Name):
        return ""
    if function.id not in names:
        return "" if last else _READ["builtins"].get(function.id, "")
    module, own = names[function.id]
    word = last or own
    if module in _DRAWN:
        return "" if word in _STILL or own in _STILL else DRAW
    return _READ.get(module, {}).get(word, "")


@lru_cache(maxsize=64)
def _imported(source: str) -> dict[str, tuple[str, str]]:
    """Map names to the module, or to the member of a module, that they stand for."""
    imports: dict[str, tuple[str, str]] = {}
    tree = syntax(source)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            imports |= {alias.asname or alias.name.partition(".")[0]: (alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imports |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in _READ["builtins"]:
            imports[node.name] = "", node.name
    return imports


@lru_cache(maxsize=64)
def _is_seeded(source: str) -> bool:
    tree = syntax(source)
    names = (
        getattr(node.func, "attr", getattr(node.func, "id", ""))
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.Call)
    )
    return "seed" in names
