"""Whether a value that a run gave is the expected one: both as values, nothing is evaluated.

Rows of a JSON file know no tuples, no sets and no exact floats, so there any sequence of equal items is right, and
floats are compared closely. What a Python test expects is compared as Python would.
"""

from __future__ import annotations

from math import isclose, isnan
from typing import Any

from worldline.core.value import Value, parse, unquote

_SEQUENCES = ("list", "tuple", "deque", "set", "frozenset")
_CLOSE = 1e-9


def agrees(expected: Any, text: str, *, loose: bool) -> bool:
    """Whether canonical text is the value that was expected; `loose`, as a row of JSON means it."""
    value = parse(text)
    return isinstance(value, Value) and _same(expected, value, loose, {})


def _same(expected: Any, value: Value, loose: bool, labels: dict[int, Value]) -> bool:
    if value.label:
        labels[value.label] = value
    if value.kind == "ref":
        value = labels.get(int(value.atom.removeprefix("#")), value)
    if isinstance(expected, bool) or expected is None:
        return value.atom == str(expected)
    if isinstance(expected, int | float):
        return _same_number(expected, value, loose)
    if isinstance(expected, str):
        return value.kind == "str" and unquote(value.atom) == expected
    if isinstance(expected, dict):
        return value.kind == "dict" and _same_dict(expected, value, loose, labels)
    if isinstance(expected, list | tuple):
        kinds = _SEQUENCES if loose else (type(expected).__name__,)
        return (
            value.kind in kinds
            and len(value.items) == len(expected)
            and all(_same(e, v, loose, labels) for e, v in zip(expected, value.items, strict=True))
        )
    return False


def _same_number(expected: float, value: Value, loose: bool) -> bool:
    if value.kind not in ("int", "float"):
        return False
    try:
        number = int(value.atom, 0) if value.kind == "int" else float(value.atom)
    except ValueError:
        return False
    if isinstance(number, float) and isnan(number):
        return False
    return number == expected or (
        loose and isinstance(number, float) and isclose(number, expected, rel_tol=_CLOSE, abs_tol=_CLOSE)
    )


def _same_dict(
    expected: dict[Any, Any], value: Value, loose: bool, labels: dict[int, Value]
) -> bool:  # keys of JSON are texts
    if len(value.items) != 2 * len(expected):
        return False
    pairs = dict(zip(map(_key, value.items[::2]), value.items[1::2], strict=True))
    return all(
        str(key) in pairs and _same(item, pairs[str(key)], loose, labels) for key, item in expected.items()
    )


def _key(value: Value) -> str:
    return str(unquote(value.atom)) if value.kind == "str" else value.atom
