"""Expressions in conditions, watches and hovers, computed over canonical values and never executed as code.

They have names, literals, comparisons, `and or not`, `in`, `is`, arithmetic on numbers, indices and slices, fields of
objects, `len(...)` and `abs(...)`. Programs in other languages may use their syntax (`_to_python`). An expression is
refused by `parse`, has a value, or raises `UnknownValue`; results are bounded in size. Containers are compared as a
whole, including kinds.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES
from worldline.core.malformed import Malformed
from worldline.core.node import Value, text
from worldline.core.spelling import quote, unquote, unquote_bytes
from worldline.core.value import equal
from worldline.core.value import parse as parse_value
from worldline.ui.session.marks.natives import native_names

MAX_EXPRESSION_CHARS = 1000
MAX_DEPTH = 50
MAX_INT_BITS = 1 << 12
MAX_STRING_CHARS = 1 << 20
POINTER = "Ptr"  # the name of objects that are pointers into memory

PlainValue = None | bool | int | float | str | bytes | Value
ValueTexts = Mapping[str, str]  # canonical texts by name
_STRING = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})|(?P<same>===|!==)|(?P<both>&&)|(?P<either>\|\|)|(?P<field>->)|(?P<not>!(?!=))"
    r"|(?P<target>(?<![\w)\]\s])\s*\*\s*(?P<name>[^\W\d]\w*+)|^\s*\*\s*(?P<first>[^\W\d]\w*+))"
)
_IN_PYTHON = {"both": " and ", "either": " or ", "field": ".", "not": " not "}


class UnknownValue(Exception):
    """An expression has no value; the text says why."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression."""

    source: str
    tree: ast.expr
    language: str = "python"

    def value(self, names: ValueTexts) -> str:
        """Return its value, as canonical text, for these names; UnknownValue if it has none."""
        known = self._known(names)
        if isinstance(self.tree, ast.Name) and self.tree.id in known:
            return known[self.tree.id]
        return spelled(_value(self.tree, known))

    def holds(self, names: ValueTexts) -> bool:
        """Whether it is true for these names; UnknownValue if it has no value."""
        return _truth(_value(self.tree, self._known(names)))

    def _known(self, names: ValueTexts) -> ValueTexts:
        return {**_value_words(self.language), **names}


def parse(source: str, language: str = "python") -> Expression:
    """Parse an expression for a program in a language; UsageError if it is not supported."""
    if len(source) > MAX_EXPRESSION_CHARS:
        raise UsageError(f"an expression has at most {MAX_EXPRESSION_CHARS} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_to_python(source, language).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UsageError(f"not an expression: {source[:80]}") from None
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise UsageError(f"an expression has at most {MAX_DEPTH} levels")
        _check(node)
        waiting += ((part, depth + 1) for part in ast.iter_child_nodes(node))
    return Expression(source, tree, language)


def _check(node: ast.AST) -> None:
    if isinstance(node, ast.Call):
        plain = isinstance(node.func, ast.Name) and node.func.id in _CALLS
        if not plain or len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise UsageError(f"only the calls {' and '.join(f'{name}(x)' for name in _CALLS)} are supported")
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, complex) or node.value is Ellipsis:
            raise UsageError(f"{node.value!r} is not supported in expressions")
    elif not isinstance(node, _SUPPORTED):
        raise UsageError(f"{type(node).__name__} is not supported: use values, names, comparisons, arithmetic, indices")


_SUPPORTED = (
    ast.Name, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Subscript, ast.Slice, ast.Attribute, ast.List,
    ast.Tuple, ast.IfExp, ast.Load, ast.boolop, ast.cmpop, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.Pow, ast.Not, ast.USub, ast.UAdd,
)  # fmt: skip


def _to_python(source: str, language: str) -> str:
    """Write an expression of another language in Python: `list->v && !done` is `list.v and not done`."""
    return source if LANGUAGES[language].has_syntax_tree else _TOKEN.sub(_token_in_python, source)


def _token_in_python(match: re.Match[str]) -> str:
    group = next(name for name, text in match.groupdict().items() if text is not None)
    if group == "same":
        return match[0][:-1]
    if group == "target":  # what a pointer points to
        return f" {match['name'] or match['first']}[0]"
    return _IN_PYTHON.get(group, match[0])


@cache
def _value_words(language: str) -> dict[str, str]:
    """The words of a language that are values, such as `null` and `nullptr`; names of the program take precedence."""
    words = {}
    for word, name in native_names(language).words.items():
        first = name.partition(",")[0]
        if first.isidentifier():
            words[first] = word
    return words


def opened(canonical: str) -> PlainValue:
    """Return the value of a canonical text: a Python atom if there is one, else its structure."""
    value = parse_value(canonical)
    if isinstance(value, Malformed):
        raise UnknownValue("the predicted value is malformed")
    return _plain(value)


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


