"""Which split a program belongs to, decided by a hash of its normal form, so that a renaming cannot change sides.

The normal form is the syntax tree as text: every name that the program binds is numbered, scope by scope, by first
use; comments, docstrings, annotations, layout and the names of keyword arguments are dropped. Attributes, names
bound in class bodies, imported names and literals stay. Two programs that differ in more than names may still do the
same; that is not looked for here.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from worldline.core.program import Program

SPLITS = ("train", "valid", "test")
VALID, TEST = 1, 2  # of a hundred
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DROPPED = {"annotation", "returns", "type_comment", "ctx", "kind", "type_ignores", "type_params"}
_NAMING: dict[type[ast.AST], str] = {  # names that are no Name nodes, and the field they stand in
    ast.arg: "arg", ast.alias: "asname", ast.Global: "names", ast.Nonlocal: "names", ast.ExceptHandler: "name",
    ast.MatchAs: "name", ast.MatchStar: "name", ast.MatchMapping: "rest",
}  # fmt: skip
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


def normal(source: str) -> str:
    """The normal form of a program's source; SyntaxError where it has none."""
    tree = ast.parse(source)
    writer = _Writer()
    writer.body(tree, _Scope(None, _bound(tree.body)))
    return "".join(writer.out)


def key(source: str) -> str:
    """The hash that stands for a program and all its renamings; for text that does not parse, for that text."""
    try:
        text = normal(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        text = source
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def split(source: str) -> str:
    """`train`, `valid` (1 %) or `test` (2 %): the same for a program and every renaming of it."""
    return split_of(key(source))


def split_of(hashed: str) -> str:
    """The split of a program whose `key` is this."""
    place = int(hashed[:12], 16) % 100
    return "valid" if place < VALID else "test" if place < VALID + TEST else "train"


def execution(program: Program, hashed: str) -> str:
    """The hash that stands for one run of a program: its key, and what it is called with."""
    given = (program.call or "").partition("(")[2]
    text = "\0".join([hashed, given, *program.argv, program.stdin])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class _Scope:
    """The names that a function, lambda, comprehension, class or module binds, and their numbers once used."""

    parent: _Scope | None
    bound: frozenset[str]
    is_class: bool = False
    numbers: dict[str, int] = field(default_factory=dict)

    def home(self, name: str) -> _Scope | None:
        """Where a name used here is bound; None: nowhere in the program. A class is not seen from inside."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.bound and (scope is self or not scope.is_class):
                return scope
            scope = scope.parent
        return None


class _Writer:
    """Writes a tree as text, names numbered."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self._count = 0

    def name(self, name: str, scope: _Scope) -> None:
        home = scope.home(name)
        if home is None or home.is_class:
            self.out.append(f" {name}")
            return
        if name not in home.numbers:
            home.numbers[name] = self._count
            self._count += 1
        self.out.append(f" ${home.numbers[name]}")

    def node(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, ast.Name):
            self.name(node.id, scope)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, scope)
        elif isinstance(node, ast.Lambda):
            self._lambda(node, scope)
        elif isinstance(node, _SCOPES):
            self._definition(node, scope)
        else:
            self.out.append(f"({type(node).__name__}")
            for label in node._fields:
                if label not in _DROPPED:
                    self._field(node, label, scope)
            self.out.append(")")

    def body(self, node: ast.AST, scope: _Scope) -> None:
        """The statements of a body, without its docstring."""
        statements: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        if isinstance(node, _DOCUMENTED) and statements and _is_text(statements[0]):
            statements = statements[1:]
        self.out.append("[")
        for statement in statements:
            self.node(statement, scope)
        self.out.append("]")

    def _field(self, node: ast.AST, label: str, scope: _Scope) -> None:
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

    def _text(self, node: ast.AST, label: str, value: object, scope: _Scope) -> None:
        """A leaf: a name, or what is written as it is."""
        if isinstance(node, ast.keyword):
            self.out.append("=" if value is not None else "**")
        elif isinstance(value, str) and _NAMING.get(type(node)) == label:
            self.name(value, scope)
        else:
            self.out.append(f" {value!r}")

    def _definition(self, node: ast.AST, scope: _Scope) -> None:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        self.out.append(f"({type(node).__name__}")
        self.name(node.name, scope)
        self._field(node, "decorator_list", scope)
        if isinstance(node, ast.ClassDef):
            self._field(node, "bases", scope)
            self._field(node, "keywords", scope)
            inner = _Scope(scope, _bound(node.body), is_class=True)
        else:
            inner = _Scope(scope, _bound(node.body) | _parameters(node.args))
            self._arguments(node.args, scope, inner)
        self.body(node, inner)
        self.out.append(")")

    def _lambda(self, node: ast.Lambda, scope: _Scope) -> None:
        inner = _Scope(scope, _parameters(node.args))
        self.out.append("(Lambda")
        self._arguments(node.args, scope, inner)
        self.node(node.body, inner)
        self.out.append(")")

    def _arguments(self, arguments: ast.arguments, scope: _Scope, inner: _Scope) -> None:
        """Parameters are names of the function, their defaults are evaluated outside of it."""
        for label in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
            self._field(arguments, label, inner)
        for label in ("defaults", "kw_defaults"):
            self._field(arguments, label, scope)

    def _comprehension(self, node: ast.AST, scope: _Scope) -> None:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        inner = _Scope(scope, frozenset(_stored([generator.target for generator in generators])))
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


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    several = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    several += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return frozenset(one.arg for one in several)


def _bound(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names that the statements of one scope bind, without those of the scopes inside it."""
    bound: set[str] = set()
    elsewhere: set[str] = set()
    for node in _within(body):
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                bound.add(node.id)  # type: ignore[attr-defined]
        elif kind in _DOCUMENTED:
            bound.add(node.name)  # type: ignore[attr-defined]
        elif kind in _NAMING:
            value = getattr(node, _NAMING[kind])
            if isinstance(value, list):
                elsewhere.update(value)
            elif value is not None:
                bound.add(value)
    return frozenset(bound - elsewhere)


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def _within(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node of one scope. A comprehension's targets are its own, but what it assigns by `:=` is not."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _COMPREHENSIONS):
            waiting += [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
        elif not isinstance(node, _SCOPES):
            for label in node._fields:
                value = getattr(node, label)
                if isinstance(value, list):
                    waiting += [part for part in value if isinstance(part, ast.AST)]
                elif isinstance(value, ast.AST):
                    waiting.append(value)
