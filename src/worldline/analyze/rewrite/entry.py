"""The call of a program as a function of its own, so that its arguments are evaluated on lines before the call.

`f('ab' * 2, g(4))` becomes a call of `entry()`, which is appended to the source. Its frame is folded away. A name
that the call binds would be local to the function, and a program that lists its names would see a new one: then the
call stays.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from worldline.analyze.rewrite.flatten import is_literal
from worldline.analyze.rewrite.names import Fresh, FunctionNode, words
from worldline.analyze.rewrite.tree import alike, walk

NAMESPACE_WORDS = frozenset({"vars", "dir", "globals", "__dict__", "__import__", "importlib", "modules"})


@dataclass(frozen=True)
class EntryFunction:
    """A source with a function `name` that evaluates the call; its lines after `last` belong to the function."""

    source: str
    name: str
    last: int

    def is_decomposed(self, rewritten: str) -> bool:
        """Return whether the function has lines before its call in a rewritten source."""
        functions = [node for node in ast.parse(rewritten).body if isinstance(node, FunctionNode)]
        return any(node.name == self.name and len(node.body) > 1 for node in functions)


def add_entry(source: str, call: str) -> EntryFunction | None:
    """Append a function that evaluates a call to a source that parses; None if its arguments need no steps."""
    taken = words(source, call)
    text = _printed(call)
    if text is None or taken & NAMESPACE_WORDS:
        return None
    name = Fresh(set(taken)).new("entry")
    before = source if source.endswith("\n") else source + "\n"
    return EntryFunction(f"{before}\n\ndef {name}():\n    return {text}\n", name, before.count("\n"))


def _printed(call: str) -> str | None:
    """Return a call on one line; None if it is not a call, has only literals, or binds names."""
    try:
        tree = ast.parse(call.strip(), mode="eval").body
        text = ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Call) or "\n" in text or not alike(ast.parse(text, mode="eval").body, tree):
        return None
    parts = [*tree.args, *(keyword.value for keyword in tree.keywords)]
    is_simple = isinstance(tree.func, ast.Name) and all(is_literal(part) for part in parts)
    binds = any(isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for node in walk(tree))
    return None if is_simple or binds else text
