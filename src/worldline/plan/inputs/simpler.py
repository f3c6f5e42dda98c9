"""Simplify an input that reaches a goal: shorter texts and containers, numbers nearer to zero, plainer letters.

The order is shortlex, as in Hypothesis: a shorter source text is simpler; of equally long ones, the smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldline.plan.inputs.proposer import InputValues, to_source

_PLAIN = {"0": str.isdigit, "a": str.isalpha, " ": str.isspace}


def simpler_inputs(values: InputValues) -> Iterator[InputValues]:
    """Yield simpler inputs, one value changed in each, large simplifications first."""
    size = _size(values)
    for name, value in values.items():
        for smaller in simpler_values(value):
            candidate = {**values, name: smaller}
            if _size(candidate) < size:
                yield candidate


def _size(values: InputValues) -> tuple[int, str]:
    texts = [to_source(value) or repr(value) for value in values.values()]
    return sum(map(len, texts)), "".join(texts)


def simpler_values(value: Any) -> Iterator[Any]:
    """Yield values of the same type that are shorter, or nearer to zero."""
    if isinstance(value, bool):
        yield from [False] if value else []
    elif isinstance(value, int):
        yield from _simpler_numbers(value)
    elif isinstance(value, float):
        yield from (float(number) for number in (0, 1, int(value), int(value / 2), round(value, 1)))
    elif isinstance(value, str):
        yield from _simpler_texts(value)
    elif isinstance(value, bytes):
        yield from (text.encode("latin-1") for text in _simpler_texts(value.decode("latin-1")))
    elif isinstance(value, list | tuple):
        yield from (type(value)(items) for items in _simpler_items(list(value)))
    elif isinstance(value, dict):
        yield from (dict(pairs) for pairs in _shorter(list(value.items())))
        for key, held in value.items():
            yield from ({**value, key: smaller} for smaller in simpler_values(held))
    elif isinstance(value, set | frozenset):
        yield from (type(value)(items) for items in _shorter(sorted(value, key=repr)))


def _simpler_numbers(value: int) -> Iterator[int]:
    yield from (0, 1, -value, value // 2, value - (value > 0) + (value < 0))
    for digits in range(1, len(str(abs(value)))):  # round numbers
        yield value - value % 10**digits


def _simpler_texts(text: str) -> Iterator[str]:
    yield from ("".join(letters) for letters in _shorter(list(text)))
    for at, letter in enumerate(text):
        for plain, is_like in _PLAIN.items():
            if letter != plain and is_like(letter):
                yield text[:at] + plain + text[at + 1 :]


def _simpler_items(items: list[Any]) -> Iterator[list[Any]]:
    yield from _shorter(items)
    for at, item in enumerate(items):
        yield from ([*items[:at], smaller, *items[at + 1 :]] for smaller in simpler_values(item))


def _shorter(items: list[Any]) -> Iterator[list[Any]]:
    """Yield a list without some of its items: all, then halves, quarters, and so on down to one."""
    if items:
        yield []
    length = len(items) // 2
    while length:
        for start in range(0, len(items), length):
            yield [*items[:start], *items[start + length :]]
        length //= 2
