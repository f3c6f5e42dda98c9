"""Rewrites generated programs, runs both on their own calls and on drawn ones, and prints what differs.

`python tests/rewrite/many.py 10000 --drawn 1` is what `make hostile` runs; exit 1 when anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from worldline.analyze.rewrite import rewrite_program
from worldline.core.program import Program
from worldline.data.equivalence import Difference, compare_programs, draw_calls
from worldline.programs.generate import program

MODES = ({"flatten": True}, {"chars": True}, {"flatten": True, "chars": True})


def pairs(count: int, seed: int, drawn: int) -> Iterator[tuple[Program, Program]]:
    """Generated programs and their rewritings, in each mode in turn, with their calls and drawn ones."""
    for number in range(count):
        made = program(Random(f"rewrite/{seed}/{number}"))
        new = rewrite_program(made, **MODES[number % len(MODES)])
        if new == made:
            continue
        rng = Random(f"calls/{seed}/{number}")
        for call in (made.call, *draw_calls(made, rng, drawn)):
            # The program's own call may have become a function that evaluates its arguments first.
            yield replace(made, call=call), new if call == made.call else replace(new, call=call)


def run(count: int, *, seed: int = 0, drawn: int = 1) -> tuple[Counter[str], list[tuple[Program, Program, Difference]]]:
    """What the programs show, counted, and what differs."""
    kept: list[tuple[Program, Program]] = []

    def remembered() -> Iterator[tuple[Program, Program]]:
        for pair in pairs(count, seed, drawn):
            kept.append(pair)
            yield pair

    counts: Counter[str] = Counter()
    differences = []
    for number, each in enumerate(compare_programs(remembered())):
        counts["different" if isinstance(each, Difference) else each] += 1
        if isinstance(each, Difference):
            differences.append((*kept[number], each))
    return counts, differences


def main() -> int:
    """Run as many as are asked for; 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="programs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--drawn", type=int, default=1, help="further calls a program")
    given = parser.parse_args()
    counts, differences = run(given.count, seed=given.seed, drawn=given.drawn)
    for old, new, difference in differences[:20]:
        print(old.source, new.source, difference, "=" * 60, sep="\n")
    print(", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())))
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
