"""Assigns programs to splits by a hash of their normal form, so that a renaming stays in its split.

The normal form is the syntax tree as text. It numbers every name that the program binds, scope by scope, by first
use, and every attribute that it defines, on `self`, in a class body or elsewhere. It drops comments, docstrings,
annotations, layout, keyword names and texts that may come from `{x=}`. External attributes (`s.split`, `math.pi`),
imported names and literals stay.

If a program defines attributes and the shape of a value does not show the owner of an attribute, the name is
dropped: `pop` of the program's own stack may become `take`. Equivalent programs that differ in more than names, and
names inside texts (`getattr(x, "name")`), are not detected. Other languages use `languages.tokens`.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.programs.bindings import (
    COMPREHENSIONS,
    FOREIGN,
    NAME_FIELDS,
    OWN,
    SKIPPED_FIELDS,
    UNKNOWN,
    Scope,
    Scopes,
    scopes,
)
from worldline.programs.languages import tokens

SPLITS = ("train", "valid", "test")
VALID_PERCENT, TEST_PERCENT = 1, 2  # of a hundred
HELD_OUT_PERCENT = 20  # of the functions of recorded repositories
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


def normal(source: str) -> str:
    """Return the normal form of a Python source.

    Raises:
        SyntaxError: The source does not parse.
    """
    tree = ast.parse(source)
    writer = _Writer(scopes(tree))
    writer.body(tree, writer.scopes.of[tree])
    return "".join(writer.out)


def key(source: str) -> str:
    """Hash a Python source so that every renaming of it has the same key.

    Text that does not parse is hashed as it stands.
    """
    try:
        text = normal(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        text = source
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def program_key(program: Program) -> str:
    """Hash a program of any language so that every renaming of it has the same key."""
    if program.lang.has_syntax_tree:
        return key(program.source)
    text = f"{program.language} {tokens.normal(program.source)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def split(source: str) -> str:
    """Return the split of a source: `train`, `valid` (1 %) or `test` (2 %). A renaming stays in its split."""
    return split_of(key(source))


def split_of(hashed: str) -> str:
    """Return the split of a program from its `key`."""
    place = int(hashed[:12], 16) % 100
    return "valid" if place < VALID_PERCENT else "test" if place < VALID_PERCENT + TEST_PERCENT else "train"


def function_keys(source: str) -> list[str]:
    """Hash each function of a Python source by itself, the outermost first.

    Decorators and `self` do not count, so that a method has the key of the function that it can be written as.
    """
    try:
        functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in functions:
        node.decorator_list = []
        if len(node.args.args) > len(node.args.defaults) and node.args.args[0].arg == "self":
            del node.args.args[0]
    return [key(ast.unparse(node)) for node in functions]


def is_held_out(hashed: str) -> bool:
    """Return whether a function of a recorded repository is held out, from its key; `valid` and `test` are too."""
    return int(hashed[:12], 16) % 100 < HELD_OUT_PERCENT


def execution(program: Program, hashed: str, hidden: Sequence[Hidden] = ()) -> str:
    """Hash one execution of a program.

    Args:
        program: The program, with its call, arguments and input.
        hashed: The program's `key`.
        hidden: The hidden draws that the execution consumed.

    Returns:
        The SHA-256 digest in hexadecimal.
    """
    drawn = [part for draw in hidden for part in (draw.kind, draw.value)]
    text = "\0".join([hashed, _given(program), *program.argv, program.stdin, *drawn, *program.flags, *program.vm_flags])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _given(program: Program) -> str:
    """Return the arguments of the call: verbatim, or in normal form where they use a name of the program."""
    call = program.call or ""
    arguments = call.partition("(")[2]
    if not program.lang.has_syntax_tree or not any(map(str.isalpha, arguments)):
        return arguments
    try:
        called = ast.parse(call.strip(), mode="eval").body
        if not isinstance(called, ast.Call) or not _names_any(called):
            return arguments
        return _arguments(called, ast.parse(program.source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return arguments
    except KeyError:  # a lambda or a comprehension in the call has a scope that the source does not know
        return arguments


def _names_any(called: ast.Call) -> bool:
    return bool(called.keywords) or any(
        isinstance(node, ast.Name) for argument in called.args for node in ast.walk(argument)
    )


def _arguments(called: ast.Call, tree: ast.Module) -> str:
    """Return a call's arguments in normal form; a keyword becomes the index of the parameter it names."""
    writer = _Writer(scopes(tree))
    module = writer.scopes.of[tree]
    writer.body(tree, module)
    writer.out.clear()
    for argument in called.args:
        writer.node(argument, module)
    for keyword in called.keywords:
        writer.out.append(f" {_place(keyword.arg, called.func, tree)}=")
        writer.node(keyword.value, module)
    return "".join(writer.out)


