"""Built-in functions and methods on plain values, bounded in size and free of side effects.

Everything that a call could make large is checked before the call. A method that changes its owner works on a copy.
"""

from __future__ import annotations

import operator
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MAX_SIZE = 20_000  # characters and elements of a result
MAX_BITS = 512  # of an int
_MAX_WIDTH = 999  # of a format


class Undetermined(Exception):
    """The value of an expression cannot be determined here."""


FAILURES = (Undetermined, TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What an operation may raise on values that it does not take, such as those that a model wrote."""
_OWNERS = (str, bytes, list, tuple, dict, set, frozenset, int, float, deque)
_PURE = frozenset(
    [
        "capitalize",
        "casefold",
        "center",
        "count",
        "endswith",
        "expandtabs",
        "find",
        "index",
        "isalnum",
        "isalpha",
        "isascii",
        "isdecimal",
        "isdigit",
        "isidentifier",
        "islower",
        "isnumeric",
        "isprintable",
        "isspace",
        "istitle",
        "isupper",
        "join",
        "ljust",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rindex",
        "rjust",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "upper",
        "zfill",
        "copy",
        "get",
        "items",
        "keys",
        "values",
        "union",
        "intersection",
        "difference",
        "symmetric_difference",
        "issubset",
        "issuperset",
        "isdisjoint",
        "bit_length",
        "is_integer",
        "pop",
        "popleft",
        "setdefault",
    ]
)
_WIDTHS = ("center", "ljust", "rjust", "zfill", "expandtabs")
_VIEWS = ("items", "keys", "values")


def size(value: Any) -> int:
    """Return the number of characters and elements of a value, or the bits of an int."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(1 + size(key) + size(item) for key, item in value.items())
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return sum(1 + size(item) for item in value)
    return value.bit_length() // 8 if isinstance(value, int) else 1


def call_method(owner: Any, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Return the result of a method of a built-in type.

    Raises:
        Undetermined: The method is not one of these, would grow too large, or fails.
    """
    if type(owner) not in _OWNERS or name not in _PURE or not hasattr(owner, name):
        raise Undetermined
    _check_growth(owner, name, arguments)
    result = attempt(
        getattr(owner.copy() if name in ("pop", "popleft", "setdefault") else owner, name), arguments, named
    )
    return list(result) if name in _VIEWS else result


def attempt(function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Call a function; whatever it raises means that its value is not known."""
    try:
        return function(*arguments, **named)
    except Undetermined:
        raise
    except Exception:
        raise Undetermined from None


def _check_growth(owner: Any, name: str, arguments: Sequence[Any]) -> None:
    largest = max((argument for argument in arguments if isinstance(argument, int)), default=0)
    grown = size(owner) + sum(map(size, arguments))
    if name in _WIDTHS:
        grown += abs(largest)
    if name == "replace" and len(arguments) > 1:
        grown += size(owner) * size(arguments[1]) + size(arguments[1])
    if name == "join" and arguments:
        grown += size(owner) * size(arguments[0])
    if grown > MAX_SIZE * 10:
        raise Undetermined


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "In": lambda item, among: item in among,
    "NotIn": lambda item, among: item not in among,
    "Is": lambda left, right: _is(left, right),
    "IsNot": lambda left, right: not _is(left, right),
}


def _is(left: Any, right: Any) -> bool:
    """Identity, which plain values have only for None and the truth values."""
    if left is None or right is None or (isinstance(left, bool) and isinstance(right, bool)):
        return left is right
    raise Undetermined


def operate(name: str, left: Any, right: Any) -> Any:
    """Return the result of a binary operator, by the name of its node."""
    if name == "Mod" and isinstance(left, (str, bytes)):
        _check_template(left if isinstance(left, str) else "*")
    elif name == "Mult" and size(left) * size(right) > 0:
        sequence, times = (left, right) if isinstance(right, int) else (right, left)
        if isinstance(times, int) and not isinstance(sequence, (int, float)) and size(sequence) * abs(times) > MAX_SIZE:
            raise Undetermined
    for operand in (left, right):
        if isinstance(operand, int) and operand.bit_length() > MAX_BITS:
            raise Undetermined
    if name in ("Pow", "LShift") and not (isinstance(right, (int, float)) and abs(right) <= 64):
        raise Undetermined
    return attempt(_OPERATORS[name], (left, right), {})


def compare(name: str, left: Any, right: Any) -> Any:
    """Return the result of a comparison, by the name of its node."""
    return attempt(_COMPARISONS[name], (left, right), {})


def _check_template(template: str) -> None:
    widths = (int(digits[:9]) for digits in re.findall(r"[0-9]+", template))
    if "*" in template or len(template) > MAX_SIZE or any(width > _MAX_WIDTH for width in widths):
        raise Undetermined


def formatted(value: Any, specification: str, conversion: str = "") -> str:
    """Return a value as a format writes it."""
    _check_template(specification)
    if conversion:
        convert: Callable[[Any], str] = {"r": repr, "a": ascii}.get(conversion, str)
        value = convert(_printable(value))
    return str(attempt(format, (_printable(value), specification), {}))


def _printable(value: Any) -> Any:
    if value is not None and type(value) not in _OWNERS and type(value) not in (bool, range):
        raise Undetermined
    return value


def _range(*bounds: int) -> range:
    result = range(*bounds)
    if len(result) > MAX_SIZE:
        raise Undetermined
    return result


def _power(base: Any, exponent: Any) -> Any:
    return operate("Pow", base, exponent)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "str": lambda *values: str(*map(_printable, values)),
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "sorted": sorted,
    "reversed": lambda items: list(reversed(items)),
    "sum": sum,
    "min": min,
    "max": max,
    "abs": abs,
    "round": round,
    "ord": ord,
    "chr": chr,
    "range": _range,
    "enumerate": lambda items, start=0: list(enumerate(items, start)),
    "zip": lambda *items: list(zip(*items, strict=False)),
    "map": lambda act, *items: list(map(act, *items)),
    "filter": lambda act, items: list(filter(act, items)),
    "any": any,
    "all": all,
    "repr": lambda value: repr(_printable(value)),
    "bin": bin,
    "hex": hex,
    "oct": oct,
    "divmod": divmod,
    "pow": _power,
    "deque": deque,
    "print": lambda *values, sep=" ", end="\n": sep.join(formatted(v, "") for v in values) + end,
}
"""The built-in functions that are executed here. Iterators are lists; `print` returns its text."""
TYPES = ("str", "list", "dict", "set", "tuple", "int", "float", "bytes")
