"""Natural functions over numbers, lists, dicts, sets, tuples, recursion, classes and generators, as random programs.

`idioms` gives one maker a kind of function; `program` draws one of them. Text processing is another module's matter,
and so is the systematic coverage of operators and methods: here programs look as people write them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from worldline.core.program import Program
from worldline.programs.generate.idioms_data_combine import combined
from worldline.programs.generate.idioms_data_exprs import EXPRESSIONS
from worldline.programs.generate.idioms_data_style import restyle, without_idle_argument
from worldline.programs.generate.idioms_data_template import Template, fill, parse
from worldline.programs.generate.idioms_data_values import VALUES
from worldline.programs.generate.library import blocks

Idiom = Callable[[random.Random], Program]

_MAKERS = {**VALUES, **EXPRESSIONS}
_SHORT = (
    "numbers", "digits", "averages", "series", "lists", "shapes", "search", "sorting", "dicts", "records", "mutate",
    "grids", "graphs", "tables", "classes", "functions", "flow", "library",
)  # fmt: skip
_LONG = ("modules", "services", "exercises")
_COMBINED_SHARE, _LONG_SHARE = 0.25, 0.15


def _idiom(template: Template) -> Idiom:
    def make(rng: random.Random) -> Program:
        source, call = without_idle_argument(*fill(template, rng, _MAKERS))
        return Program(source=restyle(source, call.partition("(")[0], rng), call=call)

    return make


@cache
def _read(names: tuple[str, ...]) -> tuple[Idiom, ...]:
    return tuple(_idiom(parse(block)) for name in names for block in blocks(f"data/{name}"))


def idioms() -> tuple[Idiom, ...]:
    """One maker a kind of function, and the one that puts statements together."""
    return (*_read(_SHORT), *_read(_LONG), combined)


def program(rng: random.Random) -> Program:
    """One natural program: a known kind of function, a longer one, or a few statements put together."""
    drawn = rng.random()
    if drawn < _COMBINED_SHARE:
        return combined(rng)
    return rng.choice(_read(_LONG if drawn < _COMBINED_SHARE + _LONG_SHARE else _SHORT))(rng)
