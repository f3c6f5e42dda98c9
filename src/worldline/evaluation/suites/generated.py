"""The generated suite: programs of the training's own generators, of the test split, under seeds training never has.

Four of five are the typed generator's, one is a state-tracking task: the shares of the default mixture. No program is
asked twice, under other names neither: tasks that are one program would make the interval narrower than what is known.
Programs that differ in nothing but a literal are still two tasks; one program called with other values is not.

With a `language` (or `all`) they are those of `programs.languages.draw`: ordinary programs and tasks of that language.
With `functions`, a task is a file of so many functions, one of which is called, wherever it stands: `tables` says how
often that one is entered. `-M guide=false -M guard=false` asks it of the model alone.
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
TASKS = 0.2  # the share of state-tracking tasks
LIMITS = Limits(steps=2_000)


MOST_FUNCTIONS = 20  # of a file
_DEFINED = re.compile(r"^(?:async )?(?:def|class) (\w+)", re.MULTILINE)
_ENTERED = re.compile(rb"\((\d+)\b")


def load(
    *,
    seed: int = 0,
    reveal: int = 1,
    delta: str = "whole",
    functions: int = 1,
    language: str = DEFAULT_LANGUAGE,
) -> Suite:
    """Held-out programs, no two of one key, without end, each in a file of so many functions, or in a language."""
    if not 1 <= functions <= MOST_FUNCTIONS:
        raise UsageError(f"a file has 1 to {MOST_FUNCTIONS} functions, not {functions}")
    options = Compact(reveal=reveal, delta=delta)
    rng = Random(f"bench generated {seed}")
    draw = _DRAWS.get(language) or languages.program(language)
    if draw is not _draw and functions != 1:
        raise UsageError("files of several functions are of Python")

    def held_out() -> Iterator[Task]:
        asked: set[str] = set()
        while True:
            program = draw(rng)
            hashed = program_key(program)
            if hashed in asked or split_of(hashed) != "test":
                continue
            made = program if functions == 1 else _file(program, functions, rng)
            if made is not None:
                place = _group(made, functions)
                yield Task(program=made, options=options, name=f"generated/{len(asked)}", group=place)
                asked.add(hashed)

    return Suite(name="generated", tasks=held_out(), count=COUNT, limits=LIMITS)


def _group(program: Program, functions: int) -> str:
    """Which row of the report a program counts in: its language, or the place of the function that is called."""
    if not program.lang.is_default:
        return program.lang.title
    return "" if functions == 1 else f"{_place(program)} of {functions}"


def _draw(rng: Random) -> Program:
    return tasks.program(rng) if rng.random() < TASKS else generate.program(rng)


_DRAWS = {DEFAULT_LANGUAGE: _draw}  # the others are translations


def _file(program: Program, functions: int, rng: Random) -> Program | None:
    """A program of one function in a file with others; None where it is of more, or does not go together with them."""

    def single(rng: Random) -> Program:
        while len(_DEFINED.findall((other := generate.program(rng)).source)) != 1:
            pass
        return other

    if len(_DEFINED.findall(program.source)) != 1 or not _place(program):
        return None
    made = place_among(program, rng, single, beside=functions - 1, longest=functions * 1_000)
    return made if len(_DEFINED.findall(made.source)) == functions else None


def _place(program: Program) -> int:
    """Which of the definitions of a program it calls, from 1; 0 for none."""
    names = _DEFINED.findall(program.source)
    called = (program.call or "").partition("(")[0]
    return names.index(called) + 1 if called in names else 0


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """How often the function that is called is entered, by its place in the file; nothing of files of one function."""
    counted = [
        record
        for record in records
        if record.counts and " of " in record.group and notation(record.found.codec).is_canonical
    ]
    places = sorted({record.group for record in counted}, key=lambda group: int(group.split()[0]))
    rows = [(place, _share([record for record in counted if record.group == place])) for place in places]
    if not rows:
        return ()
    heads, note = (
        ("place of the called function", "entered"),
        "the first step is into the function that is called",
    )
    return (Table("entered", heads, (*rows, ("all", _share(counted))), note),)


def _share(records: list[Record]) -> Share:
    return Share(sum(_entered(one.found.text) == _entered(one.truth) for one in records), len(records))


def _entered(text: bytes) -> bytes:
    """The line of the function that a text enters first."""
    found = _ENTERED.match(text)
    return found[1] if found else b""
