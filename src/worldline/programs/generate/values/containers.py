"""Draws lists, tuples, dicts, sets, records, grids and graphs of a given size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from worldline.programs.generate.language.construction import SPANS, Construction
from worldline.programs.generate.language.library import lines
from worldline.programs.generate.values import texts
from worldline.programs.generate.values.numbers import integer, of_span, real

SizeLimits = Sequence[str]


@cache
def _families() -> tuple[tuple[str, ...], ...]:
    """Keys that go together in one dict."""
    return tuple(tuple(line.split()) for line in lines("vocabulary/keys"))


def keys(rng: Random, count: int) -> list[str]:
    """Draw at most `count` different keys of one family, or just words."""
    if rng.random() < 0.5:
        family = rng.choice(_families())
        return rng.sample(family, min(len(family), count))
    drawn = (texts.word(rng) if rng.random() < 0.7 else texts.letters(rng, rng.randint(1, 2)) for _ in range(count))
    return list(dict.fromkeys(drawn))


def spanned(scope: Construction, count: int, limits: SizeLimits = ()) -> list[int]:
    """Draw integers between the limits, or of the program's span."""
    rng = scope.rng
    style = (int(limits[0]), int(limits[1])) if limits else scope.span if rng.random() < 0.8 else rng.choice(SPANS)
    numbers = [rng.randint(*style) for _ in range(count)]
    if count > 2 and rng.random() < 0.25:
        numbers[rng.randrange(count)] = numbers[0]
    return numbers


def ints(scope: Construction, count: int, limits: SizeLimits = ()) -> list[int]:
    """Draw integers of one style: small, signed, rising, repeated, long."""
    rng = scope.rng
    roll = rng.random()
    if limits or roll < 0.15:
        return spanned(scope, count, limits[2:])
    if roll < 0.4:
        return [rng.randint(0, 10) for _ in range(count)]
    if roll < 0.53:
        return [rng.randint(-10, 10) for _ in range(count)]
    if roll < 0.66:
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


def strs(scope: Construction, count: int, limits: SizeLimits = ()) -> list[str]:
    """Draw texts of one style: words, letters, numbers, repeated ones, some empty, any."""
    rng = scope.rng
    roll = rng.random()
    if roll < 0.5:
        return words(scope, count)
    if roll < 0.62:
        return [texts.letters(rng, rng.randint(1, 3)) for _ in range(count)]
    if roll < 0.72:
        return [str(rng.randint(0, 300)) for _ in range(count)]
    if roll < 0.82:
        few = [texts.word(rng) for _ in range(3)]
        return [rng.choice(few) for _ in range(count)]
    if roll < 0.9:
        return [texts.word(rng) if rng.random() < 0.8 else "" for _ in range(count)]
    return [texts.text(rng)[:20] for _ in range(count)]


def words(scope: Construction, count: int, limits: SizeLimits = ()) -> list[str]:
    """Words, sometimes one of them twice; none is empty."""
    rng = scope.rng
    drawn = [texts.word(rng) for _ in range(count)]
    if count > 2 and rng.random() < 0.35:
        drawn[-1] = rng.choice(drawn)
    return drawn


def scalar(scope: Construction) -> Any:
    """Draw any plain value."""
    rng = scope.rng
    roll = rng.randrange(7)
    if roll < 3:
        return of_span(scope)
    return texts.word(rng) if roll < 5 else rng.choice((None, True, False, 1.5, 0.0, -2.5, "", 3.14))


def _bytes(scope: Construction, count: int, limits: SizeLimits) -> bytes:
    rng = scope.rng
    if rng.random() < 0.7:
        return texts.text(rng).encode()[:24] or b"ab"
    return bytes(rng.randrange(256) for _ in range(max(count, 1)))


def _floats(scope: Construction, count: int, limits: SizeLimits) -> list[float]:
    rng = scope.rng
    if rng.random() < 0.5:
        return [real(rng) for _ in range(count)]
    decimals = rng.choice((1, 1, 2))
    return [round(rng.uniform(-9, 50), decimals) for _ in range(count)]


def _matrix(scope: Construction, count: int, limits: SizeLimits) -> list[list[int]]:
    width = scope.rng.randint(1, 4)
    style = ("0", "9") if scope.rng.random() < 0.3 else ()
    return [spanned(scope, width, style) for _ in range(count)]


def _pairs(scope: Construction, count: int, limits: SizeLimits) -> list[tuple[str, int]]:
    rng = scope.rng
    few = keys(rng, rng.randint(2, 4)) if rng.random() < 0.6 else keys(rng, max(count, 1))
    return [(rng.choice(few), of_span(scope)) for _ in range(count)]


def _counts(scope: Construction, count: int, limits: SizeLimits) -> dict[str, int]:
    rng = scope.rng
    low, high = (int(limits[2]), int(limits[3])) if limits[2:] else scope.span
    if not limits and rng.random() < 0.6:
        return {key: integer(rng) for key in keys(rng, count)}
    return {key: rng.randint(low, high) for key in keys(rng, count)}


def _table(scope: Construction, count: int, limits: SizeLimits) -> dict[int, Any]:
    rng = scope.rng
    return {rng.randint(0, 12): texts.word(rng) for _ in range(count)}


