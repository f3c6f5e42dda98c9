"""The decisions of a Python source: the tests of each code object, and the lines that show their outcome.

Read from the syntax tree. A one-line decision has no such lines: `flow.conditions` looks at what follows instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.analyze.flow.control import TITLES, first_line, syntax
from worldline.analyze.flow.names import SCOPES
from worldline.core.language import all_lines

_FRAMED = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await)
_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Decision:
    """One test of a code object: where it stands, what it says, and the lines that come next where it held.

    `lines` are the test's own. `missed` are the lines that come next where it did not hold; None: all others. Where
    `spans`, one evaluation may have several steps, and the last of them decides. `before` are lines of which the step
    before must be, if there are any; `never` lines of which it must not. `jump` are lines on which the jump itself may
    be reported, before the line that it goes to. `node` is what was decided; `is_inline`: its way on is on
    its own line.
    """

    kind: str
    line: int
    text: str
    node: ast.AST
    lines: frozenset[int]
    held: frozenset[int] = _NONE
    missed: frozenset[int] | None = None
    spans: bool = False
    before: frozenset[int] = _NONE
    never: frozenset[int] = _NONE
    jump: frozenset[int] = _NONE
    is_inline: bool = False


CodeKey = tuple[str, int]
"""A code object: its name and the line of its call; the module's is 0."""
ByLine = dict[int, tuple[Decision, ...]]


@lru_cache(maxsize=64)
def decisions(source: str) -> dict[CodeKey, ByLine]:
    """Return the decisions of every code object by line; ambiguous code objects have none."""
    tree = syntax(source)
    if tree is None:
        return {}
    reader, by_code, twice = _Reader(source, tree), dict[CodeKey, ByLine](), set[CodeKey]()
    for node in (scope for scope in ast.walk(tree) if isinstance(scope, (ast.Module, *SCOPES))):
        code = str(getattr(node, "name", TITLES.get(type(node).__name__, ""))), first_line(node)
        if code in by_code:
            twice.add(code)
        by_code[code] = reader.of_scope(node)
    return {code: {} if code in twice else by_line for code, by_line in by_code.items()}


