"""Draws values: `make` draws a value of a type, with or without limits. Source text is written elsewhere.

Types are those of `kinds`, kinds of texts (`sentence`, `path`, ...) and containers (`grid`, `dag`, ...), and types
that depend on earlier arguments (`char`, `prefix`, `member`, ...). `arguments` draws the values of one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from worldline.programs.generate.language.construction import SPANS, Construction
from worldline.programs.generate.values import awkward, containers, numbers, related, texts

_LENGTHS = (0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 8, 9, 10, 12)
_ANY = ("int", "str", "float", "bool", "ints", "strs", "tup", "counts")
_CHARSETS = (
    "aeiou",
    "aeiou",
    "AEIOU",
    "aeiouAEIOU",
    "0123456789",
    ".,!?",
    ".,;:!?",
    "abc",
    "xyz",
    "+-*/",
    "()[]",
    " -_",
)


def length(rng: Random, *, empty: bool = True) -> int:
    """Draw the number of elements of a container: 0 to 12, rarely up to 30."""
    if rng.random() < 0.02:
        return rng.randint(13, 30)
    return rng.choice(_LENGTHS) if empty else rng.choice(_LENGTHS[1:])


def _between(rng: Random, limits: Sequence[str]) -> int:
    """Draw a length between the limits, rather long than short, because one element shows little."""
    drawn = rng.randint(int(limits[0]), int(limits[1]))
    return drawn if rng.random() < 0.4 else max(drawn, rng.randint(int(limits[0]), int(limits[1])))


def make(scope: Construction, kind: str, limits: Sequence[str] = ()) -> Any:
    """Draw a value of a type.

    Args:
        scope: The program under construction.
        kind: The type; a trailing `!` excludes empty values.
        limits: Minimum and maximum length, then those of the elements; for a number, of the number itself.
    """
    rng = scope.rng
    full = kind.endswith("!")
    bare = kind[:-1] if full else kind
    sized = containers.CONTAINERS.get(bare)
    if sized is not None:
        maker, max_length = sized
        count = _between(rng, limits) if limits else min(length(rng, empty=not full), max_length)
        return maker(scope, count, limits)
    if bare == "str":
        return _text(scope, full=full)
    return SCALARS[bare](scope, limits)


def _text(scope: Construction, *, full: bool) -> str:
    rng = scope.rng
    if not full and rng.random() < 0.05:
        return ""
    container = scope.passed_values[0] if scope.passed_values else None
    if isinstance(container, list | dict) and rng.random() < 0.25:
        strings = [element for element in container if isinstance(element, str) and element]
        if strings:
            return rng.choice(strings)
    return texts.text(rng)


def _charset(scope: Construction) -> str:
    """Draw several characters, to test membership or to strip."""
    source = related.first_text(scope.passed_values)
    if source and scope.rng.random() < 0.35:
        return "".join(scope.rng.choice(source) for _ in range(scope.rng.randint(2, 4)))
    return scope.rng.choice(_CHARSETS)


def _phrase(scope: Construction, limits: Sequence[str]) -> str:
    return texts.phrase(scope.rng, *(int(limit) for limit in limits))


def _letters(scope: Construction, limits: Sequence[str]) -> str:
    return texts.few_letters(scope.rng, *(int(limit) for limit in limits))


def _rng(maker: Callable[[Random], Any]) -> Callable[[Construction, Sequence[str]], Any]:
    return lambda scope, _: maker(scope.rng)


def _scope(maker: Callable[[Construction], Any]) -> Callable[[Construction, Sequence[str]], Any]:
    return lambda scope, _: maker(scope)


def _choice(values: tuple[Any, ...]) -> Callable[[Construction, Sequence[str]], Any]:
    return lambda scope, _: scope.rng.choice(values)


SCALARS: dict[str, Callable[[Construction, Sequence[str]], Any]] = {
    **{name: _rng(maker) for name, maker in texts.TEXTS.items()},
    **{name: _choice(values) for name, values in numbers.CHOICES.items()},
    **{
        maker.__name__: _scope(maker)
        for maker in (
            related.char,
            related.sub,
            related.substring,
            related.prefix,
            related.suffix,
            related.variant,
            related.rotated,
            related.place,
            related.within,
            related.width,
            related.substitutions,
            related.glossary,
            related.member,
        )
    },
    **{
        maker.__name__: _rng(maker)
        for maker in (awkward.haystack, awkward.far, awkward.escaped, awkward.broken, awkward.knot)
    },
    "sep": _scope(related.separator),
    "idx": _scope(related.index),
    "maybe": lambda scope, _: related.member(scope, 0.75),
    "int": numbers.argument,
    "num": _scope(numbers.of_span),
    "low": lambda scope, _: numbers.threshold(scope, high=False),
    "high": lambda scope, _: numbers.threshold(scope, high=True),
    "float": lambda scope, limits: numbers.real(scope.rng, limits),
    "long": lambda scope, _: scope.rng.randint(0, 10 ** scope.rng.randint(1, 5)),
    "few": lambda scope, _: [scope.rng.randint(-9, 30) for _ in range(scope.rng.choice((0, 1, 2, 3, 3, 4, 4)))],
    "none": lambda scope, _: None,
    "any": lambda scope, _: make(scope, scope.rng.choice(_ANY)),
    "rec": lambda scope, _: (texts.word(scope.rng), numbers.integer(scope.rng)),
    "scalar": _scope(containers.scalar),
    "charset": _scope(_charset),
    "phrase": _phrase,
    "letters": _letters,
    "nest": lambda scope, _: containers.nest(scope.rng),
    "tree": lambda scope, _: containers.tree(scope.rng),
    "grid": _rng(containers.grid),
    "graph": _rng(containers.graph),
    "records": containers.records,
}


def has(kind: str) -> bool:
    """Return whether `make` knows the type."""
    bare = kind.rstrip("!")
    return bare == "str" or bare in SCALARS or bare in containers.CONTAINERS


def value(rng: Random, kind: str) -> Any:
    """Draw a value of the type on its own."""
    return make(Construction(rng, span=rng.choice(SPANS)), kind)


def arguments(rng: Random, kinds: Sequence[str]) -> list[Any]:
    """Draw one value per type; texts, indexes and keys mostly occur in an earlier container."""
    scope = Construction(rng, span=rng.choice(SPANS))
    for kind in kinds:
        scope.passed_values.append(make(scope, kind))
    return scope.passed_values
