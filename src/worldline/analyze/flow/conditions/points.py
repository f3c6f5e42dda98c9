"""Decision points: every place in a source where its code goes one of two ways, with line and columns.

A point is the smallest text that decides: each operand of `and` and `or`, each link of `a < b < c`, a test, a loop, a
`case`, its guard, an `except`. `mark` finds them, and marks them in a copy of the tree, so that `jumps` recognises them
in compiled code. Nothing is executed.
"""

from __future__ import annotations

import ast
import opcode
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldline.analyze.flow.conditions.decisions import matches_all
from worldline.core.language import all_lines

MARK = "@"  # begins the attribute that marks a point; no source can spell it
_FOLDED_NOT = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
_ANSWERS = {"for": ("next item", "exhausted"), "case": ("matches", "no match"), "except": ("caught", "not caught")}
_FOLDABLE = (
    *(ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.Subscript, ast.Slice),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
_CONSTANT_OPS = ("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")


@dataclass(frozen=True, order=True)
class DecisionPoint:
    """A place where the code goes one of two ways. Lines count from 1 and columns, in characters, from 0, as in `ast`.

    Kinds: `if`, `while`, `ternary`, `assert`, `filter` (of a comprehension), `guard` (of a `case`), `and`, `or` and
    `compare` (whose value is used), `for` (also of a comprehension), `case`, `except`. `fails` is the outcome after
    which an assertion fails. `is_none_test`: it holds for None (True), or for everything else (False).
    `is_negated`: the code decides the contrary, as in `not x in y`. `settled`: the decisions (number of a point,
    whether it held) after which it decides nothing: where `a` is false, so is the first operand of `(a and b) or c`.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    text: str
    function: str = ""
    fails: bool | None = None
    is_none_test: bool = True
    is_negated: bool = False
    settled: frozenset[tuple[int, bool]] = frozenset()


def outcome_words(kind: str, taken: bool) -> str:
    """Return the outcome of a decision in words that fit its kind: `true`, `exhausted`, `no match`."""
    return _ANSWERS.get(kind, ("true", "false"))[not taken]


@dataclass(frozen=True)
class MarkedTree:
    """A tree whose points are marked by number. `first_loops` and `cases` are found by their position instead.

    A position is line, end line and the two columns in bytes, as in `co_positions`. `none_patterns` are those of
    `None` in patterns.
    """

    tree: ast.Module
    points: tuple[DecisionPoint, ...]
    first_loops: dict[tuple[int, ...], int]
    cases: tuple[tuple[ast.pattern, int], ...]
    none_patterns: frozenset[tuple[int, ...]]


def mark(source: str) -> MarkedTree | None:
    """Find the decision points of a source, and mark them; None if it is not Python."""
    try:
        tree = ast.parse(source)
        marker = _Marker(source)
        marked = ast.fix_missing_locations(marker.visit(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    parts = (part for pattern, _ in marker.cases for part in ast.walk(pattern))
    is_none = frozenset(position(part) for part in parts if isinstance(part, ast.MatchSingleton) and part.value is None)
    return MarkedTree(marked, tuple(marker.points), marker.first_loops, tuple(marker.cases), is_none)


def position(node: ast.AST) -> tuple[int, ...]:
    """Return the position of a node, in the order of `co_positions`."""
    place: Any = node
    return place.lineno, place.end_lineno, place.col_offset, place.end_col_offset


class _Marker(ast.NodeTransformer):
    """Wraps the expressions that decide into an attribute with the number of their point."""

    def __init__(self, source: str) -> None:
        self.rows = [row.encode("utf-8", "surrogatepass") for row in all_lines(source)]
        self.points: list[DecisionPoint] = []
        self.first_loops: dict[tuple[int, ...], int] = {}
        self.cases: list[tuple[ast.pattern, int]] = []
        self._functions: list[str] = []

    # ---- points

    def _add(self, kind: str, first: ast.AST, last: ast.AST | None = None, **facts: Any) -> int:
        line, _, column, _ = position(first)
        _, end_line, _, end_column = position(last or first)
        text = facts.pop("text", "") or self._text(line, column, end_line, end_column)
        function = self._functions[-1] if self._functions else ""
        columns = self._characters(line, column), self._characters(end_line, end_column)
        self.points.append(DecisionPoint(line, columns[0], end_line, columns[1], kind, text, function, **facts))
        return len(self.points) - 1

    def _row(self, line: int) -> bytes:
        return self.rows[line - 1] if line <= len(self.rows) else b""

    def _characters(self, line: int, column: int) -> int:
        return len(self._row(line)[:column].decode("utf-8", "replace"))

    def _text(self, line: int, column: int, end_line: int, end_column: int) -> str:
        rows = [self._row(number) for number in range(line, end_line + 1)]
        rows[-1] = rows[-1][:end_column]
        rows[0] = rows[0][column:]
        return " ".join(" ".join(row.decode("utf-8", "replace").split()) for row in rows).strip()

    def _marked(self, node: ast.expr, number: int) -> ast.expr:
        return ast.copy_location(ast.Attribute(node, f"{MARK}{number}", ast.Load()), node)

    # ---- expressions that decide

    def _test(self, node: ast.expr, kind: str, fails: bool | None = None) -> ast.expr:
        """Mark what decides in a test. `fails` is the outcome of the whole that fails an assertion."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                if folded := _under_folded_not(node):
                    return self._leaf(node, kind, fails, shown=folded)
                node.operand = self._test(node.operand, kind, None if fails is None else not fails)
            case ast.BoolOp():
                is_any = fails is not None and fails == isinstance(node.op, ast.Or)
                last = len(node.values) - 1
                node.values = [
                    self._test(value, kind, fails if is_any or at == last else None)
                    for at, value in enumerate(node.values)
                ]
            case ast.IfExp():
                node.test = self._test(node.test, "ternary")
                node.body, node.orelse = (self._test(arm, kind, fails) for arm in (node.body, node.orelse))
            case ast.Compare() if len(node.ops) > 1:
                self._links(node, kind, len(node.ops), fails)
            case _:
                return self._leaf(node, kind, fails)
        return node

    def _leaf(self, node: ast.expr, kind: str, fails: bool | None = None, shown: ast.expr | None = None) -> ast.expr:
        if _is_constant(node):
            return node
        is_negated = shown is not None and _is_negation(node)
        if is_negated and fails is not None:
            fails = not fails
        for_none = _holds_for_none(node)
        number = self._add(kind, shown or node, fails=fails, is_none_test=for_none, is_negated=is_negated)
        return self._marked(self.visit(node), number)

    def _links(self, node: ast.Compare, kind: str, count: int, fails: bool | None = None) -> None:
        """Mark the first links of a chain of comparisons; it is false as soon as one is."""
        sides = [node.left, *node.comparators]
        numbers = [
            self._add(
                kind,
                sides[at],
                sides[at + 1],
                fails=fails if fails is False or at == len(node.ops) - 1 else None,
                is_none_test=isinstance(node.ops[at], ast.Is),
            )
            for at in range(count)
        ]
        node.left = self.visit(node.left)
        node.comparators = [
            self._marked(self.visit(side), numbers[at]) if at < count else self.visit(side)
            for at, side in enumerate(node.comparators)
        ]

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Mark the operands of a value, except the last: it is the value."""
        return self._value(node)[0]

    def _value(self, node: ast.expr) -> tuple[ast.expr, frozenset[tuple[int, bool]]]:
        """Mark what decides in a value. Also return the decisions after which its truth is known."""
        if isinstance(node, ast.IfExp):
            node.test = self._test(node.test, "ternary")
            (node.body, first), (node.orelse, second) = self._value(node.body), self._value(node.orelse)
            return node, first | second
        if not isinstance(node, ast.BoolOp):
            return self.visit(node), frozenset()
        kind, ending = type(node.op).__name__.lower(), isinstance(node.op, ast.Or)
        settled: set[tuple[int, bool]] = set()
        for at, operand in enumerate(node.values):
            is_last, is_plain = at == len(node.values) - 1, _is_constant(operand)
            value, inner = self._value(operand)
            settled |= inner if is_last else {way for way in inner if way[1] == ending}
            if not (is_last or is_plain):
                number = self._add(kind, operand, is_none_test=_holds_for_none(operand), settled=inner)
                value = self._marked(value, number)
                settled.add((number, ending))
            node.values[at] = value
        return node, frozenset(settled)

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        """Mark the links of a chain whose value is used, except the last."""
        self._links(node, "compare", len(node.ops) - 1)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Mark the test of a conditional expression."""
        return self._value(node)[0]

    # ---- statements

    def visit_If(self, node: ast.If) -> ast.AST:
        """Mark the test."""
        node.test = self._test(node.test, "if")
        return self._with_bodies(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Mark the test."""
        node.test = self._test(node.test, "while")
        return self._with_bodies(node)

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """Mark the test."""
        node.test = self._test(node.test, "assert", fails=False)
        node.msg = self.visit(node.msg) if node.msg is not None else None
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """Mark what is looped over."""
        number = self._add("for", node, node.iter)
        node.target, node.iter = self.visit(node.target), self._marked(self.visit(node.iter), number)
        return self._with_bodies(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """Mark the types."""
        if node.type is not None:
            number = self._add("except", node, node.type)
            node.type = self._marked(self.visit(node.type), number)
        node.body = self._visited(node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """Note the pattern, and mark the guard."""
        if not matches_all(node.pattern):
            text = self._text(*_span(node.pattern))
            self.cases.append((node.pattern, self._add("case", node.pattern, text=f"case {text}")))
        node.guard = self._test(node.guard, "guard") if node.guard is not None else None
        node.body = self._visited(node.body)
        return node

    def _with_bodies(self, node: ast.If | ast.While | ast.For) -> ast.AST:
        node.body, node.orelse = self._visited(node.body), self._visited(node.orelse)
        return node

    def _visited(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(statement) for statement in body]

    # ---- comprehensions

    def _comprehension(self, node: Any) -> Any:
        for at, generator in enumerate(node.generators):
            is_single = at > 0 and _is_one_item(generator.iter)  # which is assigned, without a loop
            if not (generator.is_async or is_single):
                text = self._text(*_span(generator.target)[:2], *_span(generator.iter)[2:])
                number = self._add("for", generator.target, generator.iter, text=f"for {text}")
                if at == 0:
                    self.first_loops |= {position(node): number, position(generator.iter): number}
                generator.iter = self._marked(self.visit(generator.iter), number)
            else:
                generator.iter = self.visit(generator.iter)
            generator.target = self.visit(generator.target)
            generator.ifs = [self._test(test, "filter") for test in generator.ifs]
        for name in ("key", "value", "elt"):
            if hasattr(node, name):
                setattr(node, name, self.visit(getattr(node, name)))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # ---- functions

    def _function(self, node: Any) -> Any:
        for name in ("decorator_list", "args", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, list):
                setattr(node, name, [self.visit(item) for item in part])
            elif part is not None:
                setattr(node, name, self.visit(part))
        self._functions.append(getattr(node, "name", "<lambda>"))
        node.body = self._visited(node.body) if isinstance(node.body, list) else self.visit(node.body)
        self._functions.pop()
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function


def _span(node: ast.AST) -> tuple[int, int, int, int]:
    line, end_line, column, end_column = position(node)
    return line, column, end_line, end_column


def _is_one_item(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1 and not isinstance(node.elts[0], ast.Starred)


def _under_folded_not(node: ast.expr) -> ast.expr | None:
    """Return the comparison in `not x in y`, which the compiler turns into `x not in y`; None if it does not."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _under_folded_not(node.operand)
    is_folded = isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _FOLDED_NOT)
    return node if is_folded else None


def _is_negation(node: ast.expr) -> bool:
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_not and not _is_negation(node.operand)  # type: ignore[attr-defined]


def _holds_for_none(node: ast.expr) -> bool:
    """Return False for tests that are false for None: `x is not None`, `not x is None`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _holds_for_none(node.operand)
    return not (isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.IsNot))


def _is_constant(node: ast.expr) -> bool:
    """Return whether the compiler knows the value of an expression, so that it decides nothing."""
    if isinstance(node, ast.Name):
        return node.id == "__debug__"
    if not all(isinstance(part, _FOLDABLE) for part in ast.walk(node)):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(ast.Expression(node), "<test>", "eval").co_code
    return all(opcode.opname[code[at]] in _CONSTANT_OPS for at in range(0, len(code), 2))
