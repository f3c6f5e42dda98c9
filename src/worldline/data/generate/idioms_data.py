"""Natural functions over numbers, lists, dicts, sets, tuples, recursion, classes and generators, as random programs.

`IDIOMS` holds one maker a kind of function; `program` draws one of them. Text processing is another module's matter,
and so is the systematic coverage of operators and methods: here programs look as people write them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from worldline.core.program import Program
from worldline.data.generate.idioms_data_averages import AVERAGES
from worldline.data.generate.idioms_data_classes import CLASSES
from worldline.data.generate.idioms_data_combine import combined
from worldline.data.generate.idioms_data_dicts import DICTS
from worldline.data.generate.idioms_data_digits import DIGITS
from worldline.data.generate.idioms_data_exprs import EXPRESSIONS
from worldline.data.generate.idioms_data_flow import FLOW
from worldline.data.generate.idioms_data_functions import FUNCTIONS
from worldline.data.generate.idioms_data_graphs import GRAPHS
from worldline.data.generate.idioms_data_grids import GRIDS
from worldline.data.generate.idioms_data_lists import LISTS
from worldline.data.generate.idioms_data_modules import MODULES
from worldline.data.generate.idioms_data_mutate import MUTATE
from worldline.data.generate.idioms_data_numbers import NUMBERS
from worldline.data.generate.idioms_data_records import RECORDS
from worldline.data.generate.idioms_data_search import SEARCH
from worldline.data.generate.idioms_data_series import SERIES
from worldline.data.generate.idioms_data_services import SERVICES
from worldline.data.generate.idioms_data_shapes import SHAPES
from worldline.data.generate.idioms_data_sorting import SORTING
from worldline.data.generate.idioms_data_style import restyle
from worldline.data.generate.idioms_data_tables import TABLES
from worldline.data.generate.idioms_data_template import Template, fill, parse
from worldline.data.generate.idioms_data_values import VALUES

Idiom = Callable[[random.Random], Program]

_MAKERS = {**VALUES, **EXPRESSIONS}
_TEXTS = (
    NUMBERS, DIGITS, AVERAGES, SERIES, LISTS, SHAPES, SEARCH, SORTING, DICTS, RECORDS, MUTATE, GRIDS, GRAPHS, TABLES,
    CLASSES, FUNCTIONS, FLOW, MODULES, SERVICES,
)  # fmt: skip
_COMBINED_SHARE = 0.25


def _idiom(template: Template) -> Idiom:
    def make(rng: random.Random) -> Program:
        source, call = fill(template, rng, _MAKERS)
        return Program(source=restyle(source, call.partition("(")[0], rng), call=call)

    return make


_TEMPLATES = tuple(parse(text) for part in _TEXTS for text in part.split("\n---\n"))
IDIOMS: tuple[Idiom, ...] = (*(_idiom(template) for template in _TEMPLATES), combined)


def program(rng: random.Random) -> Program:
    """One natural program: a known kind of function, or a few statements put together."""
    return combined(rng) if rng.random() < _COMBINED_SHARE else rng.choice(IDIOMS)(rng)
