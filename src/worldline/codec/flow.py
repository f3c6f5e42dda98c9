"""Control flow of a Python source: for each line of each code object, the lines that may be reported next.

Read off the syntax tree, so it does not depend on the interpreter that runs this; an over-approximation that holds for
3.11, 3.12 and 3.13. It resolves line text to line numbers, and bounds what a decoder may write next. No code is run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worldline.codec.flow_build import Builder
from worldline.codec.flow_expression import COMPREHENSIONS, touched
from worldline.codec.flow_graph import EXIT

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)
NAMES = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


@dataclass(frozen=True)
class Flow:
    """One code object: its call line (0 for a module), parameters, identifiers, and what may follow each line.

    `next` holds the lines that may follow a line when nothing is raised in it, `handlers` those that may follow an
    exception raised or arriving there. `returns` and `yields` are the lines on which it may end or suspend.
    """

    name: str
    line: int
    parameters: frozenset[str]
    locals: frozenset[str]
    names: frozenset[str]
    start: frozenset[int]
    next: Mapping[int, frozenset[int]]
    handlers: Mapping[int, frozenset[int]]
    returns: frozenset[int]
    yields: frozenset[int]

    def after(self, line: int) -> frozenset[int]:
        """Lines that may follow this line, raised or not."""
        return self.next.get(line, frozenset()) | self.handlers.get(line, frozenset())


def successors(source: str) -> tuple[Flow, ...]:
    """The flow of every code object of a source, the module first; nothing for text that is not Python."""
    tree = syntax(source)
    if tree is None:
        return ()
    return tuple(flow_of(node) for node in ast.walk(tree) if isinstance(node, (ast.Module, *SCOPES)))


def syntax(source: str) -> ast.Module | None:
    """The syntax tree, or None where this interpreter's grammar or its limits refuse the source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def first_line(node: ast.AST) -> int:
    """The line of a code object's call event: its first decorator's, else its own; 0 for a module."""
    if isinstance(node, ast.Module):
        return 0
    decorators = getattr(node, "decorator_list", [])
    line: int = decorators[0].lineno if decorators else getattr(node, "lineno", 0)
    return line


def flow_of(node: ast.AST) -> Flow:
    """The flow of the code object that a node makes."""
    builder = Builder()
    graph = builder.graph
    start = graph.point()
    graph.edge(_build(builder, node, start), EXIT)
    folded = graph.fold(start)
    parameters = _parameters(node)
    return Flow(
        str(getattr(node, "name", NAMES.get(type(node), "<module>"))), first_line(node), parameters,  # type: ignore[call-overload]
        frozenset(_bound(node)) - parameters, frozenset(_identifiers(node)), folded.start, folded.next,
        folded.handlers, folded.returns, frozenset(builder.yields),
    )  # fmt: skip


def _build(builder: Builder, node: ast.AST, start: int) -> int:
    if isinstance(node, COMPREHENSIONS):
        lines = touched(node)
        if isinstance(node, ast.GeneratorExp):
            builder.yields |= lines
        return builder.graph.anyhow(start, lines)
    if isinstance(node, ast.Lambda):
        return builder.statement(ast.copy_location(ast.Expr(node.body), node.body), start)
    if isinstance(node, ast.ClassDef):
        start = builder.graph.maybe(builder.graph.maybe(start, first_line(node)), node.lineno)
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return builder.body(node.body, start)
    return start


def _parameters(node: ast.AST) -> frozenset[str]:
    if isinstance(node, COMPREHENSIONS):
        return frozenset({".0"})
    if not isinstance(node, FUNCTIONS):
        return frozenset()
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return frozenset(a.arg for a in (*plain, arguments.vararg, arguments.kwarg) if a is not None)


def own_nodes(node: ast.AST) -> Iterable[ast.AST]:
    """The nodes of one code object, nested code objects named but not entered."""
    pending = list(ast.iter_child_nodes(node))
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, SCOPES):
            pending.extend(ast.iter_child_nodes(part))


def _bound(node: ast.AST) -> Iterable[str]:
    """Names that the code object itself binds."""
    for part in own_nodes(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            yield part.name or ""


def _identifiers(node: ast.AST) -> Iterable[str]:
    yield "__class__"
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            yield part.name or ""
        elif isinstance(part, ast.alias):
            yield part.asname or part.name.partition(".")[0]
