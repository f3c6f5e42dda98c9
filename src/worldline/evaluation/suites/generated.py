"""The generated suite: held-out programs of the generators that training uses, under seeds that training does not.

Four of five are from the typed generator, one is a state-tracking task: the shares of the default mixture. No program
is repeated, not even with other names or other arguments: duplicates would make the interval too narrow. Programs that
differ in a literal are two tasks.

With a `language` (or `all`), programs are from `programs.languages.draw`. With `functions`, a task is a file of that
many functions, one of which is called; `tables` shows how often the model enters the right one. `-M guide=false -M
guard=false` measures the model alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.language import DEFAULT_LANGUAGE
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.data.forms.among import place_among
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Table
from worldline.programs import generate, tasks
from worldline.programs.languages import draw as languages
from worldline.programs.split import program_key, split_of

COUNT = 1_000
TASK_SHARE = 0.2  # of state-tracking tasks
LIMITS = Limits(steps=2_000)
MAX_FUNCTIONS = 20  # of a file
_DEFINED = re.compile(r"^(?:async )?(?:def|class) (\w+)", re.MULTILINE)
_ENTERED = re.compile(rb"\((\d+)\b")


def load(
    *, seed: int = 0, reveal: int = 1, delta: str = "whole", functions: int = 1, language: str = DEFAULT_LANGUAGE
) -> Suite:
    """Load held-out programs, without end and without repetition.

    Args:
        seed: Decides the programs.
        reveal: How often the state is written.
        delta: How changed values are written.
        functions: The number of functions in each file; only for Python.
        language: The language of the programs, or `all`.
    """
    if not 1 <= functions <= MAX_FUNCTIONS:
        raise UsageError(f"a file has 1 to {MAX_FUNCTIONS} functions, not {functions}")
    options = Compact(reveal=reveal, delta=delta)
    rng = Random(f"bench generated {seed}")
    draw = _DRAWS.get(language) or languages.program(language)
    if draw is not _draw and functions != 1:
        raise UsageError("--functions works only with Python programs")

    def held_out() -> Iterator[Task]:
        seen: set[str] = set()
        while True:
            program = draw(rng)
            hashed = program_key(program)
            if hashed in seen or split_of(hashed) != "test":
                continue
            placed = program if functions == 1 else _file(program, functions, rng)
            if placed is not None:
                place = _group(placed, functions)
                yield Task(program=placed, options=options, name=f"generated/{len(seen)}", group=place)
                seen.add(hashed)

    return Suite(name="generated", tasks=held_out(), count=COUNT, limits=LIMITS)


def _group(program: Program, functions: int) -> str:
    """The program's row in the report: its language, or the place of the called function."""
    if not program.lang.is_default:
        return program.lang.title
    return "" if functions == 1 else f"{_place(program)} of {functions}"


def _draw(rng: Random) -> Program:
    return tasks.program(rng) if rng.random() < TASK_SHARE else generate.program(rng)


_DRAWS = {DEFAULT_LANGUAGE: _draw}  # the others are translations


def _file(program: Program, functions: int, rng: Random) -> Program | None:
    """A program of one function in a file with others; None if it has several, or the names collide."""

    def single(rng: Random) -> Program:
        while len(_DEFINED.findall((other := generate.program(rng)).source)) != 1:
            pass
        return other

    if len(_DEFINED.findall(program.source)) != 1 or not _place(program):
        return None
    placed = place_among(program, rng, single, beside=functions - 1, longest=functions * 1_000)
    return placed if len(_DEFINED.findall(placed.source)) == functions else None


def _place(program: Program) -> int:
    """The number of the definition that a program calls, from 1; 0 for none."""
    names = _DEFINED.findall(program.source)
    called = (program.call or "").partition("(")[0]
    return names.index(called) + 1 if called in names else 0


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """Return how often the called function is entered, by its place in the file; nothing for single functions."""
    counted = [
        record
        for record in records
        if record.counts and " of " in record.group and notation(record.found.codec).is_canonical
    ]
    places = sorted({record.group for record in counted}, key=lambda group: int(group.split()[0]))
    rows = [(place, _share([record for record in counted if record.group == place])) for place in places]
    if not rows:
        return ()
    heads, note = ("place of the called function", "entered"), "the first step enters the called function"
    return (Table("entered", heads, (*rows, ("all", _share(counted))), note),)


def _share(records: list[Record]) -> Share:
    return Share(sum(_entered(record.found.text) == _entered(record.truth) for record in records), len(records))


def _entered(text: bytes) -> bytes:
    """The first line of the function that a text enters first."""
    match = _ENTERED.match(text)
    return match[1] if match else b""
