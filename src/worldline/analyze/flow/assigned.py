"""Which names the statement on each line of a Python source assigns or mutates, read from the syntax tree.

Known for a statement that has one step: a simple statement alone on its line, and the head of a `for`. A name counts
if a frame shows it as its own (`flow.names`), so that it has a value as soon as the statement has finished.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from worldline.analyze.flow.conditions.decisions import is_silent, lines_of
from worldline.analyze.flow.control import code_objects, syntax
from worldline.analyze.flow.expression import COMPREHENSIONS
from worldline.analyze.flow.names import FUNCTIONS, SCOPES, bound_names, names_of

# Methods of built-in containers that change them.
_MUTATING = """
add append appendleft clear difference_update discard extend extendleft insert intersection_update move_to_end
pop popitem popleft remove reverse rotate setdefault sort subtract symmetric_difference_update update
"""
MUTATING_METHODS = frozenset(_MUTATING.split())
# Expressions that may report their line more than once, or end in another step.
_SEVERAL_STEPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.Yield, ast.YieldFrom, ast.Await)
# Expressions parts of which may not be evaluated.
_CONDITIONAL = (ast.BoolOp, ast.IfExp, ast.Lambda, *COMPREHENSIONS)
# Built-in functions that change nothing and call no function of the program.
_PURE = """
abs all any ascii bin bool bytes callable chr complex dict divmod enumerate float format frozenset hex int
isinstance issubclass len list max min oct ord pow range repr reversed round set slice sorted str sum tuple type
zip
"""
_PURE_FUNCTIONS = frozenset(_PURE.split())
_BUILT_IN_TYPES = (str, bytes, list, tuple, dict, set, frozenset, int, float, range)
_PURE_METHODS = frozenset(name for kind in _BUILT_IN_TYPES for name in dir(kind)) - MUTATING_METHODS
# Words of programs in which a value may change where no statement shows it: classes and other types with their own
# methods, iterators that call functions of the program, and what runs beside it.
_HIDDEN_CHANGES = re.compile(
    r"\b(?:class|type|namedtuple|defaultdict|yield|map|filter|iter|next|nonlocal|async|await|exec|eval|globals|locals|vars)\b"
    r"|itertools|functools|settrace|setprofile|thread|asyncio|concurrent|signal|weakref|ctypes|array|memoryview"
)
_NO_LINES: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Assigned:
    """The names that a line assigns or mutates, in the order of the source.

    `body` are the lines of the body of a `for`, whose head assigns its names only if one of them comes next.
    `closed`: in a plain program (`is_plain`) the line changes no other name, and nothing at all if it raises.
    """

    names: tuple[str, ...]
    body: frozenset[int] = field(default_factory=frozenset)
    closed: bool = False


@lru_cache(maxsize=64)
def assigned_names(source: str) -> Mapping[int, Assigned]:
    """Return the assigned names of each line of a Python source, for lines on which they are known."""
    tree = syntax(source)
    if tree is None:
        return MappingProxyType({})
    shared, by_line = _shared_lines(tree), dict[int, Assigned]()
    # Consuming a generator that was stored executes code of the program.
    redefined = None if _stores_generators(tree) else frozenset(_bound_anywhere(tree))
    open_lines = _handler_lines(tree)
    for scope, outer, _ in code_objects(tree):
        if isinstance(scope, (*COMPREHENSIONS, ast.Lambda)):
            continue
        own = names_of(scope, outer).visible if isinstance(scope, FUNCTIONS) else frozenset(bound_names(scope))
        for node in _statements(scope):
            if node.lineno in shared or _has_several_steps(node):
                continue
            names = tuple(name for name in dict.fromkeys(_names(node)) if name in own and not name.startswith("__"))
            body = lines_of(node.body) if isinstance(node, ast.For) and names else _NO_LINES
            by_line[node.lineno] = Assigned(names, body, node.lineno not in open_lines and _is_closed(node, redefined))
    return MappingProxyType(by_line)


def is_plain(text: str) -> bool:
    """Return whether values change only where a statement shows it: nothing in the sources hides a change."""
    return _HIDDEN_CHANGES.search(text) is None


def _bound_anywhere(tree: ast.Module) -> Iterator[str]:
    """Yield every name that is bound somewhere in a source."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, (ast.Module, *SCOPES)):
            yield from bound_names(node)


def _handler_lines(tree: ast.Module) -> set[int]:
    """Return the lines after which the name of a caught exception may be gone."""
    handlers = (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name is not None)
    return {line for handler in handlers for line in lines_of(handler.body)}


