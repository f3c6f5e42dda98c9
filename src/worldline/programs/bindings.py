"""The names that a program binds: its scopes, and the attributes that its classes and assignments define.

One walk over the syntax tree. Annotations are skipped, because the normal form of `split` drops them. Types are
not inferred: only the shape of a value is known, and all classes of the program share one namespace of attributes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SKIPPED_FIELDS = {"annotation", "returns", "type_comment", "ctx", "kind", "type_ignores", "type_params"}
NAME_FIELDS: dict[type[ast.AST], str] = {  # names that are no Name nodes, and the field they stand in
    ast.arg: "arg",
    ast.alias: "asname",
    ast.Global: "names",
    ast.Nonlocal: "names",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}
# Whose attributes a value has: the program's, others', either's.
OWN, FOREIGN, UNKNOWN = "own", "foreign", "unknown"
_PLAIN = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, *COMPREHENSIONS)
_MAKERS = {
    "bytearray", "bytes", "dict", "float", "frozenset", "input", "int", "list", "open", "range", "repr", "set",
    "sorted", "str", "tuple", "Counter", "OrderedDict", "StringIO", "defaultdict", "deque",
}  # fmt: skip
# What a name is bound to: an expression or a class, a kind where that is known, None where it may be anything.
BoundValue = ast.AST | str | None


@dataclass(slots=True)
class Scope:
    """The names that a function, lambda, comprehension, class or module binds, and their numbers once used."""

    parent: Scope | None
    is_class: bool = False
    is_comprehension: bool = False
    bound: dict[str, list[BoundValue]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)

    def home(self, name: str) -> Scope | None:
        """Return the scope that binds a name used here; None if the program does not bind it.

        A class scope is not visible from the scopes inside it.
        """
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.globals:
                    module = scope.module()
                    return module if name in module.bound else None
                if name in scope.bound:
                    return scope
            scope = scope.parent
        return None

    def module(self) -> Scope:
        """Return the outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass
class Scopes:
    """The scope of every node that opens one, and the attributes that the program defines, with their values."""

    of: dict[ast.AST, Scope] = field(default_factory=dict)
    attributes: dict[str, list[tuple[BoundValue, Scope]]] = field(default_factory=dict)

    def kind(self, node: ast.AST, scope: Scope) -> str:
        """Return whose attributes the value of an expression has."""
        if isinstance(node, ast.Name):
            home = scope.home(node.id)
            if home is None:
                return FOREIGN  # a builtin or an import
            return _agreed(self._shape(value, home) for value in home.bound[node.id])
        if isinstance(node, ast.Attribute):
            inner = self.kind(node.value, scope)
            if inner == OWN and node.attr in self.attributes:
                return _agreed(self._shape(value, where) for value, where in self.attributes[node.attr])
            return inner if inner == FOREIGN else UNKNOWN
        return self._shape(node, scope)

    def _shape(self, value: BoundValue, scope: Scope) -> str:
        """Return the kind that the expression alone shows; empty for None, which fits any kind."""
        if value is None or isinstance(value, str):
            return value or UNKNOWN
        if isinstance(value, ast.ClassDef):
            return OWN
        if isinstance(value, _PLAIN):
            return "" if isinstance(value, ast.Constant) and value.value is None else FOREIGN
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
            return UNKNOWN
        name = value.func.id
        home = scope.home(name)
        if home is None:
            return OWN if name in ("super", "type") else FOREIGN if name in _MAKERS else UNKNOWN
        bindings = home.bound[name]
        return OWN if len(bindings) == 1 and isinstance(bindings[0], ast.ClassDef) else UNKNOWN


def _agreed(kinds: Iterable[str]) -> str:
    known = {kind for kind in kinds if kind}
    return known.pop() if len(known) == 1 else UNKNOWN


def scopes(tree: ast.Module) -> Scopes:
    """Return the scopes of a program."""
    finder = _Finder()
    module = finder.open(tree, None)
    finder.all(tree.body, module)
    return finder.scopes


