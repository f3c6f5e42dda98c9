"""Rewrites programs into equivalent, easier ones: one operation per line, string methods as character loops.

Pure functions on source text. Code that cannot be rewritten safely stays; a source that does not parse, or that
inspects its own frames or lifetimes, stays whole. `data` checks the equivalence by executing both.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from worldline.analyze.rewrite import names, statements
from worldline.analyze.rewrite.chars import with_loops
from worldline.analyze.rewrite.entry import add_entry
from worldline.analyze.rewrite.lookups import repeatable_methods
from worldline.analyze.rewrite.printing import printed
from worldline.analyze.rewrite.tree import alike
from worldline.analyze.rewrite.watching import watches
from worldline.core.language import LANGUAGES, Feature
from worldline.core.program import Program


@dataclass(frozen=True)
class Rewritten:
    """A rewritten source; `lines[n]` is the old line from which its line n + 1 comes, 0 for none.

    `why` says why it was not changed, as a sentence's end behind "not rewritten, because"; empty where it was. `call`
    replaces the program's call where the arguments became steps of the source.
    """

    source: str
    changed: bool
    lines: tuple[int, ...]
    why: str = ""
    call: str | None = None


def rewrite(
    source: str,
    *,
    flatten: bool = False,
    chars: bool = False,
    call: str | None = None,
    arguments: bool = False,
    only: Collection[int] | None = None,
    language: str = "python",
) -> Rewritten:
    """Rewrite a source; `call` is what will be evaluated in it, whose names stay free.

    `only`: the first lines of the statements that are rewritten, where not all are. `arguments`: flatten the call as
    well, if all statements are; it is then `Rewritten.call`. Of a language other than Python nothing is rewritten.
    """
    done = _unchanged(source)
    if refusal := LANGUAGES[language].refusal(Feature.REWRITE, "it"):
        return replace(done, why=refusal)
    whole, reasons = done, list[str]()
    first = _flatten_call if call and arguments and only is None else _flatten
    for act in [first] * flatten + [_chars] * chars:
        try:
            here = None if only is None else frozenset(n for n, line in enumerate(done.lines, 1) if line in only)
            outcome = act(done.source.replace("\r\n", "\n"), call or "", here)
        except RecursionError:
            outcome = replace(done, changed=False, why="it is nested too deep to be taken apart")
        reasons += [outcome.why] if outcome.why else []
        done = _after(done, outcome)
    return done if done.changed else replace(whole, why=reasons[0] if reasons else "nothing was asked for")


def flatten(source: str) -> str:
    """Rewrite a source to one operation per line."""
    return rewrite(source, flatten=True).source


def chars(source: str) -> str:
    """Rewrite a source so that loops over characters replace string methods."""
    return rewrite(source, chars=True).source


def rewrite_program(program: Program, *, flatten: bool = False, chars: bool = False) -> Program:
    """Rewrite a program's source, and its call if that is flattened; its other files stay."""
    done = rewrite(
        program.source, flatten=flatten, chars=chars, call=program.call, arguments=flatten, language=program.language
    )
    return replace(program, source=done.source, call=done.call or program.call)


def _after(first: Rewritten, second: Rewritten) -> Rewritten:
    """Compose two successive rewrites into one."""
    lines = tuple(first.lines[line - 1] if line else 0 for line in second.lines)
    return Rewritten(second.source, first.changed or second.changed, lines, call=second.call or first.call)


def _unchanged(source: str) -> Rewritten:
    return Rewritten(source, False, tuple(range(1, source.count("\n") + 2)))


def _facts(tree: ast.Module, source: str, call: str, only: frozenset[int] | None) -> names.Facts:
    """Collect the facts about a tree, and mark its loads with them."""
    facts = names.facts(tree, names.words(source, call), only)
    names.mark_loads(tree, facts)
    return replace(facts, repeatable=repeatable_methods([tree, ast.parse(call)], facts.words, facts.defined))


def _flatten(source: str, call: str, only: frozenset[int] | None) -> Rewritten:
    whole, tree = _unchanged(source), _parsed(source, call)
    if isinstance(tree, str):
        return replace(whole, why=tree)
    facts = _facts(tree, source, call, only)
    return _printed(statements.flat_module(tree, facts, names.words(call)), tree, whole)


def _flatten_call(source: str, call: str, only: frozenset[int] | None) -> Rewritten:
    """Flatten a source and, in a function of its own, the call."""
    added = None if isinstance(_parsed(source, call), str) else add_entry(source, call)
    done = None if added is None else _flatten(added.source, call, only)
    if added is None or done is None or not (done.changed and added.is_decomposed(done.source)):
        return _flatten(source, call, only)
    lines = tuple(0 if line > added.last else line for line in done.lines)
    return replace(done, lines=lines, call=f"{added.name}()")


def _chars(source: str, call: str, only: frozenset[int] | None) -> Rewritten:
    whole, tree = _unchanged(source), _parsed(source, call)
    if isinstance(tree, str):
        return replace(whole, why=tree)
    facts = _facts(tree, source, call, only)
    functions, body = with_loops(tree, facts)
    start = _first(tree)
    return _printed([*body[:start], *functions, *body[start:]], tree, whole)


def _first(tree: ast.Module) -> int:
    """Return where functions can be inserted: after the docstring and the `__future__` imports."""
    start = 0
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        text = start == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (future or text):
            break
        start += 1
    return start


def _printed(body: Sequence[ast.stmt], tree: ast.Module, whole: Rewritten) -> Rewritten:
    """Print the new source and check that it parses to the same tree."""
    if len(body) == len(tree.body) and all(a is b for a, b in zip(body, tree.body, strict=True)):
        return replace(whole, why="there is nothing to decompose in it")
    new = ast.fix_missing_locations(ast.Module(list(body), []))
    try:
        text, lines = printed(body, tree, whole.source)
        if alike(ast.parse(text), new):
            return Rewritten(text, True, lines)
    except (ValueError, SyntaxError, RecursionError):
        pass
    return replace(whole, why="the rewritten program could not be printed")


def _parsed(source: str, call: str) -> ast.Module | str:
    """Return the tree of a source that may be rewritten, or the reason why it may not."""
    if "\r" in source:
        return "it has carriage returns that end no line"
    try:
        tree, call_tree = ast.parse(source), ast.parse(call)
    except SyntaxError as error:
        return f"it is not Python: {error.msg}, line {error.lineno}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"it is not Python: {' '.join(str(error).split())}"
    return watches(tree) or watches(call_tree) or tree
