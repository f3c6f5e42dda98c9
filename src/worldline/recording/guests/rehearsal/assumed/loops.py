"""Loops that take too long: stopped after some rounds, with the numbers they would end with where these are regular.

The source of the script is compiled with its loops counted. A loop that runs for longer than its share of the time is
watched for a few rounds and stopped. Numbers that grew by a polynomial in the round (`total += i * i`) are set to their
value after the last round, if the number of rounds is known; all else stays as it is. Every stopped loop is reported.
"""

from __future__ import annotations

import ast
import builtins
import time
from collections.abc import Iterator
from itertools import pairwise
from sys import _getframe
from typing import Any

from .answers import Answers

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

BY_LOOP = "loop"
ROUNDS, MORE, AFTER, LEFT = "_worldline_rounds", "_worldline_more", "_worldline_after", "_worldline_left"
SAMPLES = 7  # rounds that are watched before a loop is stopped
MAX_DEGREE = 3  # of the polynomial that a number follows
MAX_ROUNDS = 1 << 62
_clock = time.monotonic  # the real one: the script's jumps over what it sleeps


def counted(source: str, path: str) -> Any:
    """Parse a source and count its loops."""
    tree = _Counting(source).visit(ast.parse(source, path))
    return ast.fix_missing_locations(tree)


class _Counting(ast.NodeTransformer):
    """Rewrites loops: `for x in _rounds(line, items)`, `while _more(line) and test`, and what to set after them."""

    def __init__(self, source: str) -> None:
        self._source = source

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        names = sorted(_assigned([node.target, *node.body]))
        node.iter = _call(ROUNDS, node.lineno, node.iter)
        return [node, *_settled(node, names)]

    def visit_While(self, node: ast.While) -> Any:
        test = ast.unparse(node.test)
        names = sorted(_assigned(node.body))
        has_plain_test = _is_plain(node.test)
        self.generic_visit(node)
        more = _call(MORE, node.lineno, ast.Constant(test if has_plain_test else ""))
        node.test = ast.BoolOp(ast.And(), [more, node.test])
        # A loop that was left by `return` or an exception leaves its count behind.
        return [ast.Expr(_call(AFTER, node.lineno)), node, *_settled(node, names)]

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _call(ROUNDS, node.target.lineno, node.iter)
        return node


def _call(name: str, line: int, *more: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(line), *more], [])


def _settled(loop: ast.stmt, names: list[str]) -> list[ast.stmt]:
    """The statements after a loop that set the numbers it would end with."""
    lines = [f"{LEFT} = {AFTER}({loop.lineno})"]
    lines += [f"if {name!r} in {LEFT}: {name} = {LEFT}[{name!r}]" for name in names]
    statements = ast.parse("\n".join(lines)).body
    for statement in statements:
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):
                ast.copy_location(node, loop)
    return statements


def _assigned(nodes: list[Any]) -> set[str]:
    """Plain names that statements assign, outside functions of their own."""
    names: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return names


_PLAIN_NODES = (
    ast.Compare,
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.cmpop,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.expr_context,
)


def _is_plain(test: ast.expr) -> bool:
    """Tell whether a test only compares names and numbers, so that it can be asked for other rounds."""
    return isinstance(test, ast.Compare) and all(isinstance(node, _PLAIN_NODES) for node in ast.walk(test))


