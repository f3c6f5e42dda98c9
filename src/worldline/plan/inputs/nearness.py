"""How near a call came to a goal: by the values of its comparisons, the lines it reached, or what it raised.

Nothing is executed: the input is the reported end of a call, which is read as literals.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.analyze.flow.control import syntax
from worldline.core.value import Value, parse
from worldline.core.value import text as text_of
from worldline.plan.inputs.goal import Goal
from worldline.plan.paths.distance import TYPE_DISTANCE, Verbatim, distance
from worldline.recording.calls import CallEnd

MAX_COMPARED_CHARACTERS = 4_000  # longer values count as far
_BLOCKS = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match, ast.FunctionDef)
_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_NUMBERS = (int, float)


@dataclass(frozen=True)
class Nearness:
    """The distance of a call from a goal (0 if it is met), and its result; calls with another `sort` differ."""

    far: float
    sort: str
    sides: tuple[tuple[Any, Any], ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether the goal holds."""
        return self.far == 0


FAILED_DISTANCE = 1_000.0  # of a call that raises or does not end


class Meter:
    """Measures the distance of calls from one goal."""

    def __init__(self, goal: Goal, source: str) -> None:
        self.goal = goal
        self.ways = _line_paths(goal, source)

    @property
    def wants_lines(self) -> bool:
        """Whether the lines that a call reaches must be recorded."""
        return not self.goal.test

    def measure(self, end: CallEnd) -> Nearness:
        """Measure one call."""
        if self.goal.test:
            return self._by_value(end)
        return self._by_lines(end)

    def _by_value(self, end: CallEnd) -> Nearness:
        if end.kind != "returned" or len(end.value) > MAX_COMPARED_CHARACTERS:
            return Nearness(
                2 * FAILED_DISTANCE if end.kind == "limit" else FAILED_DISTANCE, f"{end.kind} {end.value[:60]}"
            )
        result = read_value(end.value)
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], list)):
            return Nearness(FAILED_DISTANCE, "unread")
        truth, sides = result
        pairs = tuple((side[0], side[1]) for side in sides if isinstance(side, list) and len(side) == 2)
        if truth is True:
            return Nearness(0.0, "met", pairs)
        if len(pairs) != len(self.goal.pairs):
            return Nearness(FAILED_DISTANCE, "unread")
        far = sum(
            comparison_gap(left, op, right) for (left, right), (_, op, _) in zip(pairs, self.goal.pairs, strict=True)
        )
        return Nearness(max(far, 0.01), repr([left for left, _ in pairs]), pairs)

    def _by_lines(self, end: CallEnd) -> Nearness:
        lines = end.lines or frozenset[int]()
        if self.goal.exception and end.kind == "raised" and end.value.partition("(")[0] == self.goal.exception:
            return Nearness(0.0, "met")
        if self.goal.line and self.goal.line in lines:
            return Nearness(0.0, "met")
        missing = min((sum(line not in lines for line in way) for way in self.ways), default=1)
        far = max(missing, 1) + (FAILED_DISTANCE if end.kind in ("limit", "fault") else 0)
        return Nearness(float(far), f"{end.kind} {sorted(lines)}")


def _line_paths(goal: Goal, source: str) -> list[tuple[int, ...]]:
    """Return for each target line the lines of the blocks around it, and the line itself."""
    tree = syntax(source)
    if goal.test or tree is None:
        return []
    wanted = [goal.line] if goal.line else _raising_lines(tree, goal.exception)
    ways = []
    for line in wanted:
        around = [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, _BLOCKS)
            and node.lineno < line <= (node.end_lineno or 0)
            and not isinstance(node, ast.FunctionDef)
        ]
        ways.append((*around, line))
    return ways


def _raising_lines(tree: ast.AST, exception: str) -> list[int]:
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    heads = [(node.lineno, node.exc.func if isinstance(node.exc, ast.Call) else node.exc) for node in raised]
    return [line for line, head in heads if isinstance(head, ast.Name) and head.id == exception]


def comparison_gap(left: Any, operator: str, right: Any) -> float:
    """Return how far two values are from satisfying a comparison; 0 if they do."""
    if operator == "==":
        return _equality_distance(left, right)
    if operator in _ORDERED:
        return _order_distance(left, operator, right)
    if operator == "in" and isinstance(right, list | tuple | set | frozenset | dict):
        return min((_equality_distance(left, element) for element in right), default=TYPE_DISTANCE)
    if operator == "in" and isinstance(right, str) and isinstance(left, str):
        return 0.0 if left in right else 1.0 + abs(len(left) - 1)
    return 1.0  # `!=` and `not in` have no gradient


def _equality_distance(left: Any, right: Any) -> float:
    if _is_number(left) and _is_number(right):
        left, right = (
            (float(left), float(right)) if isinstance(left, float) or isinstance(right, float) else (left, right)
        )
    if isinstance(left, list | tuple) and isinstance(right, list | tuple) and type(left) is not type(right):
        return 1.0 + distance(list(left), list(right))
    return distance(left, right)


def _order_distance(left: Any, operator: str, right: Any) -> float:
    try:
        if _ORDERED[operator](left, right):
            return 0.0
    except TypeError:
        return TYPE_DISTANCE
    if _is_number(left) and _is_number(right) and math.isfinite(left) and math.isfinite(right):
        return 0.5 + math.log2(1 + min(abs(left - right), 1e300)) / 2
    return 1.0


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def read_value(text: str) -> Any:
    """Parse canonical text into values; what is not a literal stays text."""
    if "#" not in text:
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
    node = parse(text)
    return _read_node(node, {}) if isinstance(node, Value) else Verbatim(text)


def _read_node(node: Value, known: dict[int, Any]) -> Any:
    if node.kind == "ref":
        return known.get(int(node.atom.lstrip("#") or 0), Verbatim(node.atom))
    items = [_read_node(item, known) for item in node.items]
    value = _to_python(node, items)
    if node.label:
        known[node.label] = value
    return value


def _to_python(node: Value, items: Sequence[Any]) -> Any:
    try:
        match node.kind:
            case "list" | "deque":
                return list(items)
            case "tuple":
                return tuple(items)
            case "dict":
                return dict(zip(items[::2], items[1::2], strict=True))
            case "set":
                return set(items)
            case "frozenset":
                return frozenset(items)
            case _:
                return ast.literal_eval(text_of(node))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return Verbatim(text_of(node))
