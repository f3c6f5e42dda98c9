"""Natural functions over numbers, lists, dicts, sets, tuples, recursion, classes and generators, as random programs.

`IDIOMS` holds one maker a kind of function; `program` draws one of them. Text processing is another module's matter,
and so is the systematic coverage of operators and methods: here programs look as people write them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from worldline.core.program import Program
from worldline.programs.generate.idioms_data_averages import AVERAGES
from worldline.programs.generate.idioms_data_classes import CLASSES
from worldline.programs.generate.idioms_data_combine import combined
from worldline.programs.generate.idioms_data_dicts import DICTS
from worldline.programs.generate.idioms_data_digits import DIGITS
from worldline.programs.generate.idioms_data_exercises import EXERCISES
from worldline.programs.generate.idioms_data_exprs import EXPRESSIONS
from worldline.programs.generate.idioms_data_flow import FLOW
from worldline.programs.generate.idioms_data_functions import FUNCTIONS
from worldline.programs.generate.idioms_data_graphs import GRAPHS
from worldline.programs.generate.idioms_data_grids import GRIDS
from worldline.programs.generate.idioms_data_library import LIBRARY
from worldline.programs.generate.idioms_data_lists import LISTS
from worldline.programs.generate.idioms_data_modules import MODULES
from worldline.programs.generate.idioms_data_mutate import MUTATE
from worldline.programs.generate.idioms_data_numbers import NUMBERS
from worldline.programs.generate.idioms_data_records import RECORDS
from worldline.programs.generate.idioms_data_search import SEARCH
from worldline.programs.generate.idioms_data_series import SERIES
from worldline.programs.generate.idioms_data_services import SERVICES
from worldline.programs.generate.idioms_data_shapes import SHAPES
from worldline.programs.generate.idioms_data_sorting import SORTING
from worldline.programs.generate.idioms_data_style import restyle, without_idle_argument
from worldline.programs.generate.idioms_data_tables import TABLES
from worldline.programs.generate.idioms_data_template import Template, fill, parse
from worldline.programs.generate.idioms_data_values import VALUES

Idiom = Callable[[random.Random], Program]

_MAKERS = {**VALUES, **EXPRESSIONS}
_TEXTS = (
    NUMBERS, DIGITS, AVERAGES, SERIES, LISTS, SHAPES, SEARCH, SORTING, DICTS, RECORDS, MUTATE, GRIDS, GRAPHS, TABLES,
    CLASSES, FUNCTIONS, FLOW, LIBRARY,
)  # fmt: skip
_LONG_TEXTS = (MODULES, SERVICES, EXERCISES)
_COMBINED_SHARE, _LONG_SHARE = 0.25, 0.15


def _idiom(template: Template) -> Idiom:
    def make(rng: random.Random) -> Program:
        source, call = without_idle_argument(*fill(template, rng, _MAKERS))
        return Program(source=restyle(source, call.partition("(")[0], rng), call=call)

    return make


def _idioms(texts: tuple[str, ...]) -> tuple[Idiom, ...]:
    return tuple(_idiom(parse(text)) for part in texts for text in part.split("\n---\n"))


_SHORT, _LONG = _idioms(_TEXTS), _idioms(_LONG_TEXTS)
IDIOMS: tuple[Idiom, ...] = (*_SHORT, *_LONG, combined)


def program(rng: random.Random) -> Program:
    """One natural program: a known kind of function, a longer one, or a few statements put together."""
    drawn = rng.random()
    if drawn < _COMBINED_SHARE:
        return combined(rng)
    return rng.choice(_LONG if drawn < _COMBINED_SHARE + _LONG_SHARE else _SHORT)(rng)
