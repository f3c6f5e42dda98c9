"""Values that depend on earlier arguments: a separator or substring mostly occurs in the text it applies to.

Each maker reads the construction's `passed_values`, the arguments drawn so far.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.values import texts

_PREFIXES, _SUFFIXES = ("un", "pre", "#"), ("ing", "s", "!", ".txt")
_HELD = (list, tuple, dict, str, bytes, set)


def first_text(values: list[Any]) -> str:
    """Return the first value with text in it, as text; empty if there is none."""
    for value in values:
        if isinstance(value, str):
            return value
        if isinstance(value, list | tuple | dict) and any(isinstance(part, str) for part in value):
            return "".join(str(part) for part in value)
    return str(values[0]) if values and isinstance(values[0], int) else ""


def latest(values: list[Any]) -> Any:
    """Return the latest non-empty container or text; None if there is none."""
    return next((value for value in reversed(values) if isinstance(value, _HELD) and value), None)


def char(scope: Construction) -> str:
    """Draw one character, mostly of the first text."""
    source = first_text(scope.passed_values)
    if source and scope.rng.random() < 0.75:
        return scope.rng.choice(source)
    return texts.character(scope.rng)


def substring(scope: Construction) -> str:
    """Draw a part of the first text, or another text; it may be empty."""
    return "" if scope.rng.random() < 0.04 else sub(scope)


def sub(scope: Construction) -> str:
    """Draw a part of the first text or an element of the first list, or another text; never empty."""
    rng, values = scope.rng, scope.passed_values
    strings = (
        [element for element in values[0] if isinstance(element, str) and element]
        if values and isinstance(values[0], list | dict)
        else []
    )
    if strings and rng.random() < 0.5:
        return rng.choice(strings)
    source = first_text(values)
    if source and rng.random() < 0.8:
        start = rng.randrange(len(source))
        return source[start : start + rng.randint(1, 4)]
    return texts.letters(rng, rng.randint(1, 3)) if rng.random() < 0.6 else texts.word(rng)


def prefix(scope: Construction) -> str:
    """Draw a prefix of the first text, or another text."""
    rng, source = scope.rng, first_text(scope.passed_values)
    if source and rng.random() < 0.65:
        return source[: rng.randint(1, max(1, min(5, len(source) - 1)))]
    return rng.choice((texts.plain(rng), rng.choice(ascii_lowercase), *_PREFIXES))


def suffix(scope: Construction) -> str:
    """Draw a suffix of the first text, or another text."""
    rng, source = scope.rng, first_text(scope.passed_values)
    if source and rng.random() < 0.65:
        return source[-rng.randint(1, max(1, min(4, len(source) - 1))) :]
    return rng.choice((texts.plain(rng), rng.choice(ascii_lowercase), *_SUFFIXES))


def separator(scope: Construction) -> str:
    """Draw a separator, mostly one that occurs in the first text."""
    rng, source = scope.rng, first_text(scope.passed_values)
    present = [mark for mark in texts.SEPARATORS if mark in source]
    if present and rng.random() < 0.8:
        return rng.choice(present)
    if source and rng.random() < 0.4:
        return rng.choice(source)
    return rng.choice(texts.SEPARATORS)


def variant(scope: Construction) -> str:
    """Draw the first text reordered, changed in a place or in case, or another text."""
    rng, source = scope.rng, first_text(scope.passed_values)
    roll = rng.random()
    if roll < 0.3:
        return "".join(rng.sample(source, len(source)))
    if roll < 0.6 and source:
        place = rng.randrange(len(source))
        return source[:place] + rng.choice(ascii_lowercase) + source[place + 1 :]
    if roll < 0.75:
        return rng.choice((source.swapcase(), source[::-1], source + rng.choice(ascii_lowercase), source[1:], source))
    return texts.short(rng)


def rotated(scope: Construction) -> str:
    """Draw a rotation of the first text, or a variant of it."""
    source = first_text(scope.passed_values)
    if scope.rng.random() < 0.6:
        turn = scope.rng.randint(0, len(source))
        return source[turn:] + source[:turn]
    return variant(scope)


def member(scope: Construction, chance: float = 0.96) -> Any:
    """Draw an element of the latest container or text with probability `chance`, else a similar value."""
    rng, container = scope.rng, latest(scope.passed_values)
    if container is None:
        return texts.character(rng)
    if rng.random() >= chance:
        first = next(iter(container))
        return rng.randint(*scope.span) if isinstance(first, int) else texts.word(rng)
    if isinstance(container, str | bytes):
        start = rng.randrange(len(container))
        return container[start : start + rng.choice((1, 1, 2, 3))]
    return rng.choice(sorted(container) if isinstance(container, set) else list(container))


def index(scope: Construction) -> int:
    """Draw an index into the latest sequence, sometimes from its end."""
    rng, container = scope.rng, latest(scope.passed_values)
    if container is None:
        return rng.choice((0, 0, 1, 1, 2, 2, 3, -1, -2))
    return rng.randrange(len(container)) if rng.random() < 0.8 else -rng.randint(1, len(container))


def place(scope: Construction) -> int:
    """Draw a position in the latest sequence, rarely beyond or before it."""
    rng, container = scope.rng, latest(scope.passed_values)
    size = len(container) if container is not None else 5
    return rng.randint(0, max(0, size - 1)) if rng.random() < 0.85 else rng.choice((-1, -2, size, size + 2))


def within(scope: Construction) -> int:
    """Draw a position in the first value that has a length, from either end, rarely beyond it."""
    rng = scope.rng
    size = next((len(value) for value in scope.passed_values if isinstance(value, _HELD)), 5)
    if rng.random() < 0.1:
        return size + rng.randint(0, 5)
    return rng.randint(0, size) if rng.random() < 0.8 else -rng.randint(1, max(1, size))


def width(scope: Construction) -> int:
    """Draw a width, mostly somewhat more than the first text's."""
    return max(0, len(first_text(scope.passed_values)) + scope.rng.randint(-3, 8))


def substitutions(scope: Construction) -> dict[str, str]:
    """Draw characters of the first text (and others) with what stands for them."""
    rng, source = scope.rng, first_text(scope.passed_values) or "abc"
    keys = [rng.choice(source) for _ in range(rng.randint(1, 3))] + [rng.choice(ascii_lowercase)]
    return {key: rng.choice((rng.choice(ascii_lowercase), rng.choice("@310*_"), key.upper())) for key in keys}


def glossary(scope: Construction) -> dict[str, str]:
    """Draw words of the first text (and others) with words that stand for them."""
    rng = scope.rng
    keys = [rng.choice(first_text(scope.passed_values).split() or ["x"]), texts.plain(rng), texts.plain(rng)]
    return {key: texts.plain(rng) for key in keys}
