"""Where two values differ: the first different element, level by level, and in a string the character.

Works on canonical text (`core.value_parts`) and evaluates nothing. Sets differ in an element that one of them
lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.core.malformed import Malformed
from worldline.core.spelling import quote
from worldline.core.value import canonical, equal
from worldline.core.value_parts import ValueParts, split

MAX_DEPTH = 64  # each level costs a pass over the value


@dataclass(frozen=True)
class ValueDifference:
    """Where two values differ: the path (`[3]['k'].x`), the character, and both sides (None: absent)."""

    path: str
    at: int | None
    wanted: str | None
    got: str | None


def same_value(first: str, second: str) -> bool:
    """Tell whether two texts are the same value, or the same text that is not a value."""
    return first == second or equal(first, second)


def difference(wanted: str, got: str) -> ValueDifference | None:
    """Find where two values differ; None if they are equal. Text that is not a value differs as a whole."""
    if same_value(wanted, got):
        return None
    left, right = canonical(wanted), canonical(got)
    if isinstance(left, Malformed) or isinstance(right, Malformed):
        return ValueDifference("", None, wanted, got)
    path = ""
    for _ in range(MAX_DEPTH):
        step = _step(left, right)
        if step is None:
            return ValueDifference(path, None, left, right)
        key, at, left_part, right_part = step
        path += key
        if at is not None or left_part is None or right_part is None or not key:
            return ValueDifference(path, at, left_part, right_part)
        left, right = left_part, right_part
    return ValueDifference(path, None, left, right)


_Step = tuple[str, int | None, str | None, str | None]


def _step(left: str, right: str) -> _Step | None:
    """One level down: the key, the character and both sides; None if the values cannot be compared inside."""
    left_parts, right_parts = split(left), split(right)
    if left_parts is None or right_parts is None or left_parts.kind != right_parts.kind:
        return None
    if isinstance(left_parts.items, (str, bytes)):
        return _character(left_parts.items, right_parts.items)
    if left_parts.keys is not None and right_parts.keys is not None:
        return _key(left_parts, right_parts)
    if left_parts.kind in ("set", "frozenset"):
        return _element(left_parts.items, right_parts.items)
    return _index(left_parts.items, right_parts.items)


def _character(left: str | bytes, right: Sequence[str] | str | bytes) -> _Step:
    pairs = enumerate(zip(left, right, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))
    return "", at, _text(left[at : at + 1]), _text(right[at : at + 1])


def _text(piece: Sequence[str] | str | bytes) -> str | None:
    if not piece:
        return None
    return quote(piece) if isinstance(piece, str) else repr(piece)


def _key(left_parts: ValueParts, right_parts: ValueParts) -> _Step | None:
    form = "[%s]" if left_parts.kind == "dict" else ".%s"
    left = dict(zip(left_parts.keys or (), map(str, left_parts.items), strict=True))
    right = dict(zip(right_parts.keys or (), map(str, right_parts.items), strict=True))
    for key in [*left, *(key for key in right if key not in left)]:
        left_value, right_value = left.get(key), right.get(key)
        if left_value != right_value and not (
            left_value is not None and right_value is not None and equal(left_value, right_value)
        ):
            return form % key, None, left_value, right_value
    return None


def _element(left_items: Sequence[str], right_items: Sequence[str] | str | bytes) -> _Step | None:
    left, right = set(left_items), set(map(str, right_items))
    only_left = next((item for item in left_items if item not in right), None)
    only_right = next((item for item in map(str, right_items) if item not in left), None)
    return None if only_left is None and only_right is None else ("", None, only_left, only_right)


def _index(left_items: Sequence[str], right_items: Sequence[str] | str | bytes) -> _Step | None:
    for i, (left, right) in enumerate(zip(left_items, map(str, right_items), strict=False)):
        if left != right and not equal(left, right):
            return f"[{i}]", None, left, right
    if len(left_items) == len(right_items):
        return None
    at = min(len(left_items), len(right_items))
    longer = str(left_items[at] if len(left_items) > at else right_items[at])
    return (f"[{at}]", None, longer, None) if len(left_items) > at else (f"[{at}]", None, None, longer)
