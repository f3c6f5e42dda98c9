"""List, set and dict comprehensions of Python 3.12 and later, with the frames that 3.11 shows.

PEP 709 executes them inside the frame around them: their variable appears among its names, and their rounds are
further `line` events. The frames of a `<listcomp>`, `<setcomp>` or `<dictcomp>` are restored where nothing has to
be guessed: `name = [...]` or `return [...]`, alone on its line in a function, with one `for` over something whose
iterator type is evident. Every other comprehension stays inline.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.expression import COMPREHENSIONS, suspends
from worldline.analyze.flow.names import FUNCTIONS, SCOPES, names_of
from worldline.codec.cwm.frame import CwmFrame
from worldline.core.value import kind

INLINED_SINCE = (3, 12)
ITERATORS = {
    "range": "range_iterator",
    "enumerate": "enumerate",
    "zip": "zip",
    "sorted": "list_iterator",
    "list": "list_iterator",
    "tuple": "tuple_iterator",
}
VIEWS = {"items": "dict_itemiterator", "keys": "dict_keyiterator", "values": "dict_valueiterator"}
OVER = {
    "list": "list_iterator",
    "tuple": "tuple_iterator",
    "dict": "dict_keyiterator",
    "set": "set_iterator",
    "frozenset": "set_iterator",
    "range": "range_iterator",
    "bytes": "bytes_iterator",
}
PURE = {*ITERATORS, "len", "min", "max", "abs", "sum", "int", "str", "set"}
_WIDE_ESCAPE = re.compile(r"\\(?:u|U|x[89a-f])")


@dataclass(frozen=True)
class Site:
    """A statement whose value is one comprehension. `target` is the name that it assigns, None for a return."""

    line: int
    node: ast.ListComp | ast.SetComp | ast.DictComp
    target: str | None
    own: frozenset[str]
    free: tuple[str, ...]


def restore(shown: list[CwmFrame], source: str) -> list[CwmFrame]:
    """Return the frames with every evident comprehension in a scope of its own."""
    tree = syntax(source)
    sites = {site.line: site for site in _sites(tree)} if tree is not None else {}
    rounds = dict(_runs(shown, sites))
    if not rounds:
        return shown
    return list(_spliced(shown, rounds, max(frame.scope for frame in shown) + 1))


@dataclass(frozen=True)
class _InlinedComprehension:
    """One execution of a site: the frames of its rounds, the frame before which it returns, and its value."""

    site: Site
    iterator: str
    rounds: tuple[int, ...]
    end: int
    value: str


def _runs(shown: list[CwmFrame], sites: dict[int, Site]) -> Iterator[tuple[int, _InlinedComprehension]]:
    following = _following(shown)
    for i, frame in enumerate(shown):
        site = sites.get(frame.line or 0)
        if site is not None and frame.event == "line" and not site.own & frame.locals.keys():
            run = _run(shown, following, i, site)
            if run is not None:
                yield i, run


def _following(shown: list[CwmFrame]) -> list[int]:
    """For each frame the next one of its scope; past the end if there is none."""
    following, last = [len(shown)] * len(shown), dict[int, int]()
    for i, frame in enumerate(shown):
        if frame.scope in last:
            following[last[frame.scope]] = i
        last[frame.scope] = i
    return following


def _run(shown: list[CwmFrame], following: list[int], i: int, site: Site) -> _InlinedComprehension | None:
    rounds, at = [], following[i]
    while at < len(shown) and shown[at].event == "line" and site.own & shown[at].locals.keys():
        rounds.append(at)
        at = following[at]
    iterator = _evident(site.node.generators[0].iter, shown[i].locals)
    if at == len(shown) or iterator is None:
        return None
    if site.target is None:
        value = shown[at].arg if shown[at].event == "return" else None
    else:
        value = shown[at].locals.get(site.target) if shown[at].event == "line" else None
    return None if value is None else _InlinedComprehension(site, iterator, tuple(rounds), at, value)


def _spliced(shown: list[CwmFrame], runs: dict[int, _InlinedComprehension], scope: int) -> Iterator[CwmFrame]:
    """The frames, with each round moved into the scope of its comprehension, between a call and a return."""
    rounds: dict[int, tuple[_InlinedComprehension, int]] = {}
    ends: dict[int, tuple[_InlinedComprehension, int]] = {}
    for i, frame in enumerate(shown):
        if i in ends:
            run, inner = ends.pop(i)
            yield CwmFrame("return", inner, run.site.line, {}, run.value)
        if i in rounds:
            run, inner = rounds.pop(i)
            yield replace(frame, scope=inner, locals=_inner(run, frame.locals))
            continue
        yield frame
        if i in runs:
            run, scope = runs[i], scope + 1
            names = _inner(run, frame.locals)
            yield CwmFrame("call", scope, run.site.line, names, None)
            yield CwmFrame("line", scope, run.site.line, names, None)
            rounds.update((at, (run, scope)) for at in run.rounds)
            ends[run.end] = run, scope


def _inner(run: _InlinedComprehension, names: dict[str, str]) -> dict[str, str]:
    inner = {".0": f"<{run.iterator}>"}
    inner.update((name, names[name]) for name in run.site.free if name in names)
    inner.update((name, value) for name, value in names.items() if name in run.site.own)
    return inner


def _sites(tree: ast.Module) -> Iterator[Site]:
    """Matching statements, in functions only: elsewhere the variable is not shown, or nothing is inlined."""
    module = names_of(tree, None).bound
    crowded = _crowded(tree)
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        names = names_of(function, None)
        for statement in _statements(function):
            site = _site(statement, names.bound | names.parameters, module | names.visible)
            if site is not None and statement.lineno not in crowded:
                yield site


def _statements(function: ast.AST) -> Iterator[ast.stmt]:
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, SCOPES):
            pending.extend(ast.iter_child_nodes(node))


def _crowded(tree: ast.Module) -> set[int]:
    """Lines on which more than one statement starts."""
    seen: set[int] = set()
    crowded: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            (crowded if node.lineno in seen else seen).add(node.lineno)
    return crowded


def _site(statement: ast.stmt, bound: frozenset[str], known: frozenset[str]) -> Site | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
            name: str | None = target
        case ast.Return():
            name = None
        case _:
            return None
    node = statement.value
    if not isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)) or statement.lineno != statement.end_lineno:
        return None
    inside = [part for part in ast.walk(node) if part is not node]
    if len(node.generators) != 1 or suspends(node):
        return None
    if any(isinstance(part, (*COMPREHENSIONS, *FUNCTIONS, ast.NamedExpr)) for part in inside):
        return None
    own = frozenset(p.id for p in ast.walk(node.generators[0].target) if isinstance(p, ast.Name))
    if own & bound or not own or not _is_pure(node.generators[0].iter, known):
        return None
    return Site(statement.lineno, node, name, own, _free(node, own, bound))


def _free(
    node: ast.ListComp | ast.SetComp | ast.DictComp, own: frozenset[str], bound: frozenset[str]
) -> tuple[str, ...]:
    """The function's names that the comprehension itself reads; its first iterable is read outside of it."""
    outside = {id(part) for part in ast.walk(node.generators[0].iter)}
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in outside}
    return tuple(sorted((used & bound) - own))


