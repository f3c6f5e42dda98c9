"""Comprehensions into loops, where a loop in the same scope does the same.

A comprehension's names are its own: in a loop they get new names unless comprehensions alone use them. Stays as it is:
what closures made inside it refer to, what binds items or attributes, what is asynchronous, what names a class's
`super`. A generator expression becomes a loop only as the one argument of a builtin that takes all of it (or, for `any`
and `all`, up to the answer) before anything else happens.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable

from worldline.analyze.rewrite.flatten import Flattener
from worldline.analyze.rewrite.kinds import UNKNOWN, Kinds
from worldline.analyze.rewrite.names import COMPREHENSIONS, SCOPES, Facts, sure, targets, temporary
from worldline.analyze.rewrite.tree import children, walk

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Last = Callable[[dict[str, str]], None]
CONSUMERS = frozenset(["list", "tuple", "set", "frozenset", "sorted", "any", "all", "sum", "max", "min", "dict"])
_COLLECTED = {"list": "list", "tuple": "list", "sorted": "list", "set": "set"}
# What can end a generator from inside.
_STOPS = frozenset(["next", "StopIteration", "__next__", "send", "throw"])


def private(scope: ast.AST) -> frozenset[str]:
    """Return the names that only the comprehensions of a scope use."""
    everywhere: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for node in walk(scope):
        everywhere.update(_named(node))
    _count(scope, frozenset(), inside)
    return frozenset(name for name, count in inside.items() if everywhere[name] == count)


def _named(node: ast.AST) -> list[str]:
    """Return the names that a node itself spells."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.ClassDef(name=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.alias():
            return [(node.asname or node.name).split(".")[0]]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
    return []


def _count(node: ast.AST, bound: frozenset[str], counts: Counter[str]) -> None:
    """Count each name that exactly one enclosing comprehension binds."""
    if isinstance(node, ast.Name):
        counts.update([node.id] if node.id in bound else [])
    elif isinstance(node, COMPREHENSIONS):
        own_names = {name for generator in node.generators for name in targets(generator.target)}
        for number, generator in enumerate(node.generators):
            _count(generator.iter, bound | own_names if number else bound, counts)
            for part in (generator.target, *generator.ifs):
                _count(part, (bound | own_names) - (bound & own_names), counts)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            _count(part, (bound | own_names) - (bound & own_names), counts)
    else:
        for child in children(node):
            _count(child, bound, counts)


def looped(flattener: Flattener, node: ast.expr) -> ast.expr | None:
    """Emit a comprehension, or a builtin's call with one, as a loop and return its result; None if it must stay."""
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
        if not _fits(flattener, node):
            return None
        empty: ast.expr = ast.List([], ast.Load())
        if isinstance(node, ast.SetComp):
            empty = ast.Call(temporary("set"), [], [])
        elif isinstance(node, ast.DictComp):
            empty = ast.Dict([], [])
        return _collected(flattener, node, empty)
    return _consumed(flattener, node) if isinstance(node, ast.Call) else None


def _fits(flattener: Flattener, node: Comprehension) -> bool:
    """Return whether a loop in the enclosing scope can replace a comprehension."""
    earlier: set[str] = set()
    for number, generator in enumerate(node.generators):
        if generator.is_async or not _names_only(generator.target):
            return False
        later = {name for part in node.generators[number:] for name in targets(part.target)}
        if number and later & {part.id for part in walk(generator.iter) if isinstance(part, ast.Name)}:
            return False
        earlier |= set(targets(generator.target))
    if isinstance(node, ast.SetComp) and "set" not in flattener.facts.plain:
        return False
    return not any(_holds(part, earlier, flattener.facts) for part in _parts(node))


def _parts(node: Comprehension) -> list[ast.expr]:
    """Return the expressions that are evaluated inside a comprehension."""
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for number, generator in enumerate(node.generators):
        parts += [*generator.ifs, *([generator.iter] if number else [])]
    return parts


