"""Literals inside code: short, and mostly in the common spelling."""

from __future__ import annotations

from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.values import make, texts
from worldline.programs.generate.values.spelling import plain, spell

_INTS = (0, 1, 1, 2, 2, 3, 4, 5, 5, 7, 10, 10, 12, 20, 50, 100, -1)
_WIDTHS = (4, 5, 6, 8, 8, 10, 10, 12, 15, 20)
_SHORT = frozenset(("ints", "strs", "tup", "iset", "sset", "floats"))
_PLAIN = frozenset(("lists", "groups", "counts", "names", "pairs"))


def literal(scope: Construction, kind: str, *, odd: float = 0.08) -> str:
    """Write a literal of the type; with probability `odd` in a less common spelling."""
    rng = scope.rng
    if kind == "width":
        return str(rng.choice(_WIDTHS))
    if kind == "byte":
        return repr(texts.character(rng).encode())
    if kind == "pairs2":
        count = rng.randint(1, 3)
        return f"{texts.letters(rng, count)!r}, {texts.letters(rng, count, 'xyz123-_*')!r}"
    bare = kind.rstrip("!")
    if bare == "int":
        return spell(rng, rng.choice(_INTS), odd=odd / 2)
    if bare == "str":
        roll = rng.random()
        value = texts.word(rng) if roll < 0.75 else texts.phrase(rng, 2, 2) if roll < 0.9 else texts.character(rng)
        return spell(rng, value, odd=odd)
    value = make(scope, bare + "!" if bare in _SHORT else kind)
    while bare in _SHORT and len(value) > 5:
        value = make(scope, bare + "!")
    return plain(value) if bare in _PLAIN else spell(rng, value, odd=odd)
