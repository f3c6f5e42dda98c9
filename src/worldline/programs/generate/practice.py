"""Drills on measured weaknesses of trained models: one or two operations on long or odd values.

`program` draws one of `DRILLS` by its share; `of` draws from one file of `templates/drills`. A separate recipe uses
them: the held-out suite of generated programs does not.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs.generate.language.expansion import fill, templates
from worldline.programs.generate.style.habits import written

# Each file of templates, and its share.
DRILLS = {"searches": 5, "membership": 6, "texts": 6, "lists": 5, "dicts": 3, "copies": 4, "numbers": 5}
ODD = 0.3  # how often a value is spelled in a less common way


def of(name: str) -> Callable[[Random], Program]:
    """Return the maker of the drills of one template file.

    Raises:
        UsageError: The name is unknown.
    """
    if name not in DRILLS:
        raise UsageError(f"unknown drill {name!r}: use one of {', '.join(DRILLS)}")
    return lambda rng: _drawn(rng, name)


def program(rng: Random) -> Program:
    """Draw one drill from any template file."""
    return _drawn(rng, rng.choices(tuple(DRILLS), tuple(DRILLS.values()))[0])


def _drawn(rng: Random, name: str) -> Program:
    return written(rng, fill(rng.choice(templates(f"drills/{name}")), rng, odd=ODD))