def _names_only(target: ast.expr) -> bool:
    kinds = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Store, ast.Load)
    return all(isinstance(part, kinds) for part in walk(target))


def _holds(node: ast.AST, names: set[str], facts: Facts) -> bool:
    """Return whether something that outlives one iteration refers to the comprehension's variables."""
    if isinstance(node, ast.Name) and node.id in ("super", "__class__"):
        return True
    if isinstance(node, ast.Await | ast.NamedExpr):
        return True
    if isinstance(node, ast.Lambda | ast.GeneratorExp):
        return any(isinstance(part, ast.Name) and part.id in names for part in walk(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CONSUMERS & facts.plain:
        match node.args:
            case [ast.GeneratorExp() as only]:
                return any(_holds(part, names | set(targets(only)), facts) for part in children(only))
    return any(_holds(child, names, facts) for child in children(node))


def _collected(flattener: Flattener, node: Comprehension, empty: ast.expr) -> ast.expr:
    """Emit the loop that collects a comprehension's items into `empty`."""
    first = flattener.simple(node.generators[0].iter)
    result = flattener.keep(empty)

    def last(changed: dict[str, str]) -> None:
        if isinstance(node, ast.DictComp):
            key, value = flattener.operands([renamed(node.key, changed), renamed(node.value, changed)])
            if not isinstance(value, ast.Constant) and not sure(value):
                key = key if flattener.steady(key) else flattener.keep(key)
            target = ast.Subscript(temporary(result.id), key, ast.Store())
            flattener.out.append(ast.Assign([target], value))
            return
        item = flattener.light(renamed(node.elt, changed))
        name = "add" if isinstance(empty, ast.Call) else "append"
        put = ast.Call(ast.Attribute(temporary(result.id), name, ast.Load()), [item], [])
        flattener.out.append(ast.Expr(put))

    _loops(flattener, node, first, last)
    return result


def _consumed(flattener: Flattener, call: ast.Call) -> ast.expr | None:
    """Emit a builtin's call with a generator expression as a loop, and return what is left to do."""
    match call:
        case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as node]) if name in flattener.facts.plain and (
            not call.keywords or name == "sorted"
        ):
            pass
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str()), attr="join"),
            args=[ast.GeneratorExp() as node],
            keywords=[],
        ):
            name = "join"
        case _:
            return None
    if not _fits(flattener, node) or (_stops(node) and _STOPS & flattener.facts.words):
        return None
    if any(flattener.moves(keyword.value) for keyword in call.keywords):
        return None
    if name in ("any", "all"):
        return _answered(flattener, node, name == "any")
    if name == "sum":
        return _summed(flattener, node)
    if name != "join" and name not in _COLLECTED:
        return None
    empty: ast.expr = ast.List([], ast.Load())
    if _COLLECTED.get(name) == "set":
        empty = ast.Call(temporary("set"), [], [])
    result = _collected(flattener, node, empty)
    return result if name in ("list", "set") else ast.Call(call.func, [result], call.keywords)


def _stops(node: ast.GeneratorExp) -> bool:
    """Return whether an item calls anything, which could end a generator where a loop would fail."""
    return any(isinstance(inner, ast.Call) for part in _parts(node) for inner in walk(part))


def _answered(flattener: Flattener, node: ast.GeneratorExp, wanted: bool) -> ast.expr | None:
    """Emit `any` or `all` as a loop that stops at the answer."""
    first = flattener.simple(node.generators[0].iter)
    result = flattener.keep(ast.Constant(not wanted))

    def last(changed: dict[str, str]) -> None:
        test = flattener.test(renamed(node.elt, changed))
        condition = test if wanted else ast.UnaryOp(ast.Not(), test)
        answer = ast.Assign([ast.Name(result.id, ast.Store())], ast.Constant(wanted))
        flattener.out.append(ast.If(condition, [answer, ast.Break()], []))

    out: ast.expr = temporary(result.id)
    if not wanted:
        out = ast.UnaryOp(ast.Not(), out)
    _loops(flattener, node, first, last, after=out)
    return result