def _place(name: str | None, function: ast.expr, tree: ast.Module) -> int | str:
    """Return the index of the parameter that a keyword names, or the keyword if no parameter matches."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and isinstance(function, ast.Name) and node.name == function.id:
            parameters = [
                parameter.arg for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            ]
            if name in parameters:
                return parameters.index(name)
    return name or "**"


class _Writer:
    """Writes a syntax tree as text and numbers its names."""

    def __init__(self, program_scopes: Scopes) -> None:
        self.scopes = program_scopes
        self.out: list[str] = []
        self._count = 0
        self._attributes: dict[str, int] = {}

    def name(self, name: str, scope: Scope) -> None:
        home = scope.home(name)
        if home is None:
            self.out.append(f" {name}")
        elif home.is_class:
            self.member(name, OWN)
        else:
            self._numbered(name, home.numbers)

    def member(self, name: str, kind: str) -> None:
        """Write an attribute of a value of this kind; drop its name where a renaming could hide its owner."""
        if not self.scopes.attributes or kind == FOREIGN or _is_special(name):
            self.out.append(f" {name!r}")
        elif kind == UNKNOWN:
            self.out.append(" .")
        elif name in self.scopes.attributes:
            self._numbered(name, self._attributes)
        else:
            self.out.append(f" {name!r}")

    def _numbered(self, name: str, numbers: dict[str, int]) -> None:
        if name not in numbers:
            numbers[name] = self._count
            self._count += 1
        self.out.append(f" ${numbers[name]}")

    def node(self, node: ast.AST, scope: Scope) -> None:
        act = _ACTS.get(type(node))
        if act is not None:
            act(self, node, scope)
        else:
            self.out.append(f"({type(node).__name__}")
            for label in node._fields:
                if label not in SKIPPED_FIELDS:
                    self._field(node, label, scope)
            self.out.append(")")

    def body(self, node: ast.AST, scope: Scope) -> None:
        """Write the statements of a body without its docstring."""
        statements: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        if isinstance(node, _DOCUMENTED) and statements and _is_text(statements[0]):
            statements = statements[1:]
        self.out.append("[")
        for statement in statements:
            self.node(statement, scope)
        self.out.append("]")

    def _field(self, node: ast.AST, label: str, scope: Scope) -> None:
        value = getattr(node, label)
        if isinstance(value, ast.AST):
            self.node(value, scope)
        elif isinstance(value, list):
            self.out.append("[")
            for item in value:
                if isinstance(item, ast.AST):
                    self.node(item, scope)
                else:
                    self._text(node, label, item, scope)
            self.out.append("]")
        else:
            self._text(node, label, value, scope)

    def _text(self, node: ast.AST, label: str, value: object, scope: Scope) -> None:
        """Write a leaf: a numbered name, or any other value as it stands."""
        if isinstance(node, ast.keyword):
            self.out.append("=" if value is not None else "**")
        elif isinstance(value, str) and NAME_FIELDS.get(type(node)) == label:
            self.name(value, scope)
        else:
            self.out.append(f" {value!r}")

    def _read(self, node: ast.Name, scope: Scope) -> None:
        self.name(node.id, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> None:
        self.out.append("(Attribute")
        self.node(node.value, scope)
        plain = not self.scopes.attributes
        self.member(node.attr, FOREIGN if plain else self.scopes.kind(node.value, scope))
        self.out.append(")")

    def _pattern(self, node: ast.MatchClass, scope: Scope) -> None:
        self.out.append("(MatchClass")
        self.node(node.cls, scope)
        self._field(node, "patterns", scope)
        kind = self.scopes.kind(node.cls, scope)
        for name, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
            self.member(name, kind)
            self.node(pattern, scope)
        self.out.append(")")

    def _formatted(self, node: ast.JoinedStr, scope: Scope) -> None:
        """Write an f-string. `{x=}` parses as `x={x!r}`, so a text that ends in `=` may hold a name: skip it."""
        self.out.append("(JoinedStr[")
        for part, after in zip(node.values, [*node.values[1:], None], strict=True):
            if isinstance(after, ast.FormattedValue) and _is_label(part):
                self.out.append(" =")
            else:
                self.node(part, scope)
        self.out.append("])")

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: Scope) -> None:
        self.out.append(f"({type(node).__name__}")
        self.name(node.name, scope)
        self._field(node, "decorator_list", scope)
        inner = self.scopes.of[node]
        if isinstance(node, ast.ClassDef):
            self._field(node, "bases", scope)
            self._field(node, "keywords", scope)
        else:
            self._arguments(node.args, scope, inner)
        self.body(node, inner)
        self.out.append(")")

    def _lambda(self, node: ast.Lambda, scope: Scope) -> None:
        inner = self.scopes.of[node]
        self.out.append("(Lambda")
        self._arguments(node.args, scope, inner)
        self.node(node.body, inner)
        self.out.append(")")

    def _arguments(self, arguments: ast.arguments, scope: Scope, inner: Scope) -> None:
        """Parameters are names of the function, their defaults are evaluated outside of it."""
        for label in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
            self._field(arguments, label, inner)
        for label in ("defaults", "kw_defaults"):
            self._field(arguments, label, scope)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        inner = self.scopes.of[node]
        self.out.append(f"({type(node).__name__}")
        for number, generator in enumerate(generators):
            self.node(generator.iter, inner if number else scope)
            self.node(generator.target, inner)
            self._field(generator, "ifs", inner)
            self.out.append(f" {generator.is_async}")
        for label in node._fields:
            if label != "generators":
                self._field(node, label, inner)
        self.out.append(")")


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_label(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and str(part.value).rstrip().endswith("=")


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


_ACTS: dict[type[ast.AST], Callable[[_Writer, Any, Scope], None]] = {
    **dict.fromkeys(COMPREHENSIONS, _Writer._comprehension),
    ast.Name: _Writer._read,
    ast.Attribute: _Writer._attribute,
    ast.MatchClass: _Writer._pattern,
    ast.JoinedStr: _Writer._formatted,
    ast.Lambda: _Writer._lambda,
    ast.FunctionDef: _Writer._definition,
    ast.AsyncFunctionDef: _Writer._definition,
    ast.ClassDef: _Writer._definition,
}
