"""Programs as people write them: whole functions from templates, and statements composed at random.

`text` is about texts, `data` about numbers, lists, dicts, classes and generators; `sketch` draws constructs that the
typed grammar writes badly. The typed grammar covers operators and methods systematically.
"""

from __future__ import annotations

from random import Random

from worldline.core.program import Program
from worldline.programs.generate import composed
from worldline.programs.generate.language.expansion import fill, templates
from worldline.programs.generate.language.template import Template
from worldline.programs.generate.style.habits import written

TEXT = (
    "chars",
    "codes",
    "words",
    "lists",
    "edits",
    "compare",
    "parsing",
    "numerals",
    "shapes",
    "buffers",
    "exercises",
    "library",
)
DATA = (
    "numbers", "digits", "averages", "series", "lists", "shapes", "search", "sorting", "dicts", "records", "mutate",
    "grids", "graphs", "tables", "classes", "functions", "flow", "library",
)  # fmt: skip
LONG = ("modules", "services", "exercises")
_COMPOSED_TEXT, _COMPOSED_DATA, _LONG_SHARE = 0.5, 0.25, 0.15


def listed(folder: str, names: tuple[str, ...]) -> tuple[Template, ...]:
    """Return the templates of several files in a folder."""
    return tuple(template for name in names for template in templates(f"{folder}/{name}"))


def _drawn(rng: Random, folder: str, names: tuple[str, ...]) -> Program:
    """Draw a program from a template; every template has the same chance."""
    sizes = [len(templates(f"{folder}/{name}")) for name in names]
    return fill(rng.choice(templates(f"{folder}/{rng.choices(names, sizes)[0]}")), rng)


def text(rng: Random) -> Program:
    """Draw a text-processing program."""
    return written(rng, composed.text(rng) if rng.random() < _COMPOSED_TEXT else _drawn(rng, "text", TEXT))


def data(rng: Random) -> Program:
    """Draw a program over data: an idiom, a longer program, or composed statements."""
    roll = rng.random()
    if roll < _COMPOSED_DATA:
        return written(rng, composed.data(rng))
    return written(rng, _drawn(rng, "data", LONG if roll < _COMPOSED_DATA + _LONG_SHARE else DATA))


def sketch(rng: Random, name: str) -> Program:
    """Draw a program from one file of sketches."""
    return written(rng, _drawn(rng, "sketches", (name,)))
