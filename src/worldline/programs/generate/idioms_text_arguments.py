"""The table of argument makers by name: those of whole texts, and those that look at the arguments before them.

A template's header names its arguments' makers from here; `make` runs them in order. Nothing here makes source text.
"""

from __future__ import annotations

import random
from typing import Any

from worldline.programs.generate import idioms_text_inputs as inputs
from worldline.programs.generate.idioms_text_inputs import LOWER, Maker, vocabulary


def first(before: list[Any]) -> str:
    """The first argument as text: itself, or its strings joined."""
    if not before:
        return ""
    found = before[0]
    if isinstance(found, list | tuple | dict):
        return "".join(str(one) for one in found)
    return found if isinstance(found, str) else str(found)


def char(rng: random.Random, before: list[Any]) -> str:
    """One character, mostly of the first text."""
    source = first(before)
    if source and rng.random() < 0.75:
        return rng.choice(source)
    return rng.choice(LOWER + " ,.-_*#XYZ0")


def substring(rng: random.Random, before: list[Any]) -> str:
    """A part of the first text, or another text."""
    source = first(before)
    if source and rng.random() < 0.7:
        start = rng.randrange(len(source))
        return source[start : start + rng.randint(1, 3)]
    return rng.choice(
        (rng.choice(vocabulary()), rng.choice(LOWER), rng.choice(LOWER) * 2, "x", "ab", "", " ")
    )


def part(rng: random.Random, before: list[Any]) -> str:
    """As `substring`, never empty."""
    return substring(rng, before) or rng.choice(LOWER)


def prefix(rng: random.Random, before: list[Any]) -> str:
    """A prefix of the first text, or another text."""
    source = first(before)
    if source and rng.random() < 0.65:
        return source[: rng.randint(1, max(1, min(5, len(source) - 1)))]
    return rng.choice((rng.choice(vocabulary()), rng.choice(LOWER), "un", "pre", "#"))


def suffix(rng: random.Random, before: list[Any]) -> str:
    """A suffix of the first text, or another text."""
    source = first(before)
    if source and rng.random() < 0.65:
        return source[-rng.randint(1, max(1, min(4, len(source) - 1))) :]
    return rng.choice((rng.choice(vocabulary()), rng.choice(LOWER), "ing", "s", "!", ".txt"))


def separator(rng: random.Random, before: list[Any]) -> str:
    """A separator, mostly one that occurs in the first text."""
    source = first(before)
    present = [
        one for one in (" ", ",", "-", ";", ":", "/", "|", "_", "=", "&", ", ", "\n", ".") if one in source
    ]
    if present and rng.random() < 0.8:
        return rng.choice(present)
    if source and rng.random() < 0.4:
        return rng.choice(source)
    return rng.choice((" ", ",", "-", ", ", "|", "::", "_", "/", "ab"))


def variant(rng: random.Random, before: list[Any]) -> str:
    """The first text reordered, changed in a place or in case, or another text."""
    source = first(before)
    pick = rng.random()
    if pick < 0.3:
        return "".join(rng.sample(source, len(source)))
    if pick < 0.6 and source:
        place = rng.randrange(len(source))
        return source[:place] + rng.choice(LOWER) + source[place + 1 :]
    if pick < 0.75:
        return rng.choice((source.swapcase(), source[::-1], source + rng.choice(LOWER), source[1:], source))
    return inputs.short(rng, before)


def rotated(rng: random.Random, before: list[Any]) -> str:
    """The first text turned round by some places, or a variant of it."""
    source = first(before)
    if rng.random() < 0.6:
        turn = rng.randint(0, len(source))
        return source[turn:] + source[:turn]
    return variant(rng, before)


def words(rng: random.Random, before: list[Any]) -> list[str]:
    """A list of words, some of them twice, rarely none."""
    if rng.random() < 0.04:
        return []
    found = [inputs.word(rng, before) for _ in range(rng.randint(1, 6))]
    if rng.random() < 0.35:
        found.append(rng.choice(found))
    return found


def strings(rng: random.Random, before: list[Any]) -> list[str]:
    """A list of short texts of many kinds."""
    makers = (inputs.word, inputs.gibberish, inputs.digits, inputs.short, inputs.mixed, inputs.number)
    return [rng.choice(makers)(rng, before)[:10] for _ in range(rng.randint(1, 5))]


def characters(rng: random.Random, before: list[Any]) -> list[str]:
    """A list of single characters."""
    return list(inputs.short(rng, before))


def kin(rng: random.Random, before: list[Any]) -> list[str]:
    """Words that begin alike."""
    stem = rng.choice(vocabulary())[: rng.randint(2, 5)]
    return [
        stem + rng.choice(("", "s", "er", "ing", "ed", rng.choice(vocabulary())))
        for _ in range(rng.randint(2, 4))
    ]


