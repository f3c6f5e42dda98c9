"""One statement of a program as a small program of its own, in which a model predicts its value again.

The names that the statement reads get their predicted values. The first program has the statement alone: nothing else
is in the model's way. In the second, values are constants, so that types are known and the rewriting can write a loop
over characters where it could not prove one in the whole program.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.analyze.rewrite import rewrite
from worldline.core.program import Program

MAX_VALUE_CHARACTERS = 400  # of all values that a statement reads
_NAME, _FILE = "statement", "statement.py"
_BUILTINS = frozenset(dir(builtins))
# What binds names of its own, or suspends.
_UNSUITABLE = (ast.Lambda, ast.NamedExpr, ast.comprehension, ast.Yield, ast.YieldFrom, ast.Await)
_LITERAL = (ast.Expression, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load, ast.UnaryOp, ast.USub)


@dataclass(frozen=True)
class SingleStatement:
    """A statement with one value.

    Attributes:
        target: The name that has the value after it; empty for the value that a function returns.
        body: The lines of a function that returns the value.
        reads: The names that must be known.
    """

    target: str
    body: tuple[str, ...]
    reads: tuple[str, ...]


def statements_by_line(source: str) -> dict[int, SingleStatement]:
    """Return the statements of a source that have one value, by line.

    Args:
        source: A Python source.

    Returns:
        Assignments to a name, an item or a slice, calls of a name's methods, and returns; none if the source does not
        parse.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    own, statements = frozenset(_bound_names(tree)), dict[int, SingleStatement]()
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or node.lineno != node.end_lineno:
            continue
        parts = _target_and_body(node)
        if parts is None or any(isinstance(part, _UNSUITABLE) for part in ast.walk(node)):
            continue
        loads = dict.fromkeys(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and _is_read(part, node))
        reads = tuple(name for name in loads if name in own or name not in _BUILTINS)
        statements[node.lineno] = SingleStatement(*parts, reads)
    return statements


def statement_programs(statement: SingleStatement, values: Mapping[str, str]) -> tuple[Program, ...]:
    """Return programs that return the value of a statement, from the shortest to the one with the smallest steps.

    Args:
        statement: The statement.
        values: The values of the names before it, as canonical text.

    Returns:
        The statement alone, then with loops over characters, if it has such a form; none if a value is not known.
    """
    texts = [values.get(name, "") for name in statement.reads]
    if sum(map(len, texts)) > MAX_VALUE_CHARACTERS or not all(map(_is_literal, texts)):
        return ()
    head = f"def {_NAME}({', '.join(statement.reads)}):"
    call = f"{_NAME}({', '.join(texts)})"
    alone = Program(source=_lines(head, statement.body), call=call, name=_FILE)
    constants = [f"{name} = {text}" for name, text in zip(statement.reads, texts, strict=True)]
    deeper = rewrite(_lines(f"def {_NAME}():", (*constants, *statement.body)), chars=True, call=f"{_NAME}()")
    return (alone, Program(source=deeper.source, call=f"{_NAME}()", name=_FILE)) if deeper.changed else (alone,)


def _lines(head: str, body: tuple[str, ...]) -> str:
    return "\n".join([head, *(f"    {line}" for line in body), ""])


def _target_and_body(node: ast.stmt) -> tuple[str, tuple[str, ...]] | None:
    """Return the name that a statement gives a value, and a function's lines that return it."""
    match node:
        case ast.Return(value=ast.expr()):
            return "", (ast.unparse(node),)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, (f"return {ast.unparse(value)}",)
        case (
            ast.AugAssign(target=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)))
            | ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
            | ast.Delete(targets=[ast.Subscript(value=ast.Name(id=name))])
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
        ):
            return name, (ast.unparse(node), f"return {name}")
    return None


def _is_read(part: ast.Name, node: ast.stmt) -> bool:
    """Whether a statement reads a name; an augmented assignment reads its target too."""
    return isinstance(part.ctx, ast.Load) or isinstance(node, ast.AugAssign)


def _is_literal(text: str) -> bool:
    """Whether the text of a value is a literal of built-in types, nothing left out."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(
        part.value is not ... if isinstance(part, ast.Constant) else isinstance(part, _LITERAL)
        for part in ast.walk(tree)
    )


def _bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a source binds anywhere."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).partition(".")[0]
