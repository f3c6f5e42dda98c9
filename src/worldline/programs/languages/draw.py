"""Programs of a language, drawn: ordinary ones and state-tracking tasks, each said as that language says it.

A draw is of a mixture's kind (`Source(program="worldline.programs.languages.draw:ordinary", argument="rust")`): one
seed, one program. The same seed draws the same program in every language that can say it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs import tasks
from worldline.programs.languages.ordinary import composed
from worldline.programs.languages.ordinary import ordinary as from_template
from worldline.programs.languages.spelling import RULES, UnsayableError
from worldline.programs.languages.translate import translated

SPOKEN = tuple(RULES)
Draw = Callable[[Random], Program]
COMPOSED = 0.4  # of ordinary programs, those that are put together from statements
PERMUTED = 0.35  # of tasks, permutations of the published shape
LENGTHS = (3, 24)  # moves of a task
TRIES = 10_000


def ordinary(languages: str) -> Draw:
    """Draws ordinary programs of a language, of several (`js,rust`) or of `all`."""
    return _draws(languages, ordinary_text)


def state(languages: str) -> Draw:
    """Draws state-tracking tasks of a language, of several or of `all`."""
    return _draws(languages, task_text)


def program(languages: str) -> Draw:
    """Draws programs of a language, of several or of `all`: a quarter are tasks."""
    return _draws(languages, lambda rng: task_text(rng) if rng.random() < 0.25 else ordinary_text(rng))


def ordinary_text(rng: Random) -> Program:
    """An ordinary program as Python."""
    return composed(rng) if rng.random() < COMPOSED else from_template(rng)


def task_text(rng: Random) -> Program:
    """A state-tracking task as Python."""
    length = rng.randint(*LENGTHS)
    if rng.random() < PERMUTED:
        return tasks.permutation(
            rng, length=length, names=rng.choice((3, 4, 5, 5)), arbitrary=rng.random() < 0.4
        )
    return tasks.program(rng, length=length)


def said(text: Draw, language: str, rng: Random) -> Program:
    """A program that the language can say, and how it says it."""
    for _ in range(TRIES):
        program, habits = text(rng), rng.random()
        try:
            return translated(program, language, Random(habits))
        except UnsayableError:
            continue
    raise UsageError(f"nothing that is drawn can be said in {language}")


def _draws(languages: str, text: Draw) -> Draw:
    named = SPOKEN if languages == "all" else tuple(languages.split(","))
    if strange := [language for language in named if language not in SPOKEN]:
        raise UsageError(f"a language is one of {', '.join(SPOKEN)}, or all, not {strange[0]!r}")

    def draw(rng: Random) -> Program:
        return said(text, named[0] if len(named) == 1 else rng.choice(named), rng)

    return draw
