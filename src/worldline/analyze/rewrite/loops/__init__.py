"""The methods of `str` as loops over characters: what each does, written out in Python, and when that is exact.

A `Loop` is a function of this folder's text files, whose notation README.md explains: its name says for which method it
is, its parameters for which of its forms; the docstring has what must hold beside the types for the loop to be exact,
else the method itself is called. `format`, `encode`, `isidentifier` and searches between bounds have no loop.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# All other parameters are strings.
_NUMBERS, _ANY = ("n", "start", "stop", "step"), ("items", "table")


@dataclass(frozen=True)
class Loop:
    """A method's form as a function: its parameters, its condition, and its lines, the last a return."""

    method: str
    parameters: tuple[str, ...]
    condition: str
    body: tuple[ast.stmt, ...]

    def checks(self) -> dict[str, str]:
        """Return the type that each parameter must have; slices take any bounds."""
        if self.method == "cut":
            return {"s": "str"}
        return {name: "int" if name in _NUMBERS else "str" for name in self.parameters if name not in _ANY}

    def function(self, name: str) -> ast.FunctionDef:
        """Return the loop as a helper function; arguments of other types fall back to the method."""
        tests = [f"type({parameter}) is {kind}" for parameter, kind in self.checks().items()]
        tests += [self.condition] if self.condition else []
        head = f"def {name}({', '.join(self.parameters)}):"
        text = f"{head}\n    if not ({' and '.join(tests)}):\n        return {self.call()}"
        definition = ast.parse(text).body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.body += copy.deepcopy(list(self.body))
        return definition

    def call(self) -> str:
        """Return the method's own call."""
        first, *others = self.parameters
        plain = {"reverse": "s[::-1]", "cut": "s[start:stop:step]", "contains": "sub in s"}
        return plain.get(self.method) or f"{first}.{self.method}({', '.join(others)})"


@cache
def loops() -> dict[tuple[str, int], Loop]:
    """Return every loop, by method and number of arguments, the string included."""
    texts = [path.read_text("utf-8") for path in files(__package__).iterdir() if path.name.endswith(".txt")]
    by_name = {}
    for node in (node for text in sorted(texts) for node in ast.parse(text).body):
        assert isinstance(node, ast.FunctionDef)
        condition = ast.get_docstring(node) or ""
        names = tuple(parameter.arg for parameter in node.args.args)
        body = tuple(node.body[1:] if condition else node.body)
        by_name[node.name, len(names)] = Loop(node.name, names, condition, body)
    return by_name
