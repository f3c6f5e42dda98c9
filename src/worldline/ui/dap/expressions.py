"""The little language of conditions, watches and hovers: expressions over canonical values, never evaluated as code.

Names, literals, comparisons, `and or not`, `in`, `is`, arithmetic on numbers, indices and slices, fields of objects,
`len(...)` and `abs(...)`; in another language than Python also as that spells it (`native_syntax`). Total: an
expression is refused when it is read (`parse`), or has no value (`UnknownValue`), and what it computes is
bounded. Values compare as values; a container is compared as a whole, kinds and all.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.node import Value, text
from worldline.core.spelling import quote, unquote, unquote_bytes
from worldline.core.value import equal
from worldline.core.value import parse as parse_value
from worldline.ui.dap.native_syntax import respelled, usual_names

LONGEST = 1000  # characters of an expression
DEEPEST = 50  # levels of one
BITS = 1 << 12  # of a number that is computed
TEXT = 1 << 20  # characters of a text that is computed
POINTER = "Ptr"  # what an object is called that is a pointer into memory

PlainValue = None | bool | int | float | str | bytes | Value
ValueTexts = Mapping[str, str]  # a name's canonical text


class UnknownValue(Exception):
    """There is no value, and why. Leaves `value`; whoever calls it catches it."""


@dataclass(frozen=True)
class Expression:
    """An expression that was read."""

    source: str
    tree: ast.expr
    language: str = "python"

    def value(self, names: ValueTexts) -> str:
        """Its canonical text among these names; `UnknownValue` where there is none."""
        known = self._known(names)
        if isinstance(self.tree, ast.Name) and self.tree.id in known:
            return known[self.tree.id]
        return spelled(_value(self.tree, known))

    def holds(self, names: ValueTexts) -> bool:
        """Whether it is true; `UnknownValue` where it has no value."""
        return _truth(_value(self.tree, self._known(names)))

    def _known(self, names: ValueTexts) -> ValueTexts:
        return {**usual_names(self.language), **names}


def parse(source: str, language: str = "python") -> Expression:
    """An expression as somebody writes it for a program of a language; a UsageError where it is none."""
    if len(source) > LONGEST:
        raise UsageError(f"an expression has at most {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(respelled(source, language).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UsageError(f"not an expression: {source[:80]}") from None
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            raise UsageError(f"an expression has at most {DEEPEST} levels")
        _check(node)
        waiting += ((part, depth + 1) for part in ast.iter_child_nodes(node))
    return Expression(source, tree, language)


def _check(node: ast.AST) -> None:
    if isinstance(node, ast.Call):
        plain = isinstance(node.func, ast.Name) and node.func.id in _CALLS
        if not plain or len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise UsageError(f"no call but {' and '.join(f'{name}(x)' for name in _CALLS)} is possible here")
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, complex) or node.value is Ellipsis:
            raise UsageError(f"{node.value!r} is no value of these expressions")
    elif not isinstance(node, _KNOWN):
        raise UsageError(
            f"{type(node).__name__} is not possible here: values, names, comparisons, arithmetic, indices"
        )


_KNOWN = (
    ast.Name, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Subscript, ast.Slice, ast.Attribute, ast.List,
    ast.Tuple, ast.IfExp, ast.Load, ast.boolop, ast.cmpop, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.Pow, ast.Not, ast.USub, ast.UAdd,
)  # fmt: skip


def opened(canonical: str) -> PlainValue:
    """A canonical text as a value: itself where Python has such an atom, else its structure."""
    found = parse_value(canonical)
    if isinstance(found, Malformed):
        raise UnknownValue("the text of the value is no value")
    return _plain(found)


def _plain(value: Value) -> PlainValue:
    atom = value.atom
    match value.kind:
        case "None":
            return None
        case "bool":
            return atom == "True"
        case "int":
            return int(atom, 0)
        case "float" if not atom.startswith("nan("):
            return float(atom)
        case "str":
            return unquote(atom)
        case "bytes":
            return unquote_bytes(atom)
    return value


def spelled(worth: PlainValue) -> str:
    """The canonical text of a value."""
    if isinstance(worth, Value):
        return text(worth)
    if isinstance(worth, str):
        return quote(worth)
    if isinstance(worth, int) and not isinstance(worth, bool) and worth.bit_length() > 1024:
        return hex(worth)
    return repr(worth)


def _node(worth: PlainValue) -> Value:
    if isinstance(worth, Value):
        return worth
    kinds = {bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes"}
    return Value("None" if worth is None else kinds[type(worth)], spelled(worth))


def _value(node: ast.expr, names: ValueTexts) -> PlainValue:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() | bytes() as value):
            return value
        case ast.Name(id=name):
            if name not in names:
                raise UnknownValue(f"there is no {name} here")
            return opened(names[name])
        case ast.BoolOp(op=ast.And(), values=parts):
            return _first(parts, names, wanted=False)
        case ast.BoolOp(values=parts):
            return _first(parts, names, wanted=True)
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _truth(_value(test, names)) else other, names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _truth(_value(operand, names))
        case ast.UnaryOp(op=sign, operand=operand):
            number = _number(_value(operand, names))
            return -number if isinstance(sign, ast.USub) else +number
        case ast.BinOp(left=left, op=op, right=right):
            return _computed(type(op), _value(left, names), _value(right, names))
        case ast.Compare():
            return _compared(node, names)
        case ast.Subscript(value=inner, slice=ast.Slice() as cut):
            return _sliced(_value(inner, names), cut, names)
        case ast.Subscript(value=inner, slice=index):
            return _item(_value(inner, names), _value(index, names))
        case ast.Attribute(value=inner, attr=name):
            return _field(_value(inner, names), name)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return _CALLS[name](_value(argument, names))
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            items = tuple(_node(_value(part, names)) for part in parts)
            return Value("list" if isinstance(node, ast.List) else "tuple", items=items)
    raise UnknownValue("this has no value here")


def _first(parts: list[ast.expr], names: ValueTexts, *, wanted: bool) -> PlainValue:
    """The first part that is as wanted, or the last: how `and` and `or` go."""
    found: PlainValue = None
    for part in parts:
        found = _value(part, names)
        if _truth(found) is wanted:
            break
    return found


def _truth(worth: PlainValue) -> bool:
    if not isinstance(worth, Value):
        return bool(worth)
    if worth.kind in _CONTAINERS:
        return bool(worth.items)
    raise UnknownValue(f"whether a {worth.kind} is true is not known here")


_CONTAINERS = ("list", "tuple", "dict", "set", "frozenset", "deque")
_SEQUENCES = ("list", "tuple", "deque")


def _number(worth: PlainValue) -> int | float:
    if isinstance(worth, (int, float)):
        return worth
    raise UnknownValue(f"{_short(worth)} is no number")


def _short(worth: PlainValue) -> str:
    shown = spelled(worth)
    return shown if len(shown) <= 40 else shown[:40] + "..."


_NUMERIC: dict[type[ast.operator], Callable[[int | float, int | float], int | float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


def _computed(op: type[ast.operator], left: PlainValue, right: PlainValue) -> PlainValue:
    if op is ast.Add and isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= TEXT:
        return left + right
    one, other = _number(left), _number(right)
    try:
        if op is ast.Pow:
            return _power(one, other)
        found = _NUMERIC[op](one, other)
    except (ArithmeticError, ValueError) as error:
        raise UnknownValue(str(error)) from None
    if isinstance(found, int) and found.bit_length() > BITS:
        raise UnknownValue("the number is too large")
    return found


def _power(one: int | float, other: int | float) -> int | float:
    if isinstance(one, int) and isinstance(other, int) and one.bit_length() * abs(other) > BITS:
        raise UnknownValue("the number is too large")
    found = one**other
    if isinstance(found, complex):
        raise UnknownValue("a complex number")
    return found


def _compared(node: ast.Compare, names: ValueTexts) -> bool:
    left = _value(node.left, names)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = _value(right_node, names)
        if not _holds(op, left, right):
            return False
        left = right
    return True


def _holds(op: ast.cmpop, left: PlainValue, right: PlainValue) -> bool:
    match op:
        case ast.Eq():
            return _same(left, right)
        case ast.NotEq():
            return not _same(left, right)
        case ast.Is():
            return type(left) is type(right) and _same(left, right)
        case ast.IsNot():
            return not (type(left) is type(right) and _same(left, right))
        case ast.In():
            return _contains(right, left)
        case ast.NotIn():
            return not _contains(right, left)
    return _ordered(op, left, right)


def _same(left: PlainValue, right: PlainValue) -> bool:
    if isinstance(left, Value) or isinstance(right, Value):
        return equal(spelled(left), spelled(right))
    return left == right


_ORDERS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


def _ordered(op: ast.cmpop, left: PlainValue, right: PlainValue) -> bool:
    for kinds in ((int, float), (str,), (bytes,)):
        if isinstance(left, kinds) and isinstance(right, kinds):
            return bool(_ORDERS[type(op)](left, right))
    raise UnknownValue(f"{_short(left)} and {_short(right)} have no order here")


def _contains(whole: PlainValue, item: PlainValue) -> bool:
    if isinstance(whole, str) and isinstance(item, str):
        return item in whole
    if isinstance(whole, bytes) and isinstance(item, (bytes, int)):
        return item in whole
    if isinstance(whole, Value) and whole.kind in _CONTAINERS:
        items = whole.items[::2] if whole.kind == "dict" else whole.items
        return any(_same(_plain(each), item) for each in items)
    raise UnknownValue(f"nothing is in {_short(whole)}")


def _item(whole: PlainValue, index: PlainValue) -> PlainValue:
    if isinstance(whole, Value) and whole.kind == "dict":
        for key, value in zip(whole.items[::2], whole.items[1::2], strict=True):
            if _same(_plain(key), index):
                return _plain(value)
        raise UnknownValue(f"there is no key {_short(index)}")
    if isinstance(whole, Value) and isinstance(index, int) and (block := memory(whole)):
        whole, index = block[0], block[1] + index
        if index < 0:
            raise UnknownValue("that is before the block of memory")
    items = _items(whole)
    if not isinstance(index, int) or not -len(items) <= index < len(items):
        raise UnknownValue(f"there is no [{_short(index)}] in {len(items)} elements")
    found = items[index]
    return _plain(found) if isinstance(found, Value) else found


def memory(value: Value) -> tuple[Value, int] | None:
    """The block that a pointer points into, and how far into it; None for what is no pointer."""
    at = dict(value.fields).get("at")
    if value.kind != "object" or value.atom != POINTER or not value.items or at is None or at.kind != "int":
        return None
    return value.items[0], int(at.atom, 0)


def _items(whole: PlainValue) -> str | bytes | tuple[Value, ...]:
    if isinstance(whole, (str, bytes)):
        return whole
    if isinstance(whole, Value) and whole.kind in _SEQUENCES:
        return whole.items
    raise UnknownValue(f"{_short(whole)} has no indices")


def _sliced(whole: PlainValue, cut: ast.Slice, names: ValueTexts) -> PlainValue:
    low, high, step = (_end(part, names) for part in (cut.lower, cut.upper, cut.step))
    if step == 0:
        raise UnknownValue("a slice does not step by 0")
    items = _items(whole)[low:high:step]
    if isinstance(items, tuple):
        assert isinstance(whole, Value)
        return Value("tuple" if whole.kind == "tuple" else "list", items=items)
    return items


def _end(part: ast.expr | None, names: ValueTexts) -> int | None:
    end = None if part is None else _value(part, names)
    if end is not None and not isinstance(end, int):
        raise UnknownValue("a slice takes whole numbers")
    return end


def _field(whole: PlainValue, name: str) -> PlainValue:
    if isinstance(whole, Value):
        for field, value in whole.fields:
            if field == name:
                return _plain(value)
        if whole.kind == "dict" and any(_same(_plain(key), name) for key in whole.items[::2]):
            return _item(whole, name)  # a plain object of JavaScript
    raise UnknownValue(f"{_short(whole)} has no field {name}")


def _length(worth: PlainValue) -> int:
    if isinstance(worth, (str, bytes)):
        return len(worth)
    if isinstance(worth, Value) and worth.kind in _CONTAINERS:
        return len(worth.items) // (2 if worth.kind == "dict" else 1)
    raise UnknownValue(f"{_short(worth)} has no length")


_CALLS: dict[str, Callable[[PlainValue], PlainValue]] = {
    "len": _length,
    "abs": lambda worth: abs(_number(worth)),
}
