"""Calls of string methods into loops over characters, wherever they stand in a program.

What a method is called on is seldom known: such a call becomes one of a function put at the top of the program, which
loops over a `str` and leaves everything else to the method itself. Where all types are proved, and the call is all that
its line does, the loop goes there. A method is looked up before its arguments are evaluated, so a call with arguments
whose evaluation could be noticed stays, unless it is known to be a string's. Single characters are left alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.analyze.rewrite.flatten import changed
from worldline.analyze.rewrite.kinds import TYPES, Kinds, of_scope
from worldline.analyze.rewrite.loops import Loop, loops
from worldline.analyze.rewrite.names import COMPREHENSIONS, Facts, Fresh, FunctionNode, own, sure
from worldline.analyze.rewrite.tree import walk

_NEEDED = "type str len range slice int dict list tuple ord chr ValueError"
_CASED = """
upper lower casefold swapcase title capitalize islower isupper istitle isalnum isalpha isdecimal isdigit isnumeric
isspace isascii isprintable
"""
NEEDED = frozenset(_NEEDED.split())
_CHARACTERS = frozenset(("c", "ch", "char", "character", "letter", "digit", "symbol", "x"))
_OF_CHARACTERS = frozenset(_CASED.split())
_NO_METHODS = ("reverse", "cut", "contains")  # loops for what is written otherwise
_BLOCKS = ("body", "orelse", "finalbody")


@dataclass
class Chars:
    """A program during its rewrite: the helper functions that it needs, by method and form."""

    facts: Facts
    fresh: Fresh
    used: dict[tuple[str, int], str] = field(default_factory=dict)

    def helper(self, loop: Loop) -> str:
        """Return the name of the helper function for a loop, and add the function to the program."""
        key = (loop.method, len(loop.parameters))
        if key not in self.used:
            self.used[key] = self.fresh.new(f"{loop.method}_chars")
        return self.used[key]

    def functions(self) -> list[ast.stmt]:
        """Return the helper functions in the order of their first use."""
        return [placed(loops()[key].function(name), 0) for key, name in self.used.items()]


def with_loops(tree: ast.Module, facts: Facts) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the helper functions that a program needs, and its statements with calls of them."""
    if not facts.plain >= NEEDED:
        return [], list(tree.body)
    chars = Chars(facts, Fresh(set(facts.words)))
    body = _Scope(chars, tree).block(tree.body)
    return chars.functions(), body


class _Scope:
    """The statements of one scope; `inline` if lines with new names may be inserted."""

    def __init__(self, chars: Chars, scope: ast.AST, *, inline: bool = True) -> None:
        self.chars = chars
        self.kinds = of_scope(scope, chars.facts) if inline else Kinds(chars.facts)
        self.inline = inline and isinstance(scope, FunctionNode)
        self.names: dict[str, str] = {}
        self.iterated = _iterated(scope, self.kinds)

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [line for node in body for line in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Rewrite a statement: the lines that it needs first, then the statement."""
        is_chosen = self.chars.facts.is_chosen(node)
        if is_chosen and isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.expr):
            lines, value = self.lined(node.value)
            if lines:
                return [*(placed(line, node.lineno) for line in lines), changed(node, value=value)]
        fields: dict[str, object] = {}
        for name, value in ast.iter_fields(node):
            if name in _BLOCKS and isinstance(value, list):
                fields[name] = self.inner(node).block(value)
            elif not is_chosen and name not in ("handlers", "cases"):
                continue
            elif isinstance(value, list):
                fields[name] = [self.part(item) for item in value]
            else:
                fields[name] = self.part(value)
        return [node if _same(node, fields) else changed(node, **fields)]

    def inner(self, node: ast.stmt) -> _Scope:
        """Return the scope of a statement's blocks."""
        if isinstance(node, FunctionNode):
            return _Scope(self.chars, node)
        return _Scope(self.chars, node, inline=False) if isinstance(node, ast.ClassDef) else self

    def part(self, node: object) -> object:
        """Rewrite a part of a statement: an expression, or a node that holds statements."""
        if isinstance(node, ast.ExceptHandler | ast.match_case):
            fields: dict[str, object] = {"body": self.block(node.body)}
            return node if _same(node, fields) else changed(node, **fields)
        if isinstance(node, ast.pattern):
            return node
        return self.expression(node) if isinstance(node, ast.AST) else node

    def expression(self, node: ast.AST) -> ast.AST:
        """Replace method calls in an expression by calls of helper functions."""
        if isinstance(node, ast.Lambda) and self.kinds.names:
            return _Scope(self.chars, node, inline=False).expression(node)
        fields: dict[str, object] = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[name] = [self.expression(item) if isinstance(item, ast.AST) else item for item in value]
            elif isinstance(value, ast.AST):
                fields[name] = self.expression(value)
        new = node if _same(node, fields) else changed(node, **fields)
        match = self.match_loop(node)
        if match is None:
            return new
        # The types are those of the old parts, which are what the new ones give.
        loop, _ = match
        parts = _parts(new)
        assert parts is not None
        result: ast.expr = ast.Call(ast.Name(self.chars.helper(loop), ast.Load()), parts[1], [])
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn):
            result = ast.UnaryOp(ast.Not(), result)
        return ast.copy_location(result, node)

    def match_loop(self, node: ast.AST) -> tuple[Loop, list[ast.expr]] | None:
        """Return the loop that may replace an expression, and its arguments; None if there is none."""
        parts = _parts(node)
        if parts is None:
            return None
        method, arguments = parts
        loop = loops().get((method, len(arguments)))
        if loop is None or any(isinstance(argument, ast.Starred) for argument in arguments):
            return None
        string = arguments[loop.parameters.index("s")]
        kind = self.kinds.kind(string)
        if kind in TYPES and kind != "str":
            return None
        if method == "contains":
            return (loop, arguments) if kind == "str" else None
        for name, value in zip(loop.parameters, arguments, strict=True):
            known = self.kinds.kind(value)
            if name in loop.checks() and known in TYPES and known != loop.checks()[name]:
                return None
        if method in _OF_CHARACTERS and self.is_character(string):
            return None
        if (
            method in ("cut", "reverse")
            or kind == "str"
            or all(self.kinds.calm(argument) for argument in arguments[1:])
        ):
            return loop, arguments
        return None

    def is_character(self, node: ast.expr) -> bool:
        """Return whether an expression seems to be a single character, where a loop does not help."""
        if isinstance(node, ast.Constant):
            return len(str(node.value)) < 2
        if isinstance(node, ast.Subscript):
            return not isinstance(node.slice, ast.Slice)
        if not isinstance(node, ast.Name) or node.id not in self.iterated:
            return False
        return node.id in _CHARACTERS or self.iterated[node.id]

    def lined(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """Return the inline lines of a loop for a call, and its result; None if types are not proved."""
        match = self.match_loop(node) if self.inline else None
        if match is None:
            return [], node
        loop, arguments = match
        pairs = dict(zip(loop.parameters, arguments, strict=True))
        proved = all(self.kinds.kind(pairs[name]) == kind for name, kind in loop.checks().items())
        steady = all(
            isinstance(node_inside, ast.Constant) or (isinstance(node_inside, ast.Name) and sure(node_inside))
            for node_inside in arguments
        )
        if not (proved and steady and _holds(loop, pairs)):
            return [], node
        for name in {
            node_inside.id for line in loop.body for node_inside in walk(line) if isinstance(node_inside, ast.Name)
        }:
            if _is_bound(loop, name) and name not in self.names:
                self.names[name] = self.chars.fresh.new(name)
        renamer = _Filled({**{n: ast.Name(new, ast.Load()) for n, new in self.names.items()}, **pairs}, self.names)
        lines = [renamer.visit(copy.deepcopy(line)) for line in loop.body]
        last = lines.pop()
        assert isinstance(last, ast.Return)
        assert last.value is not None
        negated = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn)
        return lines, ast.UnaryOp(ast.Not(), last.value) if negated else last.value