class _Finder:
    """Walks a tree once; every method receives the enclosing scope."""

    def __init__(self) -> None:
        self.scopes = Scopes()

    def open(self, node: ast.AST, parent: Scope | None, *, is_class: bool = False) -> Scope:
        scope = self.scopes.of[node] = Scope(parent, is_class)
        return scope

    def bind(self, name: str, value: BoundValue, scope: Scope) -> None:
        if name in scope.globals:
            scope = scope.module()
        elif name in scope.outer:
            return
        scope.bound.setdefault(name, []).append(value)
        if scope.is_class:
            self.scopes.attributes.setdefault(name, []).append((value, scope))

    def all(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, scope)

    def visit(self, node: ast.AST, scope: Scope) -> None:
        act = _ACTS.get(type(node))
        if act is not None:
            act(self, node, scope)
        else:
            self.inside(node, scope)

    def inside(self, node: ast.AST, scope: Scope) -> None:
        for label in node._fields:
            if label in SKIPPED_FIELDS:
                continue
            value = getattr(node, label)
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        self.visit(item, scope)
            elif isinstance(value, ast.AST):
                self.visit(value, scope)

    def leaf(self, node: ast.AST, scope: Scope) -> None:
        """Skip a node that binds nothing."""

    def name(self, node: ast.Name, scope: Scope) -> None:
        if type(node.ctx) is not ast.Load:
            self.bind(node.id, None, scope)

    def assign(self, node: ast.Assign, scope: Scope) -> None:
        self.visit(node.value, scope)
        for target in node.targets:
            self.target(target, node.value, scope)

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.visit(node.value, scope)
        self.target(node.target, node.value, scope)

    def target(self, target: ast.expr, value: ast.expr | None, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, value, scope)
        elif isinstance(target, ast.Attribute):
            self.attribute(target, scope, value)
        else:
            self.visit(target, scope)

    def attribute(self, node: ast.Attribute, scope: Scope, value: BoundValue = None) -> None:
        self.visit(node.value, scope)
        if type(node.ctx) is not ast.Load:
            self.scopes.attributes.setdefault(node.attr, []).append((value, scope))

    def walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        """Bind the name outside the enclosing comprehensions."""
        self.visit(node.value, scope)
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        self.bind(node.target.id, None, scope)

    def naming(self, node: ast.AST, scope: Scope) -> None:
        name = getattr(node, NAME_FIELDS[type(node)])
        if name is not None:
            self.bind(name, FOREIGN if type(node) is ast.alias else None, scope)
        self.inside(node, scope)

    def declared(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        (scope.globals if isinstance(node, ast.Global) else scope.outer).update(node.names)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self.bind(node.name, None if scope.is_class else OWN, scope)  # a property is whatever it returns
        self.all(node.decorator_list, scope)
        inner = self.open(node, scope)
        self.parameters(node.args, scope, inner)
        static = any(
            isinstance(decorator, ast.Name) and decorator.id == "staticmethod" for decorator in node.decorator_list
        )
        first = [*node.args.posonlyargs, *node.args.args][:1]
        if scope.is_class and first and not static:
            inner.bound[first[0].arg] = [OWN]
        self.all(node.body, inner)

    def anonymous(self, node: ast.Lambda, scope: Scope) -> None:
        inner = self.open(node, scope)
        self.parameters(node.args, scope, inner)
        self.visit(node.body, inner)

    def parameters(self, arguments: ast.arguments, scope: Scope, inner: Scope) -> None:
        """Bind the parameters in the function and visit their defaults outside it."""
        for parameter in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ):
            if parameter is not None:
                inner.bound[parameter.arg] = [None]
        self.all(arguments.defaults, scope)
        self.all(arguments.kw_defaults, scope)

    def definition(self, node: ast.ClassDef, scope: Scope) -> None:
        self.bind(node.name, node, scope)
        self.all((*node.decorator_list, *node.bases, *node.keywords), scope)
        self.all(node.body, self.open(node, scope, is_class=True))

    def comprehension(self, node: ast.AST, scope: Scope) -> None:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        inner = self.open(node, scope)
        inner.is_comprehension = True
        for number, generator in enumerate(generators):
            self.visit(generator.iter, inner if number else scope)
            self.visit(generator.target, inner)
            self.all(generator.ifs, inner)
        for label in node._fields:
            if label != "generators":
                self.visit(getattr(node, label), inner)


_ACTS: dict[type[ast.AST], Callable[[_Finder, Any, Scope], None]] = {
    **dict.fromkeys(NAME_FIELDS, _Finder.naming),
    **dict.fromkeys(COMPREHENSIONS, _Finder.comprehension),
    ast.Constant: _Finder.leaf,
    ast.Name: _Finder.name,
    ast.Assign: _Finder.assign,
    ast.AnnAssign: _Finder.annotated,
    ast.Attribute: _Finder.attribute,
    ast.NamedExpr: _Finder.walrus,
    ast.Global: _Finder.declared,
    ast.Nonlocal: _Finder.declared,
    ast.FunctionDef: _Finder.function,
    ast.AsyncFunctionDef: _Finder.function,
    ast.Lambda: _Finder.anonymous,
    ast.ClassDef: _Finder.definition,
}