def _codes(scope: Construction, count: int, limits: SizeLimits) -> dict[int, Any]:
    has_words = scope.rng.random() < 0.5
    return {key: texts.word(scope.rng) if has_words else of_span(scope) for key in spanned(scope, count)}


def _people(scope: Construction, count: int, limits: SizeLimits) -> list[dict[str, Any]]:
    return [{"name": texts.word(scope.rng), "age": scope.rng.randint(1, 90)} for _ in range(count)]


def _spans(scope: Construction, count: int, limits: SizeLimits) -> list[Any]:
    rng = scope.rng
    starts = [rng.randint(0, 15) for _ in range(count)]
    pairs = [(start, start + rng.randint(1, 6)) for start in starts]
    return list(pairs) if rng.random() < 0.5 else [list(span) for span in pairs]


def _dag(scope: Construction, count: int, limits: SizeLimits) -> dict[str, list[str]]:
    """What each depends on: something that comes before it."""
    rng = scope.rng
    names = list(dict.fromkeys([*keys(rng, count), "a", "b", "c"]))[: max(count, 3)]
    dependencies = [(name, rng.sample(names[:at], min(at, rng.randint(0, 2)))) for at, name in enumerate(names)]
    rng.shuffle(dependencies)
    return dict(dependencies)


def _kin(scope: Construction, count: int, limits: SizeLimits) -> list[str]:
    """Draw words that begin alike."""
    rng = scope.rng
    stem = texts.plain(rng)[: rng.randint(2, 5)]
    return [stem + rng.choice(("", "s", "er", "ing", "ed", texts.plain(rng))) for _ in range(count)]


# By type: the maker, and the greatest length where none is told.
CONTAINERS: dict[str, tuple[Callable[[Construction, int, SizeLimits], Any], int]] = {
    "ints": (ints, 30),
    "strs": (strs, 30),
    "words": (words, 7),
    "chars": (lambda scope, n, _: list(texts.text(scope.rng)[:n]), 10),
    "kin": (_kin, 4),
    "bytes": (_bytes, 30),
    "floats": (_floats, 8),
    "rising": (lambda scope, n, limits: sorted(ints(scope, n, limits)), 6),
    "scalars": (lambda scope, n, _: [scalar(scope) for _ in range(n)], 6),
    "lists": (lambda scope, n, _: [ints(scope, scope.rng.choice((0, 1, 2, 2, 3, 3, 4))) for _ in range(n)], 5),
    "matrix": (_matrix, 3),
    "square": (lambda scope, n, _: [spanned(scope, n, ("0", "9")) for _ in range(n)], 3),
    "pairs": (_pairs, 6),
    "points": (lambda scope, n, _: [(scope.rng.randint(-5, 9), scope.rng.randint(-5, 9)) for _ in range(n)], 5),
    "spans": (_spans, 5),
    "people": (_people, 4),
    "tup": (lambda scope, n, limits: tuple(ints(scope, n, limits)), 6),
    "counts": (_counts, 6),
    "names": (lambda scope, n, _: {key: texts.word(scope.rng) for key in keys(scope.rng, n)}, 5),
    "record": (lambda scope, n, _: {key: texts.short(scope.rng) for key in keys(scope.rng, n)}, 4),
    "groups": (lambda scope, n, _: {key: ints(scope, scope.rng.randint(0, 4)) for key in keys(scope.rng, n)}, 4),
    "table": (_table, 6),
    "codes": (_codes, 5),
    "iset": (lambda scope, n, limits: set(ints(scope, n, limits)), 30),
    "sset": (lambda scope, n, _: set(strs(scope, n)), 6),
    "dag": (_dag, 5),
}


def nest(rng: Random, depth: int = 3) -> list[Any]:
    """Draw lists in lists of small numbers."""
    return [
        nest(rng, depth - 1) if depth > 1 and rng.random() < 0.4 else rng.randint(0, 20)
        for _ in range(rng.choice((0, 1, 2, 2, 3)))
    ]


def tree(rng: Random, depth: int = 2) -> dict[str, Any]:
    """Draw dicts in dicts, with numbers in the end; never empty."""
    return {
        key: tree(rng, depth - 1) if depth and rng.random() < 0.5 else rng.randint(0, 50)
        for key in keys(rng, rng.randint(1, 3))
    }


def grid(rng: Random) -> list[list[int]]:
    """Draw rows of zeros and ones."""
    rows, width = rng.randint(2, 4), rng.randint(2, 4)
    return [[int(rng.random() < 0.4) for _ in range(width)] for _ in range(rows)]


def graph(rng: Random) -> dict[Any, list[Any]]:
    """Draw a graph: each node's neighbours."""
    nodes: list[Any] = list("ABCDEF"[: rng.randint(3, 5)]) if rng.random() < 0.6 else list(range(4))
    return {node: rng.sample(nodes, rng.randint(0, 2)) for node in nodes}


def records(scope: Construction, fields: SizeLimits) -> list[dict[str, Any]]:
    """Draw rows of two fields: the first holds words, the second numbers."""
    rng = scope.rng
    few = keys(rng, 4)
    return [{fields[0]: rng.choice(few), fields[1]: rng.randint(1, 60)} for _ in range(rng.randint(1, 4))]
