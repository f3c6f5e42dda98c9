"""What can be called in a file that only defines functions: each with its parameters and a call that may be tried.

Read off the syntax tree: nothing is run, and an example is a guess by annotations and names, good enough to be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.analyze.flow.control import syntax

_BY_TYPE = {
    "int": "3",
    "float": "1.5",
    "str": "'ab'",
    "bytes": "b'ab'",
    "bool": "True",
    "list": "[1, 2, 3]",
    "set": "{1, 2}",
    "dict": "{'a': 1}",
    "tuple": "(1, 2)",
    "Sequence": "[1, 2, 3]",
    "Iterable": "[1, 2, 3]",
    "Mapping": "{'a': 1}",
}
_BY_NAME = {
    "str": ("s", "text", "word", "string", "name", "line", "sentence", "prefix", "suffix", "char"),
    "list": ("xs", "ys", "nums", "numbers", "items", "values", "arr", "array", "lst", "words", "lines", "data", "l"),
    "dict": ("d", "mapping", "table", "counts"),
}
_NUMBER = "3"
_DEFINED = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class CallableEntry:
    """A function of a file: its name, its parameters as written, and a call of it."""

    name: str
    parameters: str
    example: str

    def __str__(self) -> str:
        return f"{self.name}({self.parameters})"


def entries(source: str) -> tuple[CallableEntry, ...]:
    """Return the functions of a source that only defines things; empty if it does more or is not Python."""
    tree = syntax(source)
    body = list(getattr(tree, "body", ()))
    if not all(map(_only_defines, body)):
        return ()
    return tuple(
        CallableEntry(node.name, ast.unparse(node.args), f"{node.name}({', '.join(_arguments(node.args))})")
        for node in body
        if isinstance(node, _DEFINED)
    )


def in_words(callables: Iterable[CallableEntry]) -> str:
    """List the functions in words."""
    names = [str(entry) for entry in callables]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _only_defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        return all(map(_only_defines, node.body))
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return not any(isinstance(inner, ast.Call) for inner in ast.walk(node))
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, _DEFINED | ast.Import | ast.ImportFrom | ast.Pass)


def _arguments(arguments: ast.arguments) -> list[str]:
    """Return a value for each required parameter."""
    placed = [*arguments.posonlyargs, *arguments.args]
    needed = placed[: len(placed) - len(arguments.defaults)]
    named = [
        parameter for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is None
    ]
    return [_value(parameter) for parameter in needed] + [f"{parameter.arg}={_value(parameter)}" for parameter in named]


def _value(parameter: ast.arg) -> str:
    note = parameter.annotation
    if note is not None:
        outer = ast.unparse(note).partition("[")[0].rpartition(".")[2]
        if outer.lower() in _BY_TYPE or outer in _BY_TYPE:
            return _BY_TYPE.get(outer) or _BY_TYPE[outer.lower()]
    kinds = (kind for kind, names in _BY_NAME.items() if parameter.arg.lower() in names)
    return _BY_TYPE.get(next(kinds, ""), _NUMBER)
