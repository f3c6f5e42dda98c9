"""Expressions into one operation a line. What is evaluated, in which order, and what fails first, stay as they were.

`Flattener` takes a function's expressions apart, or the module's: an operand that is an operation itself goes into a
temporary, on a line before. A load that others could change in between is kept in a temporary too. A method of
something unknown is looked up before its arguments are evaluated: on a line of its own, or, where a second look-up
could be noticed, into a temporary. Lambdas, asynchronous code and generator expressions stay whole. Statements are
statements.py's, comprehensions comprehensions.py's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from worldline.analyze.rewrite.kinds import Kinds
from worldline.analyze.rewrite.names import Facts, Fresh, sure, temporary
from worldline.analyze.rewrite.tree import walk

AnyNode = TypeVar("AnyNode", bound=ast.AST)
MAX_DISPLAY_ITEMS = 15  # displays with more items are built in several parts, which is a matter of its own


@dataclass
class Flattener:
    """Flattens the code of one scope; `out` collects the lines that precede the current statement."""

    facts: Facts
    kinds: Kinds
    fresh: Fresh
    private: frozenset[str]  # names that comprehensions alone use, so that a loop may bind them
    out: list[ast.stmt] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)  # what the comprehensions around this place bind
    comprehend: Callable[[Flattener, ast.expr], ast.expr | None] = lambda flattener, node: None

    def inside(self, act: Callable[[], object]) -> list[ast.stmt]:
        """Return the lines that an action emits, apart from those of the enclosing statement."""
        before, self.out = self.out, []
        try:
            act()
            return self.out
        finally:
            self.out = before

    def keep(self, value: ast.expr) -> ast.Name:
        """Assign a value to a new temporary on its own line."""
        name = self.fresh.temporary()
        self.kinds.names[name] = self.kinds.kind(value)
        self.assign(name, value)
        return temporary(name)

    def assign(self, name: str, value: ast.expr) -> None:
        """Emit a line that binds a name."""
        self.out.append(ast.Assign([ast.Name(name, ast.Store())], value))

    def atom(self, node: ast.expr) -> ast.expr:
        """Flatten an expression to an atom: a constant, a name or a literal."""
        flat = self.simple(node)
        return flat if self.is_atom(flat) else self.keep(flat)

    def is_atom(self, node: ast.expr) -> bool:
        """Return whether an expression needs no line of its own."""
        if isinstance(node, ast.Name | ast.Constant | ast.Lambda) or is_literal(node):
            return True
        return self._is_module(node) or _is_super(node)

    def _is_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
            if isinstance(node, ast.Name):
                return node.id in self.facts.modules and sure(node)
        return False

    def steady(self, node: ast.expr) -> bool:
        """Return whether a flat expression may be evaluated later on the same line without a visible difference."""
        return self.kinds.calm(node) or is_literal(node) or self._is_module(node) or _is_super(node)

    def light(self, node: ast.expr) -> ast.expr:
        """Flatten an operand to an atom, or to an attribute of one."""
        if isinstance(node, ast.Attribute) and not self._is_module(node):
            return changed(node, value=self.atom(node.value))
        if isinstance(node, ast.GeneratorExp):  # nothing of it happens on a line of its own but its making
            return self.simple(node)
        return self.atom(node)

    def operands(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Flatten operands in evaluation order; those after a starred operand, which iterates, stay."""
        flattened: list[ast.expr] = []
        for number, node in enumerate(nodes):
            if isinstance(node, ast.Starred):
                flattened.append(changed(node, value=self.atom(node.value)))
                return flattened + list(nodes[number + 1 :])
            rest = nodes[number + 1 :]
            if any(self.moves(later) for later in rest):
                flat = self.atom(node)
                flattened.append(flat if self.steady(flat) else self.keep(flat))
            else:
                flattened.append(self.light(node))
        return flattened

    def moves(self, node: ast.expr) -> bool:
        """Return whether flattening an operand emits a line that an earlier operand could notice."""
        if isinstance(node, ast.Starred):
            return self.moves(node.value)
        if isinstance(node, ast.Attribute):
            return self.moves(node.value)
        return not (isinstance(node, ast.Name) or self.steady(node))

    def simple(self, node: ast.expr) -> ast.expr:
        """Flatten an expression to one operation and emit the lines of its operands."""
        match node:
            case ast.BinOp():
                left, right = self.operands([node.left, node.right])
                return changed(node, left=left, right=right)
            case ast.UnaryOp():
                return node if is_literal(node) else changed(node, operand=self.light(node.operand))
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp():
                return self._choice(node)
            case ast.IfExp():
                return self._conditional(node)
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                return node if self._is_module(node) else changed(node, value=self.light(node.value))
            case ast.Subscript():
                return self._item(node)
            case ast.Tuple() | ast.List() | ast.Set():
                return self._display(node)
            case ast.Dict():
                return self._dict(node)
            case ast.JoinedStr():
                return self._text(node)
            case ast.NamedExpr():
                value = self.simple(node.value)
                self.kinds.names.setdefault(node.target.id, "?")
                self.assign(node.target.id, value)
                return ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
            case ast.Yield() if node.value:
                return changed(node, value=self.light(node.value))
            case ast.YieldFrom():
                return changed(node, value=self.light(node.value))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self.comprehend(self, node) or self._first_flat(node)
        return node

    def _first_flat(self, node: ast.expr) -> ast.expr:
        """Keep a comprehension, but evaluate its first iterable before it."""
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        first, *others = node.generators
        return changed(node, generators=[changed(first, iter=self.light(first.iter)), *others])

    def _comparison(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            left, right = self.operands([node.left, node.comparators[0]])
            return changed(node, left=left, comparators=[right])
        if not self.truth_is_quiet():
            return node
        left, right = self.operands([node.left, node.comparators[0]])
        if not self.steady(right):
            if not self.steady(left):
                left = self.keep(left)
            right = self.keep(right)
        result = self.keep(ast.Compare(left, [node.ops[0]], [right]))
        rest = ast.Compare(right, node.ops[1:], node.comparators[1:])
        self.out.append(ast.If(result, self._set(result.id, rest), []))
        self.kinds.names[result.id] = "?"
        return result

    def _set(self, name: str, value: ast.expr) -> list[ast.stmt]:
        """Emit the lines that bind a name to a value."""
        return self.inside(lambda: self.assign(name, self.simple(value)))

    def _choice(self, node: ast.BoolOp) -> ast.expr:
        """Flatten `and` and `or`: a temporary takes the first value, then the next one if needed."""
        if not self.truth_is_quiet():
            return node
        kind = self.kinds.kind(node)
        result = self.keep(self.simple(node.values[0]))
        self._go_on(result.id, node.op, node.values[1:])
        self.kinds.names[result.id] = kind
        return result

    def _go_on(self, name: str, op: ast.boolop, values: list[ast.expr]) -> None:
        """Emit the test of whether the next value is evaluated, and that value's lines."""
        if not values:
            return

        def taken() -> None:
            self.assign(name, self.simple(values[0]))
            self._go_on(name, op, values[1:])

        test: ast.expr = temporary(name)
        if isinstance(op, ast.Or):
            test = ast.UnaryOp(ast.Not(), test)
        self.out.append(ast.If(test, self.inside(taken), []))

    def _conditional(self, node: ast.IfExp) -> ast.expr:
        test = self.test(node.test)
        name = self.fresh.temporary()
        self.out.append(ast.If(test, self._set(name, node.body), self._set(name, node.orelse)))
        self.kinds.names[name] = self.kinds.kind(node)
        return temporary(name)

    def truth_is_quiet(self) -> bool:
        """Return whether no class of the program defines truth, so that a second test is invisible."""
        return not {"__bool__", "__len__"} & self.facts.words

    def test(self, node: ast.expr) -> ast.expr:
        """Flatten a condition to a name or its negation; one whose truth must not be tested twice stays."""
        if (_asks(node) and not self.truth_is_quiet()) or _is_main_guard(node):
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return changed(node, operand=self.test(node.operand))
        return self.atom(node)

    def _call(self, node: ast.Call) -> ast.expr:
        if _is_super(node):
            return node
        collected = self.comprehend(self, node)
        if collected is not None:
            return collected
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        spread = any(isinstance(argument, ast.Starred) for argument in node.args)
        spread |= any(keyword.arg is None for keyword in node.keywords)
        func = self._called(node.func, arguments)
        several = self._spread(node) if spread else self.operands(arguments)
        positional = several[: len(node.args)]
        named = [changed(k, value=value) for k, value in zip(node.keywords, several[len(positional) :], strict=True)]
        return changed(node, func=func, args=positional, keywords=named)

    def _spread(self, node: ast.Call) -> list[ast.expr]:
        """Flatten the arguments up to the first starred one."""
        first = next((n for n, argument in enumerate(node.args) if isinstance(argument, ast.Starred)), len(node.args))
        flat = self.operands(node.args[: first + 1])
        rest = [*node.args[first + 1 :], *(keyword.value for keyword in node.keywords)]
        return flat + rest

    def _called(self, func: ast.expr, arguments: Sequence[ast.expr]) -> ast.expr:
        """Flatten the called function; look it up before the arguments wherever the order is visible."""
        later = any(self.moves(argument) for argument in arguments)
        if isinstance(func, ast.Attribute) and not self._is_module(func):
            if not later:
                return changed(func, value=self.light(func.value))
            return self._method(func)
        function = self.atom(func)
        return self.keep(function) if later and not self.steady(function) else function

    def _method(self, func: ast.Attribute) -> ast.expr:
        """Flatten a method whose arguments need lines of their own; it keeps its receiver if the proof allows it."""
        value = self.atom(func.value)
        is_known = self.kinds.has(value, func.attr)
        if not is_known and (func.attr not in self.facts.repeatable or _is_super(value)):
            return self.keep(changed(func, value=value))
        method = changed(func, value=value if self.steady(value) else self.keep(value))
        if not is_known:  # a receiver without the method fails before the arguments are evaluated
            self.out.append(ast.Expr(method))
        return method

    def _item(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.slice, ast.Slice):
            parts = [part for part in (node.slice.lower, node.slice.upper, node.slice.step) if part is not None]
            value, *flat = self.operands([node.value, *parts])
            return changed(node, value=value, slice=sliced(node.slice, flat))
        if any(isinstance(inner, ast.Slice) for inner in walk(node.slice)):
            return node
        if isinstance(node.slice, ast.Tuple) and not any(isinstance(inner, ast.Starred) for inner in node.slice.elts):
            value, *elements = self.operands([node.value, *node.slice.elts])
            return changed(node, value=value, slice=changed(node.slice, elts=elements))
        value, index = self.operands([node.value, node.slice])
        return changed(node, value=value, slice=index)

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> ast.expr:
        if is_literal(node) or len(node.elts) > MAX_DISPLAY_ITEMS:
            return node
        return changed(node, elts=self.operands(node.elts))

    def _dict(self, node: ast.Dict) -> ast.expr:
        if is_literal(node) or len(node.keys) > MAX_DISPLAY_ITEMS or None in node.keys:
            return node
        pairs = [part for pair in zip(node.keys, node.values, strict=True) for part in pair if part is not None]
        flat = self.operands(pairs)
        return changed(node, keys=flat[::2], values=flat[1::2])

    def _text(self, node: ast.JoinedStr) -> ast.expr:
        """Flatten an f-string: each part is formatted before the next is evaluated."""
        parts: list[ast.expr] = []
        for number, part in enumerate(node.values):
            if not isinstance(part, ast.FormattedValue):
                parts.append(part)
                continue
            later = [hole for hole in node.values[number + 1 :] if isinstance(hole, ast.FormattedValue)]
            flat = changed(part, value=self.light(part.value))
            # A value that formatting could not tell apart later needs no line of its own.
            plain = self.kinds.kind(flat.value) in ("str", "int", "bool", "float") and part.format_spec is None
            if not any(self.moves(hole.value) or hole.format_spec for hole in later) or (
                plain and self.steady(flat.value)
            ):
                parts.append(flat)
            else:
                parts.append(changed(part, value=self.keep(ast.JoinedStr([flat])), conversion=-1, format_spec=None))
        return changed(node, values=parts)


def sliced(old: ast.Slice, parts: Sequence[ast.expr]) -> ast.Slice:
    """Return a slice with new bounds in place of the old ones."""
    bounds = iter(parts)
    return ast.Slice(*(None if bound is None else next(bounds) for bound in (old.lower, old.upper, old.step)))


def changed(node: AnyNode, **fields: object) -> AnyNode:
    """Return a copy of a node with other fields."""
    values = {name: getattr(node, name) for name in node._fields} | fields
    return ast.copy_location(type(node)(**values), node)


def is_literal(node: ast.expr) -> bool:
    """Return whether an expression is a literal, which can be created anywhere."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.List() | ast.Tuple():
            return all(is_literal(element) for element in node.elts)
        case ast.Set():
            return all(isinstance(element, ast.Constant) for element in node.elts)
        case ast.Dict():
            keyed = all(isinstance(key, ast.Constant) for key in node.keys)
            return keyed and all(is_literal(value) for value in node.values)
    return False


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args


def _is_main_guard(node: ast.expr) -> bool:
    """Return whether this is `__name__ == "__main__"`, which everyone reads at a glance."""
    match node:
        case ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant()]):
            return True
    return False


def _asks(node: ast.expr) -> bool:
    """Return whether a decomposed condition tests the truth of a value more than once."""
    if isinstance(node, ast.UnaryOp):
        return _asks(node.operand)
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.Compare) and len(node.ops) > 1)
