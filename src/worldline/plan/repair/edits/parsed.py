"""A source with its syntax tree and the span of each node; an edit of a span keeps all other text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from worldline.analyze.rewrite.names import FunctionNode
from worldline.core.errors import UsageError
from worldline.core.language import all_lines

_LOOSE_PARENTS = (  # inside these, no brackets are needed
    ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.List, ast.Set, ast.If, ast.While, ast.For,
    ast.comprehension, ast.keyword, ast.Assert, ast.Dict, ast.Yield,
)  # fmt: skip


@cache
def _is_atom(text: str) -> bool:
    """Whether an expression never needs brackets."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    bare = isinstance(node, ast.Tuple | ast.GeneratorExp) and not text.startswith("(")
    return not bare and not isinstance(
        node, ast.BinOp | ast.BoolOp | ast.Compare | ast.UnaryOp | ast.IfExp | ast.Lambda | ast.NamedExpr
    )


@dataclass(frozen=True)
class SpanEdit:
    """One change: a span, its new text, its kind, and the first and last line of its statement."""

    start: int
    end: int
    text: str
    kind: str
    line: int
    last: int

    def apply(self, source: str) -> str:
        """Return the source with this change."""
        return source[: self.start] + self.text + source[self.end :]


def _describe_error(error: Exception) -> str:
    return f"{error.msg} in line {error.lineno}" if isinstance(error, SyntaxError) else str(error)


class ParsedSource:
    """A Python source, its tree, and the parents and spans of its nodes."""

    def __init__(self, source: str, name: str = "the program") -> None:
        try:
            self.tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UsageError(f"{name} cannot be parsed as Python: {_describe_error(error)}") from None
        self.source = source
        self.parents = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}
        self.lines = all_lines(source)
        self._starts, at = [0], 0
        for line in self.lines[:-1]:
            at += len(line)
            at += 2 if source.startswith("\r\n", at) else 1
            self._starts.append(at)

    @cached_property
    def bodies(self) -> list[tuple[int, int]]:
        """The first and last line of every function."""
        return [(node.lineno, node.end_lineno or node.lineno) for node in find_functions(self.tree)]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place of the tree, whose columns count bytes."""
        text = self.lines[line - 1]
        wide = column if text.isascii() else len(text.encode()[:column].decode("utf-8", "replace"))
        return self._starts[line - 1] + wide

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where a node starts and ends."""
        last, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(last, column)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.source[start:end]

    def line_end(self, line: int) -> int:
        """Return where a line ends, without its newline."""
        return self._starts[line - 1] + len(self.lines[line - 1])

    def line_start(self, line: int) -> int:
        """Return where a line starts."""
        return self._starts[line - 1]

    @property
    def newline(self) -> str:
        """The newline of the source."""
        return "\r\n" if "\r\n" in self.source else "\n"

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement around a node."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.stmt):
            current = self.parents.get(current)
        return current

    def reach(self, node: ast.AST) -> tuple[int, int]:
        """Return the lines that execute a node: its statement, or the head of a compound one."""
        statement = self.statement(node)
        if statement is None:
            return 1, 1
        last = statement.end_lineno or statement.lineno
        body = getattr(statement, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            last = max(statement.lineno, body[0].lineno - 1)
        return statement.lineno, last

    def replace(self, node: ast.expr | ast.stmt, text: str, kind: str) -> SpanEdit:
        """Return the edit that replaces a node."""
        return SpanEdit(*self.span(node), text, kind, *self.reach(node))

    def replace_fitting(self, node: ast.expr, text: str, kind: str) -> SpanEdit:
        """Return the edit that replaces a node by an expression, in brackets if needed."""
        return self.replace(node, text if self.is_open(node) or _is_atom(text) else f"({text})", kind)

    def is_open(self, node: ast.expr) -> bool:
        """Whether an expression can replace a node without brackets."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call):
            return node is not parent.func
        if isinstance(parent, ast.Subscript):
            return node is parent.slice
        if isinstance(parent, ast.Tuple | ast.Slice):
            return True
        return isinstance(parent, _LOOSE_PARENTS)

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Return the span between two nodes."""
        return self.span(left)[1], self.span(right)[0]

    def swap(self, left: ast.expr, right: ast.expr, kind: str = "swap") -> SpanEdit:
        """Return the edit that swaps two nodes."""
        start, end = self.span(left)[0], self.span(right)[1]
        middle = self.source[slice(*self.between(left, right))]
        return SpanEdit(start, end, self.text(right) + middle + self.text(left), kind, *self.reach(left))


NUMBERS = frozenset({"int", "float", "bool", "complex"})
SEQUENCES = frozenset({"list", "tuple", "str", "bytes", "deque", "range", "bytearray"})
SIZED = SEQUENCES | {"dict", "set", "frozenset"}
_ADDED = (NUMBERS, frozenset({"str"}), frozenset({"list"}), frozenset({"tuple"}))


@dataclass(frozen=True)
class NamesInScope:
    """What an edit of a function can use: names, containers, attributes, expressions, functions.

    `kinds` are the kinds of value that names had in the failing run; other names are unknown.
    """

    names: tuple[str, ...]
    containers: tuple[tuple[str, str], ...]
    attributes: tuple[str, ...]
    donors: tuple[str, ...]
    functions: tuple[str, ...]
    strings: tuple[str, ...]
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def may_be(self, name: str, kinds: frozenset[str]) -> bool:
        """Whether a name may hold a value of one of these kinds."""
        return name not in self.kinds or not kinds.isdisjoint(self.kinds[name])

    def may_add(self, left: str, right: str) -> bool:
        """Whether `+` may join the values of two names."""
        return any(self.may_be(left, kinds) and self.may_be(right, kinds) for kinds in _ADDED)

    def may_be_alike(self, left: str, right: str) -> bool:
        """Whether two names may hold values of one kind; a name that was None may."""
        known = self.kinds.get(left), self.kinds.get(right)
        if None in known or any("None" in seen_kinds for seen_kinds in known if seen_kinds):
            return True
        return self.may_be(left, self.kinds[right]) or (self.may_be(left, NUMBERS) and self.may_be(right, NUMBERS))


def find_functions(tree: ast.Module) -> Iterator[FunctionNode]:
    """Yield every function, also methods and nested ones."""
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            yield node


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without inner functions and classes; of its head only the defaults."""
    waiting: list[ast.AST]
    if isinstance(function, FunctionNode):
        defaults = [*function.args.defaults, *(default for default in function.args.kw_defaults if default)]
        waiting = [*defaults, *function.body]
    else:
        waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, FunctionNode | ast.ClassDef):
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))
