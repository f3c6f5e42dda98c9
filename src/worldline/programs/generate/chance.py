"""Programs with hidden inputs: draws, shuffles, noise, clocks, retries, hidden states, input, threads.

`program` draws one of `KINDS` by its share; `of` draws from one file of `templates/chance`. Most programs draw a
number below n, so that a model learns the probabilities. The recorder decides the draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs.generate.language.expansion import fill, templates
from worldline.programs.generate.style.habits import written
from worldline.programs.generate.style.layout import dress

# Each file of templates, and its share.
KINDS = {
    "draws": 44,
    "dice": 8,
    "cards": 4,
    "shuffles": 4,
    "choices": 8,
    "walks": 6,
    "sensors": 4,
    "retries": 5,
    "games": 7,
    "queues": 4,
    "seeded": 3,
    "tokens": 2,
    "asked": 3,
    "resamples": 4,
    "races": 4,
    "jobs": 3,
}
_DRAWN = re.compile(r"\brandom\.([a-z]+)\b")
_SPACED = 0.4  # how often two blank lines stand before a definition
_DEFINED = re.compile(r"\n\n((?:def|class|async def|@) ?\w)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_IMPORT = "import random\n"


def of(kind: str) -> Callable[[Random], Program]:
    """Return the maker of the programs of one template file.

    Raises:
        UsageError: The kind is unknown.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown kind of stochastic program {kind!r}: use one of {', '.join(KINDS)}")
    return lambda rng: _drawn(rng, kind)


def program(rng: Random) -> Program:
    """Draw one program from any template file."""
    return _drawn(rng, rng.choices(tuple(KINDS), tuple(KINDS.values()))[0])


def _drawn(rng: Random, kind: str) -> Program:
    program = written(rng, _imported(rng, fill(rng.choice(templates(f"chance/{kind}")), rng)))
    if rng.random() < _SPACED:
        program = replace(program, source=_DEFINED.sub(r"\n\n\n\1", program.source))
    return dress(rng, program)


def _imported(rng: Random, program: Program) -> Program:
    """Import the functions of `random` by name, or rename the module."""
    source, roll = program.source, rng.random()
    if _IMPORT not in source or roll > 0.3:
        return program
    used = sorted(set(_DRAWN.findall(source)))
    rest = _DRAWN.sub("", source.replace(_IMPORT, "", 1))
    if roll < 0.12:
        name = rng.choice(("rnd", "r", "rand"))
        if {name, "random"} & {*_WORD.findall(rest)} or "random.Random" in source:
            return program
        source = source.replace(_IMPORT, f"import random as {name}\n", 1)
        return replace(program, source=_DRAWN.sub(rf"{name}.\1", source))
    if not used or {*used, "random"} & {*_WORD.findall(rest + (program.call or ""))}:
        return program
    source = source.replace(_IMPORT, f"from random import {', '.join(used)}\n", 1)
    return replace(program, source=_DRAWN.sub(r"\1", source))