def placed(node: ast.stmt, line: int) -> ast.stmt:
    """Assign every part of a statement to one old line; 0 means none."""
    for part in walk(node):
        if isinstance(part, ast.stmt | ast.expr | ast.ExceptHandler):
            part.lineno = part.end_lineno = line
            part.col_offset = part.end_col_offset = 0
    return node


class _Filled(ast.NodeTransformer):
    """Substitutes arguments for a loop's parameters and new names for its own names."""

    def __init__(self, arguments: dict[str, ast.expr], names: dict[str, str]) -> None:
        self.given, self.names = arguments, names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Store):
            return ast.Name(self.names[node.id], ast.Store())
        return copy.copy(self.given.get(node.id, node))


def _is_bound(loop: Loop, name: str) -> bool:
    nodes = (part for line in loop.body for part in walk(line))
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in nodes)


def _holds(loop: Loop, arguments: dict[str, ast.expr]) -> bool:
    """Return whether a loop's condition certainly holds: it has none, or it needs a non-empty constant."""
    if not loop.condition:
        return True
    name, _, rest = loop.condition.partition(" != ''")
    value = arguments.get(name)
    return not rest and isinstance(value, ast.Constant) and value.value != ""


def _parts(node: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """Return the string operation that an expression may be, and its operands."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=[]) if name not in _NO_METHODS:
            return name, [value, *args]
        case ast.Subscript(ctx=ast.Load(), value=value, slice=ast.Slice(lower=None, upper=None, step=step)) if (
            isinstance(step, ast.UnaryOp) and ast.unparse(step) == "-1"
        ):
            return "reverse", [value]
        case ast.Subscript(slice=ast.Slice(lower=None, upper=None, step=None)):
            return None  # a copy, of a list in all likelihood
        case ast.Subscript(ctx=ast.Load(), value=value, slice=ast.Slice() as cut):
            return "cut", [value, *(bound or ast.Constant(None) for bound in (cut.lower, cut.upper, cut.step))]
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return "contains", [left, right]
    return None


def _iterated(scope: ast.AST, kinds: Kinds) -> dict[str, bool]:
    """Return the names that iterate over something, and whether that is certainly a string."""
    is_text: dict[str, bool] = {}
    for node in own(scope):
        over: list[ast.For | ast.comprehension] = [node] if isinstance(node, ast.For) else []
        over += node.generators if isinstance(node, COMPREHENSIONS) else []
        for loop in over:
            if isinstance(loop.target, ast.Name):
                is_text[loop.target.id] = kinds.kind(loop.iter) == "str"
            elif isinstance(loop.target, ast.Tuple) and isinstance(loop.target.elts[-1], ast.Name):
                is_text[loop.target.elts[-1].id] = False
    return is_text


def _same(node: ast.AST, fields: dict[str, object]) -> bool:
    def alike(old: object, new: object) -> bool:
        if isinstance(old, list) and isinstance(new, list):
            return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
        return old is new

    return all(alike(getattr(node, name), new) for name, new in fields.items())