def _is_pure(node: ast.expr, known: frozenset[str]) -> bool:
    """Whether evaluating it calls nothing of the program."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            function = part.func
            plain = isinstance(function, ast.Name) and function.id in PURE and function.id not in known
            view = isinstance(function, ast.Attribute) and function.attr in VIEWS
            if not (plain or view) or part.keywords:
                return False
    return True


def _evident(node: ast.expr, names: dict[str, str]) -> str | None:
    """The type of the iterator, unless an object takes part: its methods could execute first."""
    used = (names.get(part.id, "") for part in ast.walk(node) if isinstance(part, ast.Name))
    return None if any("#" in value for value in used) else _iterator(node, names)


def _iterator(node: ast.expr, names: dict[str, str]) -> str | None:
    """The type of the iterator over an expression, if the text or the shown value of a name determines it."""
    match node:
        case ast.Name(id=name):
            return _iterator_over(names.get(name, ""))
        case ast.Call(func=ast.Name(id=name)):
            return ITERATORS.get(name)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=view), args=[]):
            return VIEWS.get(view) if _iterator_over(names.get(name, "")) == "dict_keyiterator" else None
        case ast.List():
            return "list_iterator"
        case ast.Tuple():
            return "tuple_iterator"
        case ast.Constant(value=str() as text):
            return "str_ascii_iterator" if text.isascii() else "str_iterator"
        case _:
            return None


def _iterator_over(value: str) -> str | None:
    """The type of the iterator over a canonical value."""
    if kind(value) != "str":
        return OVER.get(kind(value))
    ascii_only = value.isascii() and not _WIDE_ESCAPE.search(value.replace("\\\\", ""))
    return "str_ascii_iterator" if ascii_only else "str_iterator"
