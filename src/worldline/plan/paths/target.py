"""The function whose paths are searched, with the types of its parameters, annotated or guessed by their use."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from worldline.analyze.flow.control import syntax
from worldline.core.errors import UsageError
from worldline.core.language import Feature
from worldline.core.program import Program
from worldline.data.mine.types import GuessedSignature, guess_signature
from worldline.data.mine.usage import find_usages

MAX_NUMBER = 10**18  # constants of the source that are used as inputs
MAX_TEXT_CHARACTERS = 80
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Target:
    """A function of a program, its signature, and the calls of it in the source."""

    program: Program
    node: ast.FunctionDef
    signature: GuessedSignature
    examples: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.node.name

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [parameter.arg for parameter in _parameters(self.node)]

    @property
    def guessed(self) -> dict[str, str]:
        """The parameters without an annotation, each with its likeliest kind."""
        bare = {parameter.arg for parameter in _parameters(self.node) if parameter.annotation is None}
        return {
            parameter.name: max(parameter.weights, key=lambda kind: parameter.weights[kind])
            for parameter in self.signature.parameters
            if parameter.name in bare
        }

    def called(self, call: str) -> Program:
        """Return the program with one call of the function; a generator is consumed."""
        return replace(self.program, call=f"list({call})" if self.signature.yields else call)


def find_target(program: Program, call: str) -> Target:
    """Find the function that a call names: `f`, or `f(3)`, which is then the first example."""
    program.lang.require(Feature.PATHS, program.name)
    tree = syntax(program.source)
    if tree is None:
        raise UsageError(f"{program.name} is not Python: paths are searched only in Python sources")
    name, example = read_call(call)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in functions:
        asynchronous = [node for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and node.name == name]
        if asynchronous:
            raise UsageError(f"{name} is asynchronous: paths are searched only in plain functions")
        known = f"it defines {', '.join(list(functions)[:8])}" if functions else "it defines none"
        raise UsageError(f"{program.name} has no function {name!r} at its top level; {known}")
    node = functions[name]
    shown = [f"{name}{use.arguments}" for use in find_usages(program.source) if use.name == name]
    return Target(
        replace(program, call=None),
        node,
        _with_constants(node, program.source),
        tuple(dict.fromkeys([*([example] if example else []), *shown])),
    )


def read_call(text: str) -> tuple[str, str]:
    """Return the function that a text names, and its call: empty for `f`; `list(f(3))` consumes a generator."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        node = ast.Constant(None)
    if isinstance(node, ast.Name):
        return node.id, ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        inner = node.args[0] if node.func.id == "list" and len(node.args) == 1 else None
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            return inner.func.id, ast.get_source_segment(text, inner) or ast.unparse(inner)
        return node.func.id, text
    raise UsageError(f"{text!r} is not a top-level function, or a call of one")


def _parameters(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _with_constants(node: ast.FunctionDef, source: str) -> GuessedSignature:
    """Guess the signature, and add the constants of the source as inputs."""
    described = guess_signature(node, source)
    parts = list(ast.walk(ast.parse(source)))
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    docstrings = {ast.get_docstring(part, clean=False) for part in parts if isinstance(part, _DOCUMENTED)}
    texts = [
        constant
        for constant in constants
        if isinstance(constant, str) and 0 < len(constant) <= MAX_TEXT_CHARACTERS and constant not in docstrings
    ]
    numbers = [constant for constant in constants if type(constant) is int and abs(constant) <= MAX_NUMBER]
    return replace(described, texts=tuple(dict.fromkeys(texts)), numbers=tuple(dict.fromkeys(numbers)))