def _stores_generators(tree: ast.Module) -> bool:
    """Return whether a generator expression stands anywhere else than in a call."""
    passed = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Call) for part in node.args}
    return any(isinstance(node, ast.GeneratorExp) and id(node) not in passed for node in ast.walk(tree))


def _is_closed(node: ast.stmt, redefined: frozenset[str] | None) -> bool:
    """Return whether a statement can change no other names than those that it assigns, and none if it raises.

    `redefined` are built-in names that are bound in the source; None: no call is known to change nothing.
    """
    match node:
        case ast.Assign():
            is_simple = all(_is_plain_target(target) for target in node.targets)
            return is_simple and _is_pure(node.value, redefined)
        case ast.For():
            return _is_plain_target(node.target) and _is_pure(node.iter, redefined)
        case ast.If() | ast.While():
            return _is_pure(node.test, redefined)
        case ast.Return():
            return node.value is None or _is_pure(node.value, redefined)
        case ast.Pass() | ast.Break() | ast.Continue():
            return True
    return False


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_plain_target, target.elts))
    return isinstance(target, ast.Name) or (isinstance(target, ast.Starred) and _is_plain_target(target.value))


def _is_pure(node: ast.AST, redefined: frozenset[str] | None) -> bool:
    """Return whether evaluating an expression changes nothing, in a plain program."""
    return all(_is_pure_part(part, redefined) for part in ast.walk(node))


def _is_pure_part(part: ast.AST, redefined: frozenset[str] | None) -> bool:
    if isinstance(part, (ast.NamedExpr, ast.GeneratorExp)):
        return False
    if not isinstance(part, ast.Call):
        return True
    if redefined is None or any(keyword.arg in (None, "key") for keyword in part.keywords):
        return False
    if isinstance(part.func, ast.Name):
        return part.func.id in _PURE_FUNCTIONS and part.func.id not in redefined
    return isinstance(part.func, ast.Attribute) and part.func.attr in _PURE_METHODS


def _shared_lines(tree: ast.Module) -> set[int]:
    """Return the lines on which several statements stand, or parts of one that does not start there."""
    seen, shared = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            lines = _head_lines(node)
            shared |= set(lines[1:]) | (seen & set(lines)) | (set(lines) if len(lines) > 1 else set())
            seen |= set(lines)
    return shared


def _head_lines(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> range:
    """Return the lines of a statement without those of its body."""
    first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
    parts = ast.iter_child_nodes(node)
    own = [part for part in parts if not isinstance(part, (ast.stmt, ast.ExceptHandler, ast.match_case))]
    ends = (getattr(inner, "end_lineno", None) or first for part in own for inner in ast.walk(part))
    last = max(ends, default=first)
    if not hasattr(node, "body"):
        last = max(last, getattr(node, "end_lineno", None) or first)
    return range(first, last + 1)


def _statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of one code object, without those of nested ones."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement surely assigns or mutates when it finishes, targets first."""
    match node:
        case ast.Assign():
            for target in node.targets:
                yield from _roots(target)
            yield from _mutated(node.value)
        case ast.AugAssign():
            yield from _roots(node.target)
            yield from _mutated(node.value)
        case ast.AnnAssign() if node.value is not None:
            yield from _roots(node.target)
            yield from _mutated(node.value)
        case ast.For() if not is_silent(node.body):
            yield from _roots(node.target)
        case ast.Delete():
            for target in node.targets:
                if not isinstance(target, ast.Name):
                    yield from _roots(target)
        case ast.Expr() | ast.Return() if node.value is not None:
            yield from _mutated(node.value)


def _roots(target: ast.expr) -> Iterator[str]:
    """Yield the names that an assignment to a target changes: `x` of `x`, `x[0].y` and `*x`."""
    while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
        target = target.value
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _roots(element)
    elif isinstance(target, ast.Name):
        yield target.id


def _mutated(node: ast.expr) -> Iterator[str]:
    """Yield the names whose values a mutating method changes in an expression, wherever it is surely evaluated."""
    if isinstance(node, _CONDITIONAL) or (isinstance(node, ast.Compare) and len(node.ops) > 1):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING_METHODS:
        yield from _roots(node.func.value)
    if isinstance(node, ast.NamedExpr):
        yield node.target.id
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield from _mutated(part)
        elif isinstance(part, ast.keyword):
            yield from _mutated(part.value)


def _has_several_steps(node: ast.stmt) -> bool:
    parts = [node.target, node.iter] if isinstance(node, ast.For) else [node]
    return any(isinstance(inner, _SEVERAL_STEPS) for part in parts for inner in ast.walk(part))