class _Reader:
    """Reads the decisions of one source; `begun` are the statements that begin on a line.

    `shielded` are the lines after which something else may come first: a `finally`, a `with` that is left, or the line
    itself again, round an endless loop. `heads` are the lines of a `case` or an
    `except`, and the further lines of what begins a compound statement.
    """

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.source = all_lines(source)
        self.shielded: set[int] = set()
        self.heads: set[int] = set()
        self.begun: dict[int, list[ast.stmt]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt):
                self.begun.setdefault(node.lineno, []).append(node)
                self.heads |= _head(node)
            if isinstance(node, (ast.With, ast.AsyncWith)) or (isinstance(node, ast.Try) and node.finalbody):
                self.shielded |= _lines(node)
            elif isinstance(node, ast.match_case):
                self.heads |= _lines(node.pattern) | (_lines(node.guard) if node.guard is not None else set())
            elif isinstance(node, ast.ExceptHandler):
                self.heads |= {node.lineno} | (_lines(node.type) if node.type is not None else set())
            elif isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
                self.shielded |= _lines(node.body[0])

    def of_scope(self, scope: ast.AST) -> ByLine:
        """Return a code object's decisions by line; inner ones come first, in evaluation order."""
        by_line: dict[int, list[Decision]] = {}
        for node, home in _own(scope):
            for decision in self._of_node(node, scope, home):
                for line in decision.lines:
                    by_line.setdefault(line, []).append(decision)
        return {
            line: tuple(sorted(group, key=lambda decision: decision.kind != "ternary"))
            for line, group in by_line.items()
        }

    def _of_node(self, node: ast.AST, scope: ast.AST, home: ast.AST) -> Iterator[Decision]:
        if node is scope:
            if isinstance(node, _FRAMED):
                yield from self._filter(node)
        elif isinstance(node, ast.IfExp):
            yield from self._ternary(node, home)
        elif isinstance(node, ast.stmt) and self._alone(node):
            if isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, ast.Constant):
                yield from self._branch(node, type(node).__name__.lower(), node.test, self.text(node.test))
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                text = f"for {self.text(node.target)} in {self.text(node.iter)}"
                yield from self._branch(node, "for", node.iter, text)
            elif isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
                yield self._assert(node)
            elif isinstance(node, ast.Match):
                yield from self._cases(node)
            elif isinstance(node, ast.Try):
                yield from self._handlers(node)

    def _alone(self, node: ast.stmt) -> bool:
        """Return whether no other statement shares the first line, except those nested inside."""
        if node.lineno in self.heads or self._shared_end(node):
            return False
        return all(other is node or _within(other, node) for other in self.begun[node.lineno])

    def _shared_end(self, node: ast.stmt) -> bool:
        """Return whether a statement that began before ends on this one's first line: `x = (\n1); assert y`."""
        earlier = (
            statement for line in range(max(1, node.lineno - 40), node.lineno) for statement in self.begun.get(line, ())
        )
        return any(statement.end_lineno == node.lineno and not hasattr(statement, "body") for statement in earlier)

    def _branch(
        self, node: ast.If | ast.While | ast.For | ast.AsyncFor, kind: str, test: ast.expr, text: str
    ) -> Iterator[Decision]:
        start = first_line(node.body[0])
        if start <= (test.end_lineno or test.lineno):
            if node.lineno == node.body[-1].end_lineno and self._tells(node) and not _steps(test, *node.body):
                yield Decision(kind, test.lineno, text, node, frozenset({node.lineno}), is_inline=True)
            return
        if is_silent(node.body):
            return
        target = [node.target] if isinstance(node, (ast.For, ast.AsyncFor)) else []
        lines = frozenset(range(node.lineno, start))
        spans = node.lineno != test.end_lineno or _steps(test, *target)
        line = node.lineno if kind == "for" else test.lineno
        yield Decision(kind, line, text, node, lines, lines_of(node.body), spans=spans)

    def _tells(self, node: ast.stmt) -> bool:
        """Return whether the step after a one-line statement belongs to it: no `finally` or `with` intervenes."""
        return node.lineno not in self.shielded

    def _assert(self, node: ast.Assert) -> Decision:
        lines = frozenset(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        spans = len(lines) > 1 or _steps(node.test)
        return Decision("assert", node.test.lineno, self.text(node.test), node, lines, spans=spans)

    def _cases(self, node: ast.Match) -> Iterator[Decision]:
        starts = [case.pattern.lineno for case in node.cases]
        if len(set(starts)) != len(starts):
            return
        for at, case in enumerate(node.cases):
            if case.guard is None and matches_all(case.pattern):
                continue
            start, line = first_line(case.body[0]), case.pattern.lineno
            text = f"case {self.text(case.pattern)}"
            text += f" if {self.text(case.guard)}" if case.guard is not None else ""
            end = (case.guard or case.pattern).end_lineno or line
            later = frozenset(
                row for other in node.cases[at + 1 :] for row in range(other.pattern.lineno, first_line(other.body[0]))
            )
            if start <= end or is_silent(case.body):
                lines = frozenset(range(line, start + (start <= end)))
                yield Decision("case", line, text, node, lines, missed=later - lines, spans=True)
            else:
                yield Decision("case", line, text, node, frozenset(range(line, start)), lines_of(case.body), spans=True)

    def _handlers(self, node: ast.Try) -> Iterator[Decision]:
        bodies = frozenset(line for handler in node.handlers for line in lines_of(handler.body))
        for at, handler in enumerate(node.handlers):
            if handler.type is None:
                continue
            start, line = first_line(handler.body[0]), handler.lineno
            text, end = f"except {self.text(handler.type)}", handler.type.end_lineno or line
            lines, held = frozenset(range(line, max(start, end + 1))), lines_of(handler.body)
            missed: frozenset[int] | None = None
            if start <= end or is_silent(handler.body):
                later = node.handlers[at + 1 :]
                held, missed = _NONE, frozenset(handler.lineno for handler in later) - lines
            yield Decision("except", line, text, node, lines, held, missed, True, never=bodies - lines)

    def _ternary(self, node: ast.IfExp, home: ast.AST) -> Iterator[Decision]:
        test, body, other = (_lines(part) for part in (node.test, node.body, node.orelse))
        if isinstance(node.test, ast.Constant):
            return
        if not (test & body or test & other or body & other or _shares(home, node, other)):
            text, jump = self.text(node.test), frozenset({node.lineno})
            yield Decision("ternary", node.test.lineno, text, node, test, body, other, True, jump=jump)
        elif isinstance(home, ast.stmt) and self._alone(home) and _literal_arms(home, node):
            yield Decision("ternary", node.test.lineno, self.text(node.test), home, test, is_inline=True)

    def _filter(self, scope: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[Decision]:
        if len(scope.generators) != 1 or len(scope.generators[0].ifs) != 1 or scope.generators[0].is_async:
            return
        test, target = scope.generators[0].ifs[0], scope.generators[0].target
        element = [scope.key, scope.value] if isinstance(scope, ast.DictComp) else [scope.elt]
        text, own = self.text(test), frozenset().union(*(_lines(part) for part in element))
        places, jump = (_lines(test), _lines(target), own), frozenset({scope.lineno})
        if scope.lineno == scope.end_lineno:
            if isinstance(scope, ast.GeneratorExp) and not _steps(test, target, *element):
                yield Decision("filter", test.lineno, text, scope, frozenset({scope.lineno}), is_inline=True)
        elif sum(len(lines) for lines in (*places, jump)) == len(jump.union(*places)):
            yield Decision(
                "filter", test.lineno, text, scope, _lines(test), own, _lines(target), True, _lines(target), jump=jump
            )

    def text(self, node: ast.AST) -> str:
        """Return the node's source on one line."""
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        rows = [row.encode() for row in self.source[first - 1 : last]]
        if not rows:
            return ""
        rows[-1] = rows[-1][: getattr(node, "end_col_offset", None)]
        rows[0] = rows[0][getattr(node, "col_offset", 0) :]
        return " ".join(row.decode(errors="replace").strip() for row in rows)


def _own(scope: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the nodes of one code object with their statements, without nested code objects."""
    waiting: list[tuple[ast.AST, ast.AST]] = [(scope, scope)]
    while waiting:
        node, home = waiting.pop()
        home = node if isinstance(node, ast.stmt) else home
        yield node, home
        if node is scope or not isinstance(node, SCOPES):
            waiting += [(part, home) for part in ast.iter_child_nodes(node)]


def lines_of(body: Sequence[ast.stmt]) -> frozenset[int]:
    """Return the lines of consecutive statements."""
    return frozenset(range(first_line(body[0]), (body[-1].end_lineno or body[-1].lineno) + 1))


def _lines(node: ast.AST) -> frozenset[int]:
    return frozenset(range(getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) + 1))


def _within(node: ast.stmt, outer: ast.stmt) -> bool:
    return any(part is node for part in ast.walk(outer))


def _head(node: ast.stmt) -> set[int]:
    """Return the lines of a compound statement before its body, except the first."""
    parts = [part for part in ast.iter_child_nodes(node) if not isinstance(part, (ast.stmt, ast.ExceptHandler))]
    ends = [_ends(part) for part in parts] if hasattr(node, "body") else []
    return set(range(node.lineno + 1, max(ends, default=0) + 1))


def _ends(node: ast.AST) -> int:
    return max((getattr(part, "end_lineno", None) or 0 for part in ast.walk(node)), default=0)


def _steps(*nodes: ast.AST) -> bool:
    """Return whether evaluating the nodes may report one line several times: they suspend or loop inline."""
    return any(isinstance(part, (*_FRAMED, *_SUSPENDING)) for node in nodes for part in ast.walk(node))


def is_silent(body: Sequence[ast.stmt]) -> bool:
    """Return whether no statement of a body is certain to be reported."""
    return all(_unreported(node) for node in body)


def _unreported(node: ast.stmt) -> bool:
    match node:
        case ast.Global() | ast.Nonlocal() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
            return True
        case ast.If(test=ast.Constant()) | ast.Assert(test=ast.Constant()):
            return True
        case ast.While(test=ast.Constant(value=value)):
            return not value
    return False


def matches_all(pattern: ast.pattern) -> bool:
    """Return whether a pattern matches everything: `_`, a name, or an alternative that does."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=inner) if inner is not None:
            return matches_all(inner)
        case ast.MatchOr(patterns=patterns):
            return any(matches_all(option) for option in patterns)
    return False


def _shares(home: ast.AST, node: ast.IfExp, lines: frozenset[int]) -> bool:
    """Return whether the statement evaluates something outside its ternary on these lines."""
    inside = {id(part) for part in ast.walk(node)}
    others = (part for part in ast.walk(home) if isinstance(part, ast.expr) and id(part) not in inside)
    return any(
        part.lineno in lines or (isinstance(part, ast.Attribute) and part.end_lineno in lines) for part in others
    )


def _literal_arms(home: ast.stmt, node: ast.IfExp) -> bool:
    """Return whether a statement assigns or returns a ternary of two literals, whose value shows the arm."""
    value = home.value if isinstance(home, (ast.Assign, ast.Return)) else None
    if isinstance(home, ast.Assign) and (len(home.targets) != 1 or not isinstance(home.targets[0], ast.Name)):
        return False
    arms = node.body, node.orelse
    if value is not node or home.lineno != home.end_lineno:
        return False
    return all(isinstance(arm, ast.Constant) for arm in arms) and not _steps(node.test)
