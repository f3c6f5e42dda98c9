"""A condition on names, such as `x == 3 and y < 2`, parsed strictly and never evaluated as code.

It has literals, names, elements (`stack[0]`), `len(name)`, comparisons, `and`, `or` and `not`. It is checked against
canonical values, with a distance. It does not hold if a name has no value, or one that is not a literal.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError
from worldline.plan.paths.distance import distance

MAX_GOAL_CHARACTERS = 1_000
MAX_VALUE_CHARACTERS = 1 << 16
NO_VALUE_DISTANCE = 8.0  # of a condition without values

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


class _Unknown(Exception):
    """The name has no value, or not a literal."""


@dataclass(frozen=True)
class StateGoal:
    """A condition on names: its text and its tree."""

    text: str
    tree: ast.expr

    def holds(self, names: Mapping[str, str]) -> bool:
        """Whether it holds for these canonical values."""
        try:
            return _holds(self.tree, names)
        except (_Unknown, TypeError, LookupError):
            return False

    def distance(self, names: Mapping[str, str]) -> float:
        """Return 0 if it holds; grows with the distance of the values from the goal."""
        return 0.0 if self.holds(names) else _distance(self.tree, names)

    def parts(self) -> list[StateGoal]:
        """Return the conditions that `and` joins."""
        match self.tree:
            case ast.BoolOp(op=ast.And(), values=trees):
                return [StateGoal(ast.unparse(tree), tree) for tree in trees]
        return [self]


def read_goal(text: str) -> StateGoal:
    """Parse a goal.

    Raises:
        UsageError: The text is not a condition on names.
    """
    try:
        if len(text) > MAX_GOAL_CHARACTERS:
            raise ValueError(f"it has more than {MAX_GOAL_CHARACTERS:,} characters")
        tree = ast.parse(text.strip(), mode="eval").body
        _check(tree)
    except SyntaxError as error:
        raise UsageError(f"the goal {text[:80]!r} is not Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"the goal {text[:80]!r} cannot be read: {error}") from None
    return StateGoal(text, tree)


def goal_of_state(names: Mapping[str, str], ignored: str) -> StateGoal | None:
    """Return the goal that every name has this value; None if no value is a literal.

    Args:
        names: The values of a state.
        ignored: A name that is left out.
    """
    conditions = list[str]()
    for name, text in sorted(names.items()):
        with suppress(_Unknown):
            read_literal(text)
            conditions += [] if name == ignored else [f"{name} == {text}"]
    return read_goal(" and ".join(conditions)) if conditions else None


def _check(node: ast.expr) -> None:
    """Raise ValueError if a condition is not supported."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            _check(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _check(node.operand)
    elif isinstance(node, ast.Compare):
        if not all(type(op) in _COMPARISONS for op in node.ops):
            raise ValueError("use ==, !=, <, <=, >, >=, in or not in")
        sides = [_is_operand(side) for side in (node.left, *node.comparators)]
        if not any(sides):
            raise ValueError("a comparison needs a name, such as x == 3")
    elif isinstance(node, ast.Name):
        raise ValueError(f"compare {node.id} with a value, as in {node.id} == True or {node.id} == 3")
    else:
        raise ValueError(f"{ast.unparse(node)} is not a comparison, such as x == 3 or stack == [5]")


def _is_operand(node: ast.expr) -> bool:
    """Whether a side of a comparison has a name; a side is a name, its element or length, or a literal."""
    match node:
        case ast.Name():
            return True
        case ast.Subscript(value=ast.Name(), slice=index):
            _literal(index)
            return True
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]):
            return True
    _literal(node)
    return False


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise ValueError(f"{ast.unparse(node)} is not a name, its element or length, or a literal") from None


def read_literal(text: str) -> Any:
    """Read a canonical value; _Unknown if it is not a Python literal."""
    try:
        if len(text) <= MAX_VALUE_CHARACTERS:
            return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        pass
    raise _Unknown(text)


def _operand(node: ast.expr, names: Mapping[str, str]) -> Any:
    match node:
        case ast.Name(id=name):
            if name not in names:
                raise _Unknown(name)
            return read_literal(names[name])
        case ast.Subscript(value=held, slice=index):
            return _operand(held, names)[_literal(index)]
        case ast.Call(args=[held]):
            return len(_operand(held, names))
    return _literal(node)


def _holds(node: ast.expr, names: Mapping[str, str]) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = (_holds(part, names) for part in node.values)
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp):
        return not _holds(node.operand, names)
    assert isinstance(node, ast.Compare)
    sides = [_operand(side, names) for side in (node.left, *node.comparators)]
    triples = zip(node.ops, sides, sides[1:], strict=False)
    return all(_COMPARISONS[type(op)](left, right) for op, left, right in triples)


def _distance(node: ast.expr, names: Mapping[str, str]) -> float:
    if isinstance(node, ast.BoolOp):
        parts = [_distance(part, names) for part in node.values]
        return sum(parts) if isinstance(node.op, ast.And) else min(parts)
    try:
        if _holds(node, names):
            return 0.0
        if not isinstance(node, ast.Compare):
            return 1.0
        sides = [_operand(side, names) for side in (node.left, *node.comparators)]
        return sum(map(_comparison_distance, node.ops, sides, sides[1:]))
    except (_Unknown, TypeError, LookupError):
        return NO_VALUE_DISTANCE


def _comparison_distance(op: ast.cmpop, left: Any, right: Any) -> float:
    """Return the distance of two values from satisfying a comparison."""
    if _COMPARISONS[type(op)](left, right):
        return 0.0
    if isinstance(op, ast.NotEq | ast.In | ast.NotIn):
        return 1.0
    strict = isinstance(op, ast.Lt | ast.Gt)
    return distance(left, right) + (0.5 if strict else 0.0)
