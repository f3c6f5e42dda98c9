"""Natural text-processing functions as randomised programs: a library of idioms, and statements composed at random.

Designed from the documentation of `str` and from how people process text; no benchmark's problem is in it. A program
is a function of ten lines or so and one call. It does not check that the program returns: nearly all do.
"""

from __future__ import annotations

import random
from functools import cache

from worldline.core.program import Program
from worldline.programs.generate.idioms_text_compose import compose
from worldline.programs.generate.idioms_text_idiom import Idiom, read
from worldline.programs.generate.library import text

_LIBRARIES = (
    "chars", "codes", "words", "lists", "edits", "compare", "parsing", "numerals", "shapes", "buffers", "exercises",
    "library",
)  # fmt: skip


@cache
def idioms() -> tuple[Idiom, ...]:
    """One maker a kind of function."""
    return tuple(idiom for name in _LIBRARIES for idiom in read(text(f"text/{name}")))


def program(rng: random.Random) -> Program:
    """One text-processing program."""
    return compose(rng) if rng.random() < 0.5 else rng.choice(idioms())(rng)