def spelled(value: PlainValue) -> str:
    """Return the canonical text of a value."""
    if isinstance(value, Value):
        return text(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 1024:
        return hex(value)
    return repr(value)


def _node(value: PlainValue) -> Value:
    if isinstance(value, Value):
        return value
    kinds = {bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes"}
    return Value("None" if value is None else kinds[type(value)], spelled(value))


def _value(node: ast.expr, names: ValueTexts) -> PlainValue:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() | bytes() as value):
            return value
        case ast.Name(id=name):
            if name not in names:
                raise UnknownValue(f"there is no name {name} here")
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
    """The first part whose truth is `wanted`, or the last: `and` and `or`."""
    value: PlainValue = None
    for part in parts:
        value = _value(part, names)
        if _truth(value) is wanted:
            break
    return value


def _truth(value: PlainValue) -> bool:
    if not isinstance(value, Value):
        return bool(value)
    if value.kind in _CONTAINERS:
        return bool(value.items)
    raise UnknownValue(f"it is not known whether a {value.kind} is true")


_CONTAINERS = ("list", "tuple", "dict", "set", "frozenset", "deque")
_SEQUENCES = ("list", "tuple", "deque")


def _number(value: PlainValue) -> int | float:
    if isinstance(value, (int, float)):
        return value
    raise UnknownValue(f"{_short(value)} is not a number")


def _short(value: PlainValue) -> str:
    shown = spelled(value)
    return shown if len(shown) <= 40 else shown[:40] + "..."


_NUMERIC: dict[type[ast.operator], Callable[[int | float, int | float], int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _computed(op: type[ast.operator], left: PlainValue, right: PlainValue) -> PlainValue:
    if (
        op is ast.Add
        and isinstance(left, str)
        and isinstance(right, str)
        and len(left) + len(right) <= MAX_STRING_CHARS
    ):
        return left + right
    numbers = _number(left), _number(right)
    try:
        result = _power(*numbers) if op is ast.Pow else _NUMERIC[op](*numbers)
    except (ArithmeticError, ValueError) as error:
        raise UnknownValue(str(error)) from None
    if isinstance(result, int) and result.bit_length() > MAX_INT_BITS:
        raise UnknownValue("the number is too large")
    return result


def _power(base: int | float, exponent: int | float) -> int | float:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > MAX_INT_BITS:
        raise UnknownValue("the number is too large")
    result = base**exponent
    if isinstance(result, complex):
        raise UnknownValue("the result is a complex number")
    return result


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
    raise UnknownValue(f"{_short(left)} and {_short(right)} cannot be ordered")


def _contains(whole: PlainValue, item: PlainValue) -> bool:
    if isinstance(whole, str) and isinstance(item, str):
        return item in whole
    if isinstance(whole, bytes) and isinstance(item, (bytes, int)):
        return item in whole
    if isinstance(whole, Value) and whole.kind in _CONTAINERS:
        items = whole.items[::2] if whole.kind == "dict" else whole.items
        return any(_same(_plain(element), item) for element in items)
    raise UnknownValue(f"{_short(whole)} is not a container")


def _item(whole: PlainValue, index: PlainValue) -> PlainValue:
    if isinstance(whole, Value) and whole.kind == "dict":
        for key, value in zip(whole.items[::2], whole.items[1::2], strict=True):
            if _same(_plain(key), index):
                return _plain(value)
        raise UnknownValue(f"there is no key {_short(index)}")
    if isinstance(whole, Value) and isinstance(index, int) and (block := memory(whole)):
        whole, index = block[0], block[1] + index
        if index < 0:
            raise UnknownValue("the index is before the block of memory")
    items = _items(whole)
    if not isinstance(index, int) or not -len(items) <= index < len(items):
        raise UnknownValue(f"the index {_short(index)} is out of range: there are {len(items)} elements")
    item = items[index]
    return _plain(item) if isinstance(item, Value) else item


def memory(value: Value) -> tuple[Value, int] | None:
    """Return the block that a pointer points into, and the index in it; None if the value is not a pointer."""
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
        raise UnknownValue("the step of a slice must not be 0")
    items = _items(whole)[low:high:step]
    if isinstance(items, tuple):
        assert isinstance(whole, Value)
        return Value("tuple" if whole.kind == "tuple" else "list", items=items)
    return items


def _end(part: ast.expr | None, names: ValueTexts) -> int | None:
    end = None if part is None else _value(part, names)
    if end is not None and not isinstance(end, int):
        raise UnknownValue("the bounds of a slice must be integers")
    return end


def _field(whole: PlainValue, name: str) -> PlainValue:
    if isinstance(whole, Value):
        for field, value in whole.fields:
            if field == name:
                return _plain(value)
        if whole.kind == "dict" and any(_same(_plain(key), name) for key in whole.items[::2]):
            return _item(whole, name)  # a plain JavaScript object
    raise UnknownValue(f"{_short(whole)} has no field {name}")


def _length(value: PlainValue) -> int:
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, Value) and value.kind in _CONTAINERS:
        return len(value.items) // (2 if value.kind == "dict" else 1)
    raise UnknownValue(f"{_short(value)} has no length")


_CALLS: dict[str, Callable[[PlainValue], PlainValue]] = {"len": _length, "abs": lambda value: abs(_number(value))}
