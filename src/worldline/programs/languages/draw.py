"""Draws ordinary programs and state-tracking tasks, and translates them into a language.

A mixture names them: `Source(program="worldline.programs.languages.draw:ordinary", argument="rust")`. One seed gives
one program, the same in every language that can express it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs import tasks
from worldline.programs.languages.ordinary import composed
from worldline.programs.languages.ordinary import ordinary as from_template
from worldline.programs.languages.spelling import RULES, UntranslatableError
from worldline.programs.languages.translate import translated

TARGETS = tuple(RULES)
ProgramMaker = Callable[[Random], Program]
COMPOSED_SHARE = 0.4  # of ordinary programs, those that are put together from statements
PERMUTATION_SHARE = 0.35  # of tasks, permutations of the published shape
MOVE_RANGE = (3, 24)  # moves of a task
MAX_DRAWS = 10_000


def ordinary(languages: str) -> ProgramMaker:
    """Return a maker of ordinary programs in one language, in several (`js,rust`) or in `all`."""
    return _draws(languages, ordinary_text)


def state(languages: str) -> ProgramMaker:
    """Return a maker of state-tracking tasks in one language, in several or in `all`."""
    return _draws(languages, task_text)


def program(languages: str) -> ProgramMaker:
    """Return a maker of programs in one language, in several or in `all`; a quarter are tasks."""
    return _draws(languages, lambda rng: task_text(rng) if rng.random() < 0.25 else ordinary_text(rng))


def ordinary_text(rng: Random) -> Program:
    """Draw an ordinary program in Python."""
    return composed(rng) if rng.random() < COMPOSED_SHARE else from_template(rng)


def task_text(rng: Random) -> Program:
    """Draw a state-tracking task in Python."""
    length = rng.randint(*MOVE_RANGE)
    if rng.random() < PERMUTATION_SHARE:
        return tasks.permutation(rng, length=length, names=rng.choice((3, 4, 5, 5)), arbitrary=rng.random() < 0.4)
    return tasks.program(rng, length=length)


def draw_translated(text: ProgramMaker, language: str, rng: Random) -> Program:
    """Draw programs until one can be translated, and return its translation.

    Args:
        text: Draws a Python program.
        language: The target language.
        rng: Source of randomness.

    Raises:
        UsageError: None of `MAX_DRAWS` programs could be translated.
    """
    for _ in range(MAX_DRAWS):
        program, habits = text(rng), rng.random()
        try:
            return translated(program, language, Random(habits))
        except UntranslatableError:
            continue
    raise UsageError(f"{language}: none of {MAX_DRAWS:,} drawn programs can be translated")


def _draws(languages: str, text: ProgramMaker) -> ProgramMaker:
    named = TARGETS if languages == "all" else tuple(languages.split(","))
    if strange := [language for language in named if language not in TARGETS]:
        raise UsageError(f"unknown language {strange[0]!r}: use one of {', '.join(TARGETS)}, or all")

    def draw(rng: Random) -> Program:
        return draw_translated(text, named[0] if len(named) == 1 else rng.choice(named), rng)

    return draw
