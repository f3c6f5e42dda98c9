"""Control flow of a Python source: for each line of each code object, the lines that may be reported next.

Read off the syntax tree, so it does not depend on the interpreter that runs this; an over-approximation that holds for
3.11, 3.12 and 3.13. It resolves line text to line numbers, and bounds what a decoder may write next. No code is run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import RLock

from worldline.analyze.flow.build import Builder
from worldline.analyze.flow.expression import COMPREHENSIONS, suspends, touched
from worldline.analyze.flow.graph import EXIT
from worldline.analyze.flow.names import SCOPES, Names, names_of

TITLES = {
    "Module": "<module>",
    "Lambda": "<lambda>",
    "ListComp": "<listcomp>",
    "SetComp": "<setcomp>",
    "DictComp": "<dictcomp>",
    "GeneratorExp": "<genexpr>",
}


@dataclass(frozen=True, eq=False)
class Flow:
    """One code object: its name, its call line (0 for a module), the line of its `def`, its names, what may follow.

    `next` holds the lines that may follow a line when nothing is raised in it, `handlers` those that may follow an
    exception raised or arriving there. `returns` and `yields` are the lines on which it may end or suspend. `owner`
    is the class around a method, else empty; `bases` are a class's own. Two flows are equal when they are one.
    """

    name: str
    line: int
    defined: int
    owner: str
    bases: tuple[str, ...]
    names: Names
    start: frozenset[int]
    next: Mapping[int, frozenset[int]]
    handlers: Mapping[int, frozenset[int]]
    returns: frozenset[int]
    yields: frozenset[int]

    def after(self, line: int) -> frozenset[int]:
        """Return the lines that may follow this line, with or without an exception."""
        return self.next.get(line, frozenset()) | self.handlers.get(line, frozenset())


# CPython 3.11 counts the depth of all threads' trees together: "AST constructor recursion depth mismatch".
_PARSING, MAX_PARSE_ATTEMPTS = RLock(), 8


@lru_cache(maxsize=64)  # the many traces of one program, and writing and reading each, ask for the same
def successors(source: str) -> tuple[Flow, ...]:
    """Return the flow of every code object of a source, the module first; empty if it is not Python."""
    tree = syntax(source)
    if tree is None:
        return ()
    return tuple(_flow(node, outer, owner) for node, outer, owner in code_objects(tree))


def syntax(source: str) -> ast.Module | None:
    """Return the syntax tree, or None if the interpreter's grammar or limits refuse the source."""
    for _ in range(MAX_PARSE_ATTEMPTS):
        try:
            with _PARSING, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(source)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
        except SystemError:  # a thread that does not come through here parses at the same time
            continue
    return None


def first_line(node: ast.AST) -> int:
    """Return the line of a code object's call event: its first decorator's or its own; 0 for a module."""
    decorators = getattr(node, "decorator_list", None)
    line: int = decorators[0].lineno if decorators else getattr(node, "lineno", 0)
    return line


def code_objects(tree: ast.Module) -> Iterator[tuple[ast.AST, Names | None, str]]:
    """Yield every node that makes a code object, with the enclosing function's names and the class."""
    pending: list[tuple[ast.AST, Names | None, str]] = [(tree, None, "")]
    while pending:
        node, outer, owner = pending.pop()
        if isinstance(node, (ast.Module, *SCOPES)):
            yield node, outer, owner
            if not isinstance(node, (ast.Module, ast.ClassDef)):
                outer = names_of(node, outer)
            owner = node.name if isinstance(node, ast.ClassDef) else ""
        pending.extend((part, outer, owner) for part in ast.iter_child_nodes(node))


def _flow(node: ast.AST, outer: Names | None, owner: str) -> Flow:
    builder = Builder()
    start = builder.graph.point()
    builder.graph.edge(_build(builder, node, start), EXIT)
    folded = builder.graph.fold(start)
    name = str(getattr(node, "name", TITLES.get(type(node).__name__, "")))
    return Flow(
        name,
        first_line(node),
        getattr(node, "lineno", 0),
        owner,
        _bases(node),
        names_of(node, outer),
        folded.start,
        folded.next,
        folded.handlers,
        folded.returns,
        frozenset(builder.yields),
    )


def _build(builder: Builder, node: ast.AST, start: int) -> int:
    graph = builder.graph
    if isinstance(node, COMPREHENSIONS):
        lines = touched(node)
        if isinstance(node, ast.GeneratorExp) or suspends(node):
            builder.yields |= lines
            graph.swallows |= lines
        return graph.anyhow(start, lines)
    if isinstance(node, ast.Lambda):
        return graph.maybe(builder.statement(ast.copy_location(ast.Expr(node.body), node.body), start), node.lineno)
    if isinstance(node, ast.ClassDef):
        start = graph.maybe(graph.maybe(start, first_line(node)), node.lineno)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        # The return of a function that is only a docstring is reported there too.
        if _formats(node.body[:2]) or all(map(_is_text, node.body)):
            start = graph.maybe(start, first_line(node))
        return builder.body(_executed(node.body), start)
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return builder.body(node.body, start)
    return start


def _executed(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the body of a function without its docstring. A docstring that is the whole body is kept."""
    return body[1:] if len(body) > 1 and _is_text(body[0]) else body


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is only a string."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _formats(statements: list[ast.stmt]) -> bool:
    """Return whether a body may begin with '...' % (...), whose literal is reported on the def line."""
    parts = (part for statement in statements for part in ast.walk(statement))
    return any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod) for part in parts)


def _bases(node: ast.AST) -> tuple[str, ...]:
    """Return the last names of a class's bases."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return tuple(
        base.id if isinstance(base, ast.Name) else base.attr
        for base in bases
        if isinstance(base, (ast.Name, ast.Attribute))
    )
