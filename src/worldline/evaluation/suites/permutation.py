"""The permutation suite: named digits, permuted line by line, to see whether the final state is right.

The programs have the published shape (2602.07672). `reveal` is how often the state is written: 1 is every step, 512
means that the model must carry it. Several lengths and values of `reveal` make a grid. Programs are held out by their
split. The published protocols are available as forcings: `actions` feeds the true actions and keeps the model's state;
the suite `states` feeds everything true before each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, product
from random import Random
from statistics import median
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites.published import published_rows
from worldline.evaluation.suites.suite import Suite, Task, to_tuple
from worldline.evaluation.table import Table
from worldline.programs.split import split
from worldline.programs.tasks import MAX_MOVES, permutation

LENGTHS = (8, 16, 32, 64, 128)
COUNT = 200  # tasks of each length and value of reveal
FIVE_NAMES = "    return a, b, c, d, e\n"  # programs that figures were published for


def load(
    *,
    seed: int = 0,
    length: int | Sequence[int] = LENGTHS,
    reveal: int | Sequence[int] = 1,
    arbitrary: bool = False,
    names: int = 5,
    pair: bool | None = None,
) -> Suite:
    """Load programs of each length and each value of `reveal`, in turn.

    The rows of `by_length` are the number of lines, in a grid with `reveal`: `512/64`.
    """
    lengths, spacings = to_tuple(length), to_tuple(reveal)
    if not lengths or min(lengths) < 1:
        raise UsageError(f"a permutation's length is 1 or more lines, not {length}")
    if not spacings or min(spacings) < 1:
        raise UsageError("reveal is 1 or more: a trace without values has no final state")
    rng = Random(f"bench permutation {seed}")

    def tasks() -> Iterator[Task]:
        for number, (lines, spacing) in enumerate(cycle(product(lengths, spacings))):
            program = _held_out(rng, lines, arbitrary=arbitrary, names=names, pair=pair)
            group = f"{lines}/{spacing}" if len(spacings) > 1 else str(lines)
            options = Compact(reveal=spacing)
            yield Task(program=program, options=options, name=f"permutation/{number}", group=group)

    limits = Limits(steps=10 * max(lengths) + 1_000, wall=60.0)
    count = COUNT * len(lengths) * len(spacings)
    return Suite(name="permutation", tasks=tasks(), count=count, limits=limits)


def _held_out(rng: Random, lines: int, *, arbitrary: bool, names: int, pair: bool | None) -> Program:
    """A program of the test split, or longer than any in training."""
    while True:
        program = permutation(rng, length=lines, names=names, arbitrary=arbitrary, pair=pair)
        if lines > MAX_MOVES or split(program.source) == "test":
            return program


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """Return exact final states by length and `reveal`, with published figures for five names."""
    groups: dict[str, list[dict[str, Any]]] = {}
    others: set[str] = set()  # rows with another number of names than the published one
    for record in records:
        if record.counts:
            groups.setdefault(record.group, []).append(record.judged)
            others |= set() if FIVE_NAMES in record.ask.program.source else {record.group}
    cited = published_rows("permutation")
    rows = []
    for group in sorted(groups, key=_numbers):
        is_cited = group.isdecimal() and group not in others
        figures = [row.figures.get(group) if is_cited else None for row in cited]
        rows.append((group, *_figures(groups[group]), *figures))
    names = (f"{row.model}, {row.way}" if row.way else row.model for row in cited)
    heads = ("lines", "exact final state", "steps right before wrong, median", *names)
    return (Table("by length", heads, tuple(rows), "published: % for five names, arXiv 2602.07672, figure 1"),)


def _figures(judged: Sequence[dict[str, Any]]) -> tuple[Share, float]:
    exact = Share(sum(verdict["answer"] == "right" for verdict in judged), len(judged))
    return exact, float(median(verdict["agreed"] for verdict in judged))


def _numbers(group: str) -> list[int]:
    return [int(part) for part in group.split("/")]
