"""The horizon suite: small worlds that run for thousands of steps, to see how far a prediction stays right.

Counters, residues, Collatz numbers, a binary counter, a finite automaton and cells on a ring. `length` is the number of
true steps, met within one turn. The programs stay short, so that only the horizon grows. Programs are of the test
split, without repetition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
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
from worldline.evaluation.suites.suite import Suite, Task, choose, draw_held_out, to_tuple
from worldline.evaluation.table import Cell, Table

LENGTHS = (64, 256, 1_024, 4_096)
COUNT = 5  # tasks of each world and length

WriteSource = Callable[[Random, int], str]


def load(
    *,
    seed: int = 0,
    length: int | Sequence[int] = LENGTHS,
    world: str | Sequence[str] | None = None,
    reveal: int = 1,
    delta: str = "whole",
) -> Suite:
    """Load each world at each length, in turn. The rows of `by_length` are a length and a world: `1024/collatz`."""
    lengths = to_tuple(length)
    worlds = choose(world, WORLDS, "world")
    if not lengths or min(lengths) < MIN_STEPS:
        raise UsageError(f"a horizon is {MIN_STEPS} or more steps, not {length}")
    options = Compact(reveal=reveal, delta=delta)
    rng = Random(f"bench horizon {seed}")

    def tasks() -> Iterator[Task]:
        seen: set[str] = set()
        for number, (steps, which) in enumerate(cycle(product(lengths, worlds))):
            program = draw_held_out(partial(_program, rng, which, steps), seen)
            name, group = f"horizon/{number}", f"{steps}/{which}"
            yield Task(program=program, options=options, name=name, group=group)

    limits = Limits(steps=2 * max(lengths) + 1_000, wall=60.0)
    return Suite(name="horizon", tasks=tasks(), count=COUNT * len(lengths) * len(worlds), limits=limits)


def _program(rng: Random, world: str, steps: int) -> Program:
    return Program(source=WORLDS[world](rng, steps), call="main()")


def counter(rng: Random, steps: int) -> str:
    """Write a counter that increases by a constant, two steps per turn."""
    start, by = rng.randint(0, 999), rng.randint(1, 9)
    turns = max(1, (steps - 4) // 2)
    return _main([f"n = {start}", f"while n < {start + by * turns}:"], [f"n += {by}"], "n")


def residue(rng: Random, steps: int) -> str:
    """Write a residue that an increasing number is added to, three steps per turn."""
    m, by = rng.randint(5, 97), rng.randint(1, 9)
    turns = max(1, (steps - 5) // 3)
    before = [f"n = {rng.randint(0, 99)}", f"r = {rng.randrange(m)}", f"for _ in range({turns}):"]
    return _main(before, [f"n += {by}", f"r = (r + n) % {m}"], "r")


def collatz(rng: Random, steps: int) -> str:
    """Write Collatz sequences of increasing starts, four steps per turn on either branch."""
    turns = max(1, (steps - 6) // 4)
    return _main(
        [f"start = {rng.randint(2, 4_000)}", "n = start", f"for _ in range({turns}):"],
        [
            "if n == 1:",
            "    start += 1",
            "    n = start",
            "elif n % 2 == 0:",
            "    n //= 2",
            "else:",
            "    n = 3 * n + 1",
        ],
        "start, n",
    )


def binary(rng: Random, steps: int) -> str:
    """Write a binary counter as a list of bits, the lowest first, with carries of any length."""
    width = rng.randint(6, 12)
    bits = [rng.randint(0, 1) for _ in range(width)]
    turns, used = 0, 0
    state = list(bits)
    while used < steps - 5:
        place = 0
        while place < width and state[place]:
            state[place] = 0
            place += 1
        if place < width:
            state[place] = 1
        used += 4 + 3 * place + (place < width)
        turns += 1
    return _main(
        [f"bits = {bits}", f"for _ in range({turns}):"],
        [
            "i = 0",
            f"while i < {width} and bits[i] == 1:",
            "    bits[i] = 0",
            "    i += 1",
            f"if i < {width}:",
            "    bits[i] = 1",
        ],
        "bits",
    )


def automaton(rng: Random, steps: int) -> str:
    """Write a finite automaton that reads a word repeatedly. Its states are summed, so that guessing does not help."""
    size = rng.randint(3, 5)
    table = [{letter: rng.randrange(size) for letter in "ab"} for _ in range(size)]
    word = "".join(rng.choices("ab", k=rng.randint(5, 13)))
    turns = max(1, (steps - 7) // 3)
    before = [f"table = {table}", f"word = {word!r}", f"state = {rng.randrange(size)}", "total = 0"]
    body = ["state = table[state][word[i % len(word)]]", "total += state"]
    return _main([*before, f"for i in range({turns}):"], body, "state, total")


def cells(rng: Random, steps: int) -> str:
    """Write an elementary cellular automaton on a ring, with a step for every cell."""
    width, rule = rng.randint(5, 9), rng.choice((30, 45, 54, 73, 90, 105, 106, 110, 150))
    row = [rng.randint(0, 1) for _ in range(width)]
    turns = max(1, (steps - 5) // (4 + 2 * width))
    return _main(
        [f"row = {row}", f"for _ in range({turns}):"],
        [
            "new = []",
            f"for i in range({width}):",
            f"    new.append({rule} >> (row[i - 1] * 4 + row[i] * 2 + row[(i + 1) % {width}]) & 1)",
            "row = new",
        ],
        "row",
    )


WORLDS: dict[str, WriteSource] = {
    "counter": counter,
    "residue": residue,
    "collatz": collatz,
    "binary": binary,
    "automaton": automaton,
    "cells": cells,
}
MIN_STEPS = 32  # at least one turn of every world


def _main(before: Sequence[str], body: Sequence[str], answer: str) -> str:
    lines = [*before, *("    " + line for line in body), f"return {answer}"]
    return "def main():\n" + "".join(f"    {line}\n" for line in lines)


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """Return each world by length: the exact end, and how many steps were right before the first wrong one."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record in records:
        if record.counts:
            length, _, world = record.group.partition("/")
            groups.setdefault((world, int(length)), []).append(record.judged)
    places = sorted(groups, key=lambda place: (list(WORLDS).index(place[0]), place[1]))
    rows = tuple((*place, *_figures(groups[place])) for place in places)
    heads = ("world", "length", "exact end", "true steps", "right before wrong: least", "median", "% of steps")
    note = "right before wrong: steps of the true trace that were predicted before the first divergence"
    return (Table("by world and length", heads, rows, note),)


def _figures(judged: Sequence[dict[str, Any]]) -> tuple[Cell, ...]:
    exact = Share(sum(verdict["answer"] == "right" for verdict in judged), len(judged))
    agreed, steps = [verdict["agreed"] for verdict in judged], sum(verdict["steps"] for verdict in judged)
    return exact, steps / len(judged), min(agreed), float(median(agreed)), 100 * sum(agreed) / steps
