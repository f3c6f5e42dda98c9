"""Names that carry no information and private phrases do not come back. Both limits may only fall."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from imports import parsed

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
EMPTY_NAMES = {"found", "one", "each", "told", "kept", "made", "given", "asked", "said"}
# Locals and parameters with an empty name, by package. Packages that are not listed have none.
MAX_EMPTY_NAMES = {"plan": 4}
MAX_UNFORMATTED = 61
PHRASES = re.compile(
    r"who asks|whence|unless said|so-manyth|not to be had|what came of it|the other rooms|told as if|comes right"
    r"|came right|stays wrong|they part\b|parts from|model imagines|in the box|without a box|goes on from"
    r"|not to be seen",
    re.IGNORECASE,
)
MAX_PHRASES = 0
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def own_names(function: Function) -> set[str]:
    """The parameters and local variables of a function, without those of functions inside it."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    names = {parameter.arg for parameter in parameters if parameter is not None}
    waiting: list[ast.AST] = list(function.body) if not isinstance(function, ast.Lambda) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function | ast.ClassDef):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        waiting.extend(ast.iter_child_nodes(node))
    return names


def empty_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield from own_names(node) & EMPTY_NAMES


def test_names_say_what_they_hold() -> None:
    counts: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        counts[path.relative_to(ROOT).parts[0]] += len(list(empty_names(parsed(path))))
    assert {name: count for name, count in counts.items() if count > MAX_EMPTY_NAMES.get(name, 0)} == {}


def test_an_empty_name_is_seen_wherever_it_stands() -> None:
    for text in ("def f(one): pass", "def f():\n    for each in x: pass", "lambda told: 1", "def f(*, said): pass"):
        assert len(list(empty_names(ast.parse(text)))) == 1
    assert list(empty_names(ast.parse("found = 1\ndef f(row): return row.found"))) == []


def test_most_code_is_formatted() -> None:
    assert sum(path.read_text("utf-8").count("# fmt: skip") for path in ROOT.rglob("*.py")) <= MAX_UNFORMATTED


def test_private_phrases_stay_out() -> None:
    hits = [
        f"{path.relative_to(ROOT)}: {hit[0]}"
        for path in ROOT.rglob("*.py")
        for hit in PHRASES.finditer(path.read_text("utf-8"))
    ]
    assert len(hits) <= MAX_PHRASES, hits
