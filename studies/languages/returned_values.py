"""Compares a value of a trace with the one that a test expects, as the test itself does."""

from __future__ import annotations

import math
import struct
from ast import literal_eval
from typing import Any

from expected import Expected

from worldline.core.malformed import Malformed
from worldline.core.node import Value
from worldline.core.value import parse

_SHORT_FLOATS = ("c", "cpp", "rust", "go")  # languages in which a test may compare a float of 32 bits with a literal
_EMPTY = ("Optional",)
_WRAPPERS = ("Optional", "Some", "Ok", "Box")
_NAMED = {"<undefined>": None}
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def is_expected(text: str, expected: Expected, language: str) -> bool:
    """Return whether a canonical text is the value that a test expects."""
    value = parse(text)
    if isinstance(value, Malformed):
        return False
    try:
        found = plain_value(value)
        if expected.is_loose and isinstance(found, str) and _is_number(expected.value):
            found = float(found)
        wanted = _listed(expected.value)
        if language == "go":
            wanted = _with_runes(wanted, found)
        return _same(found, wanted, expected.tolerance, language in _SHORT_FLOATS)
    except ValueError:
        return False


def plain_value(value: Value) -> Any:
    """Return a value as Python's: sequences are lists, maps dicts, a wrapper is what it wraps."""
    if value.kind in ("list", "tuple", "deque"):
        return [plain_value(item) for item in value.items]
    if value.kind in ("set", "frozenset"):
        return {_key(plain_value(item)) for item in value.items}
    if value.kind == "dict":
        keys, values = value.items[::2], value.items[1::2]
        return {_key(plain_value(key)): plain_value(item) for key, item in zip(keys, values, strict=True)}
    if value.kind in ("object", "exception"):
        return _object(value)
    return _atom(value.atom)


def _object(value: Value) -> Any:
    if value.fields:
        return [plain_value(item) for _, item in value.fields]
    if len(value.items) == 1:
        return plain_value(value.items[0])
    if value.atom in _EMPTY and not value.items:
        return None
    return [plain_value(item) for item in value.items]


def _atom(text: str) -> Any:
    if text in _NAMED or text in _SPECIAL:
        return _NAMED.get(text, _SPECIAL.get(text))
    if text.startswith("<"):
        raise ValueError(f"{text} is no literal")
    return literal_eval(text)


def _key(value: Any) -> Any:
    return tuple(map(_key, value)) if isinstance(value, list) else value


def _listed(value: Any) -> Any:
    """An expected value with lists for tuples."""
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    if isinstance(value, dict):
        return {_key(_listed(key)): _listed(item) for key, item in value.items()}
    return {_key(_listed(item)) for item in value} if isinstance(value, set | frozenset) else value


def _with_runes(wanted: Any, found: Any) -> Any:
    """An expected value with numbers for characters of Go (`'a'` is 97) where the value has a number."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        has_numbers = all(_is_number(key) for key in found)
        return {_with_runes(key, 0 if has_numbers else key): value for key, value in wanted.items()}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [_with_runes(*pair) for pair in zip(wanted, found, strict=True)]
    return ord(wanted) if isinstance(wanted, str) and len(wanted) == 1 and _is_number(found) else wanted


def _same(found: Any, wanted: Any, tolerance: float, has_short_floats: bool) -> bool:
    if isinstance(wanted, list) and isinstance(found, list):
        pairs = zip(found, wanted, strict=False)
        return len(found) == len(wanted) and all(_same(*pair, tolerance, has_short_floats) for pair in pairs)
    if isinstance(found, dict) and isinstance(wanted, list) and all(_is_pair(item) for item in wanted):
        wanted = {_key(key): value for key, value in wanted}  # braces of C++
    if isinstance(wanted, dict) and isinstance(found, dict):
        is_same_size = found.keys() == wanted.keys()
        return is_same_size and all(_same(found[key], wanted[key], tolerance, has_short_floats) for key in wanted)
    if not (_is_number(wanted) and _is_number(found)):
        return type(found) is type(wanted) and bool(found == wanted)
    is_near = abs(found - wanted) <= tolerance if tolerance else False
    return found == wanted or is_near or (has_short_floats and found == _shortened(wanted))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shortened(number: float) -> float:
    """A number as a float of 32 bits."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.inf