class Loops:
    """Counts the rounds of loops, and stops those that take longer than `seconds`."""

    def __init__(self, answers: Answers, seconds: float) -> None:
        self._answers, self._seconds = answers, seconds
        self._left: dict[tuple[int, int], dict[str, int]] = {}
        self._while: dict[tuple[int, int], tuple[float, int, list[dict[str, int]]]] = {}

    def install(self) -> None:
        """Make the functions that the rewritten source calls available to it."""
        for name, function in ((ROUNDS, self.rounds), (MORE, self.more), (AFTER, self.after)):
            setattr(builtins, name, function)

    def rounds(self, line: int, items: Any) -> Iterator[Any]:
        """Yield the items of a `for` loop, until it takes too long."""
        end, samples = _clock() + self._seconds, list[dict[str, int]]()
        for done, item in enumerate(items):
            if _clock() > end:
                samples.append(_numbers(_getframe(1)))
                if len(samples) > SAMPLES:
                    self._stop_for(line, done, items, samples, _getframe(1))
                    return
            yield item

    def _stop_for(self, line: int, done: int, items: Any, samples: list[dict[str, int]], frame: Any) -> None:
        total = len(items) if type(items) in (range, list, tuple, dict, set, str, bytes) else None
        left = None if total is None else total - done
        values = {} if left is None else _extended(samples, left)
        self._report(line, done, left, values, samples, frame)

    def more(self, line: int, test: str) -> bool:
        """Tell whether a `while` loop goes on: it does, until it takes too long."""
        frame: Any = _getframe(1)
        key = (id(frame), line)
        if key not in self._while:
            self._while[key] = (_clock() + self._seconds, 0, [])
        end, done, samples = self._while[key]
        self._while[key] = (end, done + 1, samples)
        if _clock() <= end:
            return True
        samples.append(_numbers(frame))
        if len(samples) <= SAMPLES:
            return True
        left = _rounds_left(test, samples, frame) if test else None
        self._report(line, done, left, {} if left is None else _extended(samples, left), samples, frame)
        return False

    def after(self, line: int) -> dict[str, int]:
        """Return the numbers that a loop in this frame would have ended with, if it was stopped."""
        key = (id(_getframe(1)), line)
        self._while.pop(key, None)
        return self._left.pop(key, {})

    def _report(
        self, line: int, done: int, left: int | None, values: dict[str, int], samples: list[dict[str, int]], frame: Any
    ) -> None:
        moving = {name for name in values if values[name] != samples[-1].get(name)}
        self._left[id(frame), line] = {name: values[name] for name in moving}
        rest = "an unknown number of rounds" if left is None else f"{left:,} more rounds"
        ends = ", ".join(f"{name} = {values[name]}" for name in sorted(moving))
        lost = sorted(name for name in samples[-1] if name not in values and _has_changed(name, samples))
        ends += f"{'; ' if ends else ''}not known: {', '.join(lost)}" if lost else ""
        what = f"the loop in line {line} is stopped after {done:,} rounds, before {rest}"
        self._answers.assume(what, ends, BY_LOOP, frame)


def _has_changed(name: str, samples: list[dict[str, int]]) -> bool:
    return len({sample.get(name) for sample in samples}) > 1


def _numbers(frame: Any) -> dict[str, int]:
    """Whole numbers among the names of a frame."""
    return {name: value for name, value in frame.f_locals.items() if type(value) is int}


def _extended(samples: list[dict[str, int]], left: int) -> dict[str, int]:
    """Return what each number would be after `left` more rounds, if it follows a polynomial."""
    values = {}
    for name in samples[-1]:
        column = [sample[name] for sample in samples if name in sample]
        if len(column) == len(samples) and (differences := _differences(column)) is not None:
            values[name] = _value_at(differences, len(column) - 1 + left)
    return values


def _differences(column: list[int]) -> list[int] | None:
    """Return the first value of each order of differences, or None if they do not vanish soon."""
    first = []
    for _ in range(MAX_DEGREE + 1):
        first.append(column[0])
        column = [after - before for before, after in pairwise(column)]
        if not any(column):
            return first
    return None


def _value_at(differences: list[int], rounds: int) -> int:
    """Newton's forward formula."""
    value, choose = 0, 1
    for order, difference in enumerate(differences):
        value += difference * choose
        choose = choose * (rounds - order) // (order + 1)
    return value


def _rounds_left(test: str, samples: list[dict[str, int]], frame: Any) -> int | None:
    """Return after how many rounds a test fails, by the numbers that it would compare; None if it is not known."""
    code = compile(test, "<test>", "eval", dont_inherit=True)
    needed = {name for name in code.co_names if name in samples[-1]}
    fixed = {**frame.f_globals, **frame.f_locals}

    def holds(rounds: int) -> bool | None:
        values = _extended(samples, rounds)
        return None if needed - values.keys() else bool(eval(code, {**fixed, **values}))

    reach = 1
    while (state := holds(reach)) and reach < MAX_ROUNDS:
        reach *= 2
    if state is not False:
        return None
    low = reach // 2
    while reach - low > 1:
        middle = (low + reach) // 2
        low, reach = (middle, reach) if holds(middle) else (low, middle)
    return reach
