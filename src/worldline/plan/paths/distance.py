"""The distance of two inputs, the neighbours of an input, and the values between two: no program is executed.

An input is a list of arguments. Each is a literal, or stays text if it is not one.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

TYPE_DISTANCE = 8.0  # between values of different types
INSERT_COST = 4.0  # of one element
MAX_PLACES = 8  # changed in a text or list
INTEGER_STEPS = (1, -1, 2, -2, 10, -10)


@dataclass(frozen=True)
class Verbatim:
    """An argument that is not a literal: its text."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class CallArguments:
    """The arguments of a call: their keywords (empty if positional), and their values."""

    words: tuple[str, ...]
    values: tuple[Any, ...]

    @classmethod
    def of(cls, call: str) -> CallArguments | None:
        """Parse a call; None if it is not a plain call, or has starred arguments."""
        try:
            node = ast.parse(call, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        if any(argument.arg is None for argument in node.keywords):
            return None
        words = ("",) * len(node.args) + tuple(argument.arg or "" for argument in node.keywords)
        return cls(words, tuple(map(_value, [*node.args, *(argument.value for argument in node.keywords)])))

    def call(self, name: str) -> str:
        """Return the text of a call with these arguments."""
        pairs = zip(self.words, self.values, strict=True)
        return f"{name}({', '.join(f'{word}={value!r}' if word else repr(value) for word, value in pairs)})"

    def changed(self, place: int, value: Any) -> CallArguments:
        """Return a copy with another value in one place."""
        return CallArguments(self.words, (*self.values[:place], value, *self.values[place + 1 :]))


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Verbatim(ast.unparse(node))


def arguments_distance(left: CallArguments, right: CallArguments) -> tuple[int, float]:
    """Return how many arguments differ, and their total distance."""
    if left.words != right.words:
        return max(len(left.words), len(right.words)), math.inf
    pairs = list(zip(left.values, right.values, strict=True))
    far = [distance(a, b) for a, b in pairs]
    return sum(difference > 0 for difference in far), sum(far)


def distance(left: Any, right: Any) -> float:
    """Return 0 for equal values; grows with the changes that turn one into the other."""
    if type(left) is not type(right):
        return TYPE_DISTANCE
    if isinstance(left, bool) or left is None or isinstance(left, Verbatim):
        return float(left != right)
    if isinstance(left, int | float):
        return _between_numbers(left, right)
    if isinstance(left, str | bytes):
        return _edits(left, right, lambda a, b: float(a != b))
    if isinstance(left, list | tuple):
        return _edits(left, right, distance)
    if isinstance(left, dict):
        shared = left.keys() & right.keys()
        changes = sum(distance(left[key], right[key]) for key in shared)
        return len(left.keys() ^ right.keys()) * INSERT_COST + changes
    return float(len(left ^ right)) if isinstance(left, set | frozenset) else TYPE_DISTANCE


def _between_numbers(left: float, right: float) -> float:
    """Return a logarithmic distance: 3 and 4 are nearer than 3 and 400."""
    if left == right:
        return 0.0
    if isinstance(left, float) and not (math.isfinite(left) and math.isfinite(right)):
        return TYPE_DISTANCE
    try:
        return min(math.log2(1 + abs(left - right)) / 2, TYPE_DISTANCE * 8)
    except OverflowError:
        return TYPE_DISTANCE * 8


def _edits(left: Sequence[Any], right: Sequence[Any], element_distance: Any) -> float:
    """Sum insertions and deletions (`INSERT_COST` each) and changes (1 plus their distance)."""
    keys = [repr(item) for item in left], [repr(item) for item in right]
    total = 0.0
    for _, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if keys[0][a:b] == keys[1][c:d]:
            continue
        pairs = list(zip(left[a:b], right[c:d], strict=False))
        total += sum(1 + element_distance(x, y) for x, y in pairs)
        total += INSERT_COST * (max(b - a, d - c) - len(pairs))
    return total


def neighbours(value: Any, planted: Sequence[Any]) -> Iterator[Any]:
    """Yield neighbours of a value, of the same type, with constants of the source among them."""
    own = [constant for constant in planted if type(constant) is type(value)]
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + step for step in INTEGER_STEPS)
        yield from (constant + step for constant in own for step in (0, 1, -1))
        yield from (0, -value, 2 * value, value // 2)
    elif isinstance(value, float):
        numbers = [float(constant) for constant in planted if isinstance(constant, int | float)]
        yield from (value + step for step in (1.0, -1.0, 0.5, -0.5, 10.0, -10.0))
        yield from (constant + step for constant in numbers for step in (0.0, 0.5, -0.5))
        yield from (0.0, -value, 2 * value)
    elif isinstance(value, str):
        yield from _text_neighbours(value, own)
    elif isinstance(value, list | tuple):
        yield from _item_neighbours(value, planted)
    elif isinstance(value, dict):
        yield from ({k: v for k, v in value.items() if k != key} for key in value)
        yield from ({**value, key: other} for key in value for other in neighbours(value[key], planted))
        if value:
            yield from ({**value, key: next(iter(value.values()))} for key in planted if isinstance(key, str))


def _text_neighbours(text: str, planted: Iterable[str]) -> Iterator[str]:
    letters = dict.fromkeys("".join(planted)[:24] + "a0 A")
    for at in range(min(len(text), MAX_PLACES)):
        yield text[:at] + text[at + 1 :]
        yield from (text[:at] + letter + text[at + 1 :] for letter in letters)
    yield from (text + letter for letter in letters)
    yield from (letter + text for letter in letters)
    for constant in planted:
        yield from (constant, constant + text, text + constant)
    yield from (text.upper(), text.lower(), text + text, "")


def _item_neighbours(items: Any, planted: Sequence[Any]) -> Iterator[Any]:
    kind = type(items)
    elements = list(items)
    for at in range(min(len(elements), MAX_PLACES)):
        yield from (kind([*elements[:at], other, *elements[at + 1 :]]) for other in neighbours(elements[at], planted))
    if kind is list:
        yield from ([*elements[:at], *elements[at + 1 :]] for at in range(min(len(elements), MAX_PLACES)))
        kinds = {type(value) for value in elements} or {type(value) for value in planted}
        own = [value for value in planted if type(value) in kinds]
        yield from ([*elements, value] for value in [*elements[:MAX_PLACES], *own])
        yield from (elements[::-1], [])


def values_between(far: Any, origin: Any) -> Iterator[Any]:
    """Yield values between one and the origin: the origin first, then halves and steps."""
    if distance(far, origin) == 0:
        return
    yield origin
    if type(far) is not type(origin) or isinstance(far, bool):
        return
    if isinstance(far, int):
        yield from ((far + origin) // 2, -(-(far + origin) // 2), far + (1 if origin > far else -1))
    elif isinstance(far, float) and math.isfinite(far + origin):
        yield from ((far + origin) / 2, float(round(far)), round((far + origin) / 2, 1))
    elif isinstance(far, str):
        yield from (far[:at] + far[at + 1 :] for at in range(min(len(far), 3 * MAX_PLACES)))
        same = range(min(len(far), len(origin), 3 * MAX_PLACES))
        yield from (far[:at] + origin[at] + far[at + 1 :] for at in same if far[at] != origin[at])
        yield from (far[: len(far) // 2], far + origin[len(far) :])
    elif isinstance(far, list | tuple):
        kind, elements = type(far), list(far)
        for at in range(min(len(far), len(origin), 3 * MAX_PLACES)):
            yield from (
                kind([*elements[:at], value, *elements[at + 1 :]]) for value in values_between(elements[at], origin[at])
            )
        if kind is list:
            yield from ([*elements[:at], *elements[at + 1 :]] for at in range(min(len(far), 3 * MAX_PLACES)))
            if len(far) < len(origin):
                yield [*elements, *origin[len(far) :]]
    elif isinstance(far, dict):
        yield from ({k: v for k, v in far.items() if k != key} for key in far)
        yield from (
            {**far, key: value} for key in far if key in origin for value in values_between(far[key], origin[key])
        )
