"""Where two values part: the first element that differs, level by level, and inside a text the character.

It works on canonical text by `core.value_parts` and evaluates nothing. Sets part in what one of them lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.core.malformed import Malformed
from worldline.core.spelling import quote
from worldline.core.value import canonical, equal
from worldline.core.value_parts import ValueParts, split

DEEPEST = 64  # levels that are followed; each costs a pass over the value


@dataclass(frozen=True)
class ValueDifference:
    """The place where two values part: the way there (`[3]['k'].x`), the character, both sides (None: absent)."""

    path: str
    at: int | None
    wanted: str | None
    got: str | None


def difference(wanted: str, got: str) -> ValueDifference | None:
    """Where two values part; None for equal ones. Text that is no value parts as a whole."""
    if wanted == got or equal(wanted, got):
        return None
    one, other = canonical(wanted), canonical(got)
    if isinstance(one, Malformed) or isinstance(other, Malformed):
        return ValueDifference("", None, wanted, got)
    path = ""
    for _ in range(DEEPEST):
        step = _step(one, other)
        if step is None:
            return ValueDifference(path, None, one, other)
        way, at, left, right = step
        path += way
        if at is not None or left is None or right is None or not way:
            return ValueDifference(path, at, left, right)
        one, other = left, right
    return ValueDifference(path, None, one, other)


_Step = tuple[str, int | None, str | None, str | None]


def _step(one: str, other: str) -> _Step | None:
    """One level further: the way, the character, and both sides; None where nothing inside can be compared."""
    was, now = split(one), split(other)
    if was is None or now is None or was.kind != now.kind:
        return None
    if isinstance(was.items, (str, bytes)):
        return _character(was.items, now.items)
    if was.keys is not None and now.keys is not None:
        return _key(was, now)
    if was.kind in ("set", "frozenset"):
        return _element(was.items, now.items)
    return _index(was.items, now.items)


def _character(one: str | bytes, other: Sequence[str] | str | bytes) -> _Step:
    pairs = enumerate(zip(one, other, strict=False))
    at = next((i for i, (left, right) in pairs if left != right), min(len(one), len(other)))
    return "", at, _text(one[at : at + 1]), _text(other[at : at + 1])


def _text(piece: Sequence[str] | str | bytes) -> str | None:
    if not piece:
        return None
    return quote(piece) if isinstance(piece, str) else repr(piece)


def _key(was: ValueParts, now: ValueParts) -> _Step | None:
    form = "[%s]" if was.kind == "dict" else ".%s"
    left = dict(zip(was.keys or (), map(str, was.items), strict=True))
    right = dict(zip(now.keys or (), map(str, now.items), strict=True))
    for key in [*left, *(key for key in right if key not in left)]:
        mine, yours = left.get(key), right.get(key)
        if mine != yours and not (mine is not None and yours is not None and equal(mine, yours)):
            return form % key, None, mine, yours
    return None


def _element(one: Sequence[str], other: Sequence[str] | str | bytes) -> _Step | None:
    left, right = set(one), set(map(str, other))
    mine = next((item for item in one if item not in right), None)
    yours = next((item for item in map(str, other) if item not in left), None)
    return None if mine is None and yours is None else ("", None, mine, yours)


def _index(one: Sequence[str], other: Sequence[str] | str | bytes) -> _Step | None:
    for i, (left, right) in enumerate(zip(one, map(str, other), strict=False)):
        if left != right and not equal(left, right):
            return f"[{i}]", None, left, right
    if len(one) == len(other):
        return None
    at = min(len(one), len(other))
    longer = str(one[at] if len(one) > at else other[at])
    return (f"[{at}]", None, longer, None) if len(one) > at else (f"[{at}]", None, None, longer)
