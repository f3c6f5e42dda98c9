"""Values that trained models often copy or count wrongly: repetitive texts, escapes, other scripts, nested values.

Only drills draw them.
"""

from __future__ import annotations

from random import Random
from typing import Any

from worldline.programs.generate.language.library import lines
from worldline.programs.generate.values import texts
from worldline.programs.generate.values.numbers import integer

_FEW = ("ab", "abc", "01", "xyz ", "aA", "-_.", "abcab", "aeiou", "0123456789", "([{}])", "* ", "ABab12")
_ODD = (
    "\n", "\t", "\\", "'", '"', "\r\n", "\r", "\x00", "\x1b", "\x7f", "\xa0", "\u200b", "\\n", "{}", "%s", "#", "\\'",
)  # fmt: skip
_ENDS = ("\n", "\n", "\n", "\r\n", "\n\n", "\r", "\v", "\f", "\x1c", "\u2028")


def haystack(rng: Random) -> str:
    """Draw a text to look for something in, mostly of more than ten characters, of few letters or of many words."""
    roll = rng.random()
    size = rng.randint(8, 24) if rng.random() < 0.5 else rng.randint(1, 60)
    if roll < 0.35:
        return texts.letters(rng, size, rng.choice(_FEW))
    if roll < 0.6:
        return texts.phrase(rng, 2, 9)[:70]
    if roll < 0.72:
        return texts.letters(rng, size)
    if roll < 0.86:
        return rng.choice(texts.SEPARATORS).join(texts.word(rng) for _ in range(rng.randint(2, 8)))[:70]
    return (far if rng.random() < 0.5 else escaped)(rng)


def far(rng: Random) -> str:
    """Draw letters of one other script, alone or beside a word."""
    letters = rng.choice(lines("vocabulary/scripts"))
    text = texts.letters(rng, rng.randint(1, 12), letters)
    return text if rng.random() < 0.5 else rng.choice((" ", "", "-")).join((text, texts.word(rng), text[:2]))


def escaped(rng: Random) -> str:
    """Draw words between what a literal has to escape: line ends, quotes, backslashes, control characters."""
    parts = [texts.word(rng) if rng.random() < 0.55 else rng.choice(_ODD) for _ in range(rng.randint(1, 7))]
    return "".join([*parts, rng.choice(_ODD)] if rng.random() < 0.3 else parts)


def broken(rng: Random) -> str:
    """Draw lines that end in any of the ways in which lines end."""
    end, ends = rng.choice(_ENDS), rng.random() < 0.25
    parts = [texts.phrase(rng, 0, 3) + (rng.choice(_ENDS) if ends else end) for _ in range(rng.randint(1, 5))]
    text = "".join(parts)
    return text if rng.random() < 0.5 else text.rstrip() or text


def knot(rng: Random, depth: int = 2) -> Any:
    """Draw a nested value of mixed types that is hard to copy."""
    roll = rng.random()
    if depth == 0 or roll < 0.3:
        return _leaf(rng)
    inner = [knot(rng, depth - 1) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4)))]
    if roll < 0.55:
        return tuple(inner)
    if roll < 0.75:
        return inner
    keys = (texts.word(rng), escaped(rng), integer(rng), (1, texts.word(rng)), far(rng))
    return {rng.choice(keys): item for item in inner}


def _leaf(rng: Random) -> Any:
    roll = rng.random()
    if roll < 0.3:
        return escaped(rng)
    if roll < 0.45:
        return far(rng)
    if roll < 0.6:
        return texts.word(rng)
    if roll < 0.8:
        return integer(rng)
    leaves: tuple[Any, ...] = (integer(rng) / 8, True, False, None, "", (), [], {}, escaped(rng).encode(), 0.1, -1)
    return rng.choice(leaves)
