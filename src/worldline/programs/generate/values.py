"""Values of a type: the arguments that generated functions are called with, and the literals inside them.

Types are short words: `int` (any), `cnt` (0 to some dozens), `small` (1 to 5), `pos` (never 0), `idx` (an index into
an earlier argument), `float bool str char sub sep bytes`, lists `ints strs floats lists pairs people` (dicts of a name
and an age), `rec` (a text and an int), `tup` (of ints), dicts `counts` (str: int), `names` (str: str), `groups` (str:
list of ints), `table` (int: str), sets `iset sset`; for drills and sketches `word digits hexes long few rising nest`,
and `member` (occurs in an earlier argument). A `!` after a type that has a length says: never empty. No source text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from worldline.programs.generate import words

_LENGTHS = (0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 8, 9, 10, 12)


def integer(rng: Random) -> int:
    """An int as programs meet them: mostly small, some negative, some of several digits."""
    roll = rng.random()
    if roll < 0.45:
        return rng.randint(0, 12)
    if roll < 0.62:
        return rng.randint(-20, 99)
    if roll < 0.78:
        return rng.randint(10, 200)
    if roll < 0.86:
        return -rng.randint(1, 300)
    if roll < 0.97:
        return rng.randint(100, 10 ** rng.randint(3, 6))
    return rng.randint(-(10**12), 10**12)


def real(rng: Random) -> float:
    """A float with few decimals, mostly."""
    roll = rng.random()
    if roll < 0.4:
        return rng.randint(-20, 200) / 2
    if roll < 0.7:
        return round(rng.uniform(-10, 100), rng.randint(1, 2))
    if roll < 0.85:
        return float(rng.randint(-9, 100))
    if roll < 0.95:
        return round(rng.uniform(0, 1), 3)
    return rng.uniform(-1e4, 1e4)


def length(rng: Random, *, empty: bool = True) -> int:
    """How many elements a container has: 0 to 12, a few up to 30."""
    if rng.random() < 0.02:
        return rng.randint(13, 30)
    return rng.choice(_LENGTHS) if empty else rng.choice(_LENGTHS[1:])


def _ints(rng: Random, count: int) -> list[int]:
    roll = rng.random()
    if roll < 0.35:
        return [rng.randint(0, 10) for _ in range(count)]
    if roll < 0.5:
        return [rng.randint(-10, 10) for _ in range(count)]
    if roll < 0.65:
        return [rng.randint(1, 100) for _ in range(count)]
    if roll < 0.75:
        start = rng.randint(0, 5)
        return list(range(start, start + count))
    if roll < 0.85:
        few = [rng.randint(0, 9) for _ in range(3)]
        return [rng.choice(few) for _ in range(count)]
    if roll < 0.92:
        return sorted(rng.randint(0, 50) for _ in range(count))
    return [integer(rng) for _ in range(count)]


def _strs(rng: Random, count: int) -> list[str]:
    roll = rng.random()
    if roll < 0.5:
        return [words.word(rng) for _ in range(count)]
    if roll < 0.65:
        return [words.letters(rng, rng.randint(1, 3)) for _ in range(count)]
    if roll < 0.75:
        return [str(rng.randint(0, 300)) for _ in range(count)]
    if roll < 0.85:
        few = [words.word(rng) for _ in range(3)]
        return [rng.choice(few) for _ in range(count)]
    if roll < 0.92:
        return [words.word(rng) if rng.random() < 0.8 else "" for _ in range(count)]
    return [words.text(rng)[:20] for _ in range(count)]


def _key(rng: Random) -> str:
    return words.word(rng) if rng.random() < 0.7 else words.letters(rng, rng.randint(1, 2))


def _bytes(rng: Random, count: int) -> bytes:
    if rng.random() < 0.7:
        return words.text(rng).encode()[:24] or b"ab"
    return bytes(rng.randrange(256) for _ in range(max(count, 1)))


def _nested(rng: Random, depth: int) -> list[Any]:
    count = rng.choice((0, 1, 2, 2, 3))
    return [
        _nested(rng, depth - 1) if depth > 1 and rng.random() < 0.4 else rng.randint(0, 20)
        for _ in range(count)
    ]


def value(rng: Random, kind: str) -> Any:
    """A value of the type."""
    full = kind.endswith("!")
    kind = kind.rstrip("!")
    maker = _SCALARS.get(kind)
    if maker is not None:
        if kind == "str" and not full and rng.random() < 0.06:
            return ""
        return maker(rng)
    return _SIZED[kind](rng, length(rng, empty=not full))


_SCALARS: dict[str, Callable[[Random], Any]] = {
    "int": integer,
    "cnt": lambda rng: rng.choice((0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12)),
    "small": lambda rng: rng.choice((1, 2, 2, 2, 3, 3, 3, 4, 5)),
    "pos": lambda rng: rng.choice((2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 10, 10, 12, 16, 60, 97, 100)),
    "idx": lambda rng: rng.choice((0, 0, 1, 1, 2, 2, 3, -1, -2)),
    "float": real,
    "bool": lambda rng: rng.random() < 0.5,
    "str": words.text,
    "char": words.character,
    "sub": lambda rng: words.letters(rng, rng.randint(1, 3)) if rng.random() < 0.6 else words.word(rng),
    "sep": lambda rng: rng.choice(words.SEPARATORS),
    "rec": lambda rng: (words.word(rng), integer(rng)),
    "any": lambda rng: value(
        rng, rng.choice(("int", "str", "float", "bool", "ints", "strs", "tup", "counts"))
    ),
    "member": lambda rng: words.character(rng),
    "none": lambda rng: None,
    "word": words.word,
    "digits": lambda rng: str(rng.randint(0, 10 ** rng.randint(1, 5))),
    "hexes": lambda rng: f"{rng.randrange(65536):x}",
    "long": lambda rng: rng.randint(0, 10 ** rng.randint(1, 5)),
    "few": lambda rng: [rng.randint(-9, 30) for _ in range(rng.choice((0, 1, 2, 3, 3, 4, 4)))],
    "rising": lambda rng: sorted(rng.sample(range(40), rng.choice((0, 1, 2, 3, 3, 4)))),
    "nest": lambda rng: _nested(rng, 3),
}
_SIZED: dict[str, Callable[[Random, int], Any]] = {
    "bytes": _bytes,
    "ints": _ints,
    "strs": _strs,
    "floats": lambda rng, n: [real(rng) for _ in range(min(n, 8))],
    "lists": lambda rng, n: [_ints(rng, rng.choice((0, 1, 2, 2, 3, 3, 4))) for _ in range(min(n, 5))],
    "pairs": lambda rng, n: [(_key(rng), rng.randint(0, 100)) for _ in range(min(n, 6))],
    "people": lambda rng, n: [{"name": words.word(rng), "age": rng.randint(1, 90)} for _ in range(min(n, 4))],
    "tup": lambda rng, n: tuple(_ints(rng, min(n, 6))),
    "counts": lambda rng, n: {_key(rng): integer(rng) for _ in range(min(n, 6))},
    "names": lambda rng, n: {_key(rng): words.word(rng) for _ in range(min(n, 5))},
    "groups": lambda rng, n: {_key(rng): _ints(rng, rng.randint(0, 4)) for _ in range(min(n, 4))},
    "table": lambda rng, n: {rng.randint(0, 12): words.word(rng) for _ in range(min(n, 6))},
    "iset": lambda rng, n: set(_ints(rng, n)),
    "sset": lambda rng, n: set(_strs(rng, min(n, 6))),
}


def _related(rng: Random, kind: str, earlier: Sequence[Any]) -> Any:
    """A value that occurs in an earlier argument, as callers mostly pass one; None where there is none."""
    for other in reversed(earlier):
        if kind == "idx" and isinstance(other, (str, list, tuple, bytes)) and other:
            return rng.randrange(len(other)) if rng.random() < 0.8 else -rng.randint(1, len(other))
        if kind == "member" and other and isinstance(other, (list, tuple, set, dict)):
            return rng.choice(sorted(other) if isinstance(other, set) else list(other))
        if isinstance(other, (str, bytes)) and other:
            at = rng.randrange(len(other))
            if kind == "member":
                return other[at : at + rng.choice((1, 1, 2, 3))]
            if isinstance(other, bytes):
                continue
            if kind == "char":
                return other[at]
            if kind == "sep":
                found = [sep for sep in words.SEPARATORS if sep in other]
                return rng.choice(found) if found else other[at]
            if kind == "sub":
                return other[at : at + rng.randint(1, 4)]
        elif kind == "int" and isinstance(other, (list, tuple)) and other and isinstance(other[0], int):
            return rng.choice(other)
        elif kind in ("sub", "str", "char") and isinstance(other, (list, dict)) and other:
            found = [item for item in other if isinstance(item, str)]
            if found and kind != "char":
                return rng.choice(found)
    return None


# How often an argument is taken out of an earlier one.
_CHANCES = {"char": 0.75, "sub": 0.75, "sep": 0.75, "idx": 1.0, "int": 0.4, "str": 0.25, "member": 0.96}


def arguments(rng: Random, kinds: Sequence[str]) -> list[Any]:
    """One value for each type; texts, indexes and keys mostly occur in the container passed before them."""
    out: list[Any] = []
    for kind in kinds:
        found = None
        bare = kind.rstrip("!")
        if bare in _CHANCES and rng.random() < _CHANCES[bare]:
            found = _related(rng, bare, out)
        out.append(value(rng, kind) if found is None or found == "" else found)
    return out
