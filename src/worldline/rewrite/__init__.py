"""Programs into equivalent, easier programs: one operation a line, string methods as loops over characters.

Pure functions on source text. What cannot be rewritten safely stays as it is; a source that does not parse, or looks
at its own frames or lifetimes, stays whole. That a rewriting is equivalent is proved by running both, in `data`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from worldline.core.program import Program
from worldline.rewrite import names, statements
from worldline.rewrite.chars import with_loops
from worldline.rewrite.printing import printed
from worldline.rewrite.tree import alike, walk


@dataclass(frozen=True)
class Rewritten:
    """A rewritten source; `lines[n]` is the old line from which its line n + 1 comes, 0 for none."""

    source: str
    changed: bool
    lines: tuple[int, ...]


def rewrite(
    source: str,
    *,
    flatten: bool = False,
    chars: bool = False,
    call: str | None = None,
    only: Collection[int] | None = None,
) -> Rewritten:
    """Rewrite a source; `call` is what will be evaluated in it, whose names stay free.

    `only`: the first lines of the statements that are rewritten, where not all are.
    """
    whole = done = Rewritten(source, False, tuple(range(1, source.count("\n") + 2)))
    for act in [_flatten] * flatten + [_chars] * chars:
        try:
            here = (
                None if only is None else frozenset(n for n, line in enumerate(done.lines, 1) if line in only)
            )
            done = _after(done, act(done.source.replace("\r\n", "\n"), call or "", here))
        except RecursionError:  # nested too deep to be taken apart
            continue
    return done if done.changed else whole


def flatten(source: str) -> str:
    """A source with one operation a line."""
    return rewrite(source, flatten=True).source


def chars(source: str) -> str:
    """A source with loops over characters for string methods."""
    return rewrite(source, chars=True).source


def rewrite_program(program: Program, *, flatten: bool = False, chars: bool = False) -> Program:
    """A program with its source rewritten; its other files stay."""
    return replace(
        program, source=rewrite(program.source, flatten=flatten, chars=chars, call=program.call).source
    )


def _after(first: Rewritten, second: Rewritten) -> Rewritten:
    """Two rewritings, one after the other, as one."""
    lines = tuple(first.lines[line - 1] if line else 0 for line in second.lines)
    return Rewritten(second.source, first.changed or second.changed, lines)


def _flatten(source: str, call: str, only: frozenset[int] | None) -> Rewritten:
    whole = Rewritten(source, False, tuple(range(1, source.count("\n") + 2)))
    tree = _parsed(source)
    known = names.words(source, call)
    if tree is None or known & names.TELLTALE or _is_watched(tree):
        return whole
    facts = names.facts(tree, known, only)
    names.mark_loads(tree, facts)
    return _printed(statements.flat_module(tree, facts, names.words(call)), tree, whole)


def _chars(source: str, call: str, only: frozenset[int] | None) -> Rewritten:
    whole = Rewritten(source, False, tuple(range(1, source.count("\n") + 2)))
    tree = _parsed(source)
    known = names.words(source, call)
    if tree is None or known & names.TELLTALE:
        return whole
    facts = names.facts(tree, known, only)
    names.mark_loads(tree, facts)
    functions, body = with_loops(tree, facts)
    start = _first(tree)
    return _printed([*body[:start], *functions, *body[start:]], tree, whole)


def _first(tree: ast.Module) -> int:
    """Where functions can be put: after the docstring and what is imported from the future."""
    start = 0
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        text = start == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (future or text):
            break
        start += 1
    return start


def _printed(body: Sequence[ast.stmt], tree: ast.Module, whole: Rewritten) -> Rewritten:
    """The new source, if it is one: what `ast.unparse` writes is read again."""
    if len(body) == len(tree.body) and all(a is b for a, b in zip(body, tree.body, strict=True)):
        return whole
    new = ast.fix_missing_locations(ast.Module(list(body), []))
    try:
        text, lines = printed(body, tree, whole.source)
        if not alike(ast.parse(text), new):
            return whole
    except (ValueError, SyntaxError, RecursionError):
        return whole
    return Rewritten(text, True, lines)


def _parsed(source: str) -> ast.Module | None:
    if "\r" in source:
        return None  # a line's end that Python counts and others do not
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_watched(tree: ast.Module) -> bool:
    """Whether a generator does something when it is dropped: a temporary would let it live longer."""
    for node in walk(tree):
        if isinstance(node, names.Function):
            managers = [each for each in node.decorator_list if ast.unparse(each).endswith("contextmanager")]
            guarded = [each for each in names.own(node) if isinstance(each, ast.Try | ast.With | ast.TryStar)]
            yields = [
                e for each in guarded for e in names.own(each) if isinstance(e, ast.Yield | ast.YieldFrom)
            ]
            if yields and not managers:
                return True
    return False
