"""Natural text-processing functions as randomised programs: a library of idioms, and statements composed at random.

Designed from the documentation of `str` and from how people process text; no benchmark's problem is in it. A program
is a function of ten lines or so and one call. It does not check that the program returns: nearly all do.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from worldline.core.program import Program
from worldline.programs.generate import (
    idioms_text_buffers,
    idioms_text_chars,
    idioms_text_codes,
    idioms_text_compare,
    idioms_text_edits,
    idioms_text_exercises,
    idioms_text_library,
    idioms_text_lists,
    idioms_text_numerals,
    idioms_text_parsing,
    idioms_text_shapes,
    idioms_text_words,
)
from worldline.programs.generate.idioms_text_compose import compose
from worldline.programs.generate.idioms_text_idiom import read

_LIBRARIES = (
    idioms_text_chars.LIBRARY,
    idioms_text_codes.LIBRARY,
    idioms_text_words.LIBRARY,
    idioms_text_lists.LIBRARY,
    idioms_text_edits.LIBRARY,
    idioms_text_compare.LIBRARY,
    idioms_text_parsing.LIBRARY,
    idioms_text_numerals.LIBRARY,
    idioms_text_shapes.LIBRARY,
    idioms_text_buffers.LIBRARY,
    idioms_text_exercises.LIBRARY,
    idioms_text_library.LIBRARY,
)
IDIOMS: tuple[Callable[[random.Random], Program], ...] = sum(map(read, _LIBRARIES), ())


def program(rng: random.Random) -> Program:
    """One text-processing program."""
    return compose(rng) if rng.random() < 0.5 else rng.choice(IDIOMS)(rng)