def substitutions(rng: random.Random, before: list[Any]) -> dict[str, str]:
    """Characters of the first text (and others) with what stands for them."""
    source = first(before) or "abc"
    keys = [rng.choice(source) for _ in range(rng.randint(1, 3))] + [rng.choice(LOWER)]
    return {key: rng.choice((rng.choice(LOWER), rng.choice("@310*_"), key.upper())) for key in keys}


def glossary(rng: random.Random, before: list[Any]) -> dict[str, str]:
    """Words of the first text (and others) with words that stand for them."""
    keys = [rng.choice(first(before).split() or ["x"]), rng.choice(vocabulary()), rng.choice(vocabulary())]
    return {key: rng.choice(vocabulary()) for key in keys}


def tally(rng: random.Random, before: list[Any]) -> dict[str, int]:
    """Words with small numbers."""
    return {rng.choice(vocabulary()): rng.randint(0, 9) for _ in range(rng.randint(1, 5))}


def record(rng: random.Random, before: list[Any]) -> dict[str, str]:
    """A record of short texts."""
    return {rng.choice(vocabulary()): inputs.short(rng, before) for _ in range(rng.randint(1, 4))}


def small(rng: random.Random, before: list[Any]) -> int:
    """A number from 0 to 7, rarely a negative one."""
    return rng.randint(0, 7) if rng.random() < 0.93 else -rng.randint(1, 4)


def positive(rng: random.Random, before: list[Any]) -> int:
    """A number from 1 to 6."""
    return rng.randint(1, 6)


def place(rng: random.Random, before: list[Any]) -> int:
    """A position in the first text, rarely beyond or before it."""
    size = len(before[0]) if before and hasattr(before[0], "__len__") else 5
    return rng.randint(0, max(0, size - 1)) if rng.random() < 0.85 else rng.choice((-1, -2, size, size + 2))


def width(rng: random.Random, before: list[Any]) -> int:
    """A width, mostly somewhat more than the first text's."""
    return max(0, len(first(before)) + rng.randint(-3, 8))


def shift(rng: random.Random, before: list[Any]) -> int:
    """A shift of letters."""
    return rng.choice((1, 1, 2, 3, 3, 5, 7, 10, 13, 13, 20, 25, -1, -3))


def flag(rng: random.Random, before: list[Any]) -> bool:
    """True or False."""
    return rng.random() < 0.5


def fill(rng: random.Random, before: list[Any]) -> str:
    """A character to fill with."""
    return rng.choice("*-#. 0=_x+~")


def integer(rng: random.Random, before: list[Any]) -> int:
    """An integer of one to six digits."""
    return rng.choice((rng.randint(0, 9), rng.randint(0, 300), rng.randint(0, 999999), -rng.randint(1, 500)))


def integers(rng: random.Random, before: list[Any]) -> list[int]:
    """A few small integers."""
    return [rng.randint(0, 30) for _ in range(rng.randint(1, 6))]


def octets(rng: random.Random, before: list[Any]) -> bytes:
    """A short text in UTF-8."""
    return inputs.short(rng, before).encode()


_LOCAL: tuple[Maker, ...] = (
    char, substring, part, prefix, suffix, separator, variant, rotated, words, strings, characters, kin,
    substitutions, glossary, tally, record, small, positive, place, width, shift, flag, fill, integer, integers, octets,
)  # fmt: skip
_WHOLE: tuple[Maker, ...] = (
    inputs.text, inputs.short, inputs.word, inputs.gibberish, inputs.sentence, inputs.phrase, inputs.digits,
    inputs.mixed, inputs.noisy, inputs.blanks, inputs.lines, inputs.runs, inputs.foreign, inputs.palindrome,
    inputs.title, inputs.snake, inputs.camel, inputs.fields, inputs.pairs, inputs.query, inputs.path, inputs.url,
    inputs.email, inputs.date, inputs.clock, inputs.version, inputs.dotted, inputs.number, inputs.numbers,
    inputs.binary, inputs.hexadecimal, inputs.brackets, inputs.markup, inputs.log, inputs.person, inputs.roman,
)  # fmt: skip
MAKERS: dict[str, Maker] = {maker.__name__: maker for maker in _LOCAL + _WHOLE}


def make(rng: random.Random, kinds: tuple[str, ...]) -> list[Any]:
    """The arguments of one call; a kind may name several makers, `word/phrase`, of which one is taken."""
    before: list[Any] = []
    for kind in kinds:
        name = rng.choice(kind.split("/")) if "/" in kind else kind
        before.append(MAKERS[name](rng, before))
    return before
