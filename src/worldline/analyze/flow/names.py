"""Which names a code object's frame can show: parameters, own locals, and those of the functions around it.

Globals and builtins are not among them. Modules and classes show their whole namespace.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from worldline.analyze.flow.expression import COMPREHENSIONS

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)


@dataclass(frozen=True)
class Names:
    """The names of one code object; `whole` says that it shows a namespace rather than fixed slots.

    `inlined` are the variables of its comprehensions, which 3.12 and later show in its own frame.
    """

    parameters: frozenset[str]
    bound: frozenset[str]
    visible: frozenset[str]
    inlined: frozenset[str]
    whole: bool

    def shows(self, name: str, *, inlined: bool = True) -> bool:
        """Return whether a frame of the code object can show this name as its own."""
        return self.whole or name in self.visible or (inlined and name in self.inlined)

    def may_start_with(self, names: set[str]) -> bool:
        """Return whether these are the names of a frame that starts: all parameters, nothing that it binds later."""
        if self.whole:
            return True
        return self.parameters <= names and names <= (self.visible - self.bound) | self.parameters


def names_of(node: ast.AST, outer: Names | None) -> Names:
    """Return the names of the code object that a node makes, inside functions that show `outer`."""
    parameters, declared = _parameters(node), frozenset(_declared_global(node))
    bound = frozenset(bound_names(node)) - declared
    around = outer.visible if outer is not None else frozenset()
    visible = (parameters | bound | around | {"__class__"}) - declared
    inlined = frozenset(_inlined(node))
    return Names(parameters, bound - parameters, visible, inlined, isinstance(node, (ast.Module, ast.ClassDef)))


def _parameters(node: ast.AST) -> frozenset[str]:
    if isinstance(node, COMPREHENSIONS):
        return frozenset({".0"})
    if not isinstance(node, FUNCTIONS):
        return frozenset()
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return frozenset(a.arg for a in (*plain, arguments.vararg, arguments.kwarg) if a is not None)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes of one code object; nested code objects are named, not entered."""
    pending = list(ast.iter_child_nodes(node))
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, SCOPES):
            pending.extend(ast.iter_child_nodes(part))
        elif isinstance(part, COMPREHENSIONS):  # a walrus in a comprehension binds around it
            pending.extend(inner for inner in ast.walk(part) if isinstance(inner, ast.NamedExpr))


def _declared_global(node: ast.AST) -> Iterator[str]:
    for part in _own(node):
        if isinstance(part, ast.Global):
            yield from part.names


def bound_names(node: ast.AST) -> Iterator[str]:
    """Return the names that a code object binds, once per binding."""
    for part in _own(node):
        match part:
            case ast.Name() if not isinstance(part.ctx, ast.Load):
                yield part.id
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield part.name
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if part.name is not None:
                yield part.name
            case ast.MatchMapping() if part.rest is not None:
                yield part.rest
            case ast.alias():
                yield part.asname or part.name.partition(".")[0]


def _inlined(node: ast.AST) -> Iterator[str]:
    pending = [part for part in _own(node) if isinstance(part, COMPREHENSIONS)]
    while pending:
        inner = pending.pop()
        if not isinstance(inner, ast.GeneratorExp):
            yield from bound_names(inner)
            pending.extend(part for part in _own(inner) if isinstance(part, COMPREHENSIONS))