def _summed(flattener: Flattener, node: ast.GeneratorExp) -> ast.expr | None:
    """Emit `sum` of proved ints; some Python versions add floats differently from `+`."""
    if _kind(flattener, node) not in ("int", "bool"):
        return None
    first = flattener.simple(node.generators[0].iter)
    result = flattener.keep(ast.Constant(0))

    def last(changed: dict[str, str]) -> None:
        item = flattener.light(renamed(node.elt, changed))
        flattener.out.append(ast.AugAssign(ast.Name(result.id, ast.Store()), ast.Add(), item))

    _loops(flattener, node, first, last)
    return result


def _kind(flattener: Flattener, node: ast.GeneratorExp) -> str:
    """Return the kind of a generator expression's items."""
    inner = Kinds(flattener.facts, dict(flattener.kinds.names))
    for generator in node.generators:
        element = inner.element(generator.iter)
        inner.names.update(dict.fromkeys(targets(generator.target), UNKNOWN))
        if isinstance(generator.target, ast.Name):
            inner.names[generator.target.id] = element
    return inner.kind(node.elt)


def _loops(
    flattener: Flattener, node: Comprehension, first: ast.expr, last: Last, *, after: ast.expr | None = None
) -> None:
    """Emit a comprehension's loops around the innermost line; after an inner loop, `after` tests for a break."""
    names = [name for generator in node.generators for name in targets(generator.target)]
    reused = {name for name in names if name in flattener.private and name not in flattener.loops}
    changed = {name: flattener.fresh.like(name) for name in dict.fromkeys(names) if name not in reused}
    flattener.loops += names

    def turn(number: int) -> None:
        if number == len(node.generators):
            last(changed)
            return
        generator = node.generators[number]
        over = flattener.simple(renamed(generator.iter, changed)) if number else first
        target = renamed(generator.target, changed)
        if isinstance(target, ast.Name):
            flattener.kinds.names[target.id] = flattener.kinds.element(generator.iter if number else over)
        body = flattener.inside(lambda: tests(number, list(generator.ifs)))
        flattener.out.append(ast.For(target, over, body, []))
        if after is not None and number:
            flattener.out.append(ast.If(after, [ast.Break()], []))

    def tests(number: int, left: list[ast.expr]) -> None:
        if not left:
            turn(number + 1)
            return
        test = flattener.test(renamed(left[0], changed))
        flattener.out.append(ast.If(test, flattener.inside(lambda: tests(number, left[1:])), []))

    turn(0)
    del flattener.loops[len(flattener.loops) - len(names) :]


def renamed(node: ast.expr, changed: dict[str, str]) -> ast.expr:
    """Rename names in an expression, except those that inner scopes bind."""
    if not changed:
        return node
    result = _Renamer(changed).visit(copy.deepcopy(node))  # the copy keeps the marks of sure loads
    assert isinstance(result, ast.expr)
    return result


class _Renamer(ast.NodeTransformer):
    def __init__(self, changed: dict[str, str]) -> None:
        self.changed = changed

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.changed.get(node.id, node.id)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, COMPREHENSIONS):
            rebound = {name for generator in node.generators for name in targets(generator.target)}
            inner = _Renamer({old: new for old, new in self.changed.items() if old not in rebound})
            first = node.generators[0]
            first.iter = self.visit(first.iter)
            whole, first.iter = first.iter, ast.Constant(None)
            ast.NodeTransformer.generic_visit(inner, node)
            first.iter = whole
            return node
        if isinstance(node, SCOPES):
            rebound = {parameter.arg for parameter in walk(node) if isinstance(parameter, ast.arg)}
            inner = _Renamer({old: new for old, new in self.changed.items() if old not in rebound})
            return ast.NodeTransformer.generic_visit(inner, node)
        return ast.NodeTransformer.generic_visit(self, node)
