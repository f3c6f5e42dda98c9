"""Exact futures against samples: 30 programs walked in a box, and drawn 100,000 times each by plain Python.

    python studies/hidden/exact.py [--samples 100000] [--json FILE]

The walk is `worldline futures --exact`'s. The samples know nothing of worldline: a plain process imports chances.py,
seeds `random` and calls each function so often (what asks the system for bytes is not seeded). A thing is inside if its
exact mass is in Clopper and Pearson's interval of its count, at a level that holds for all things of all programs at
once with 95 %. Exit 1 where one is outside, or where a sample is something that the walk says cannot be.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from chances import CALLS

from worldline.core.program import Program
from worldline.core.stats import binomial_tails
from worldline.core.value import quote
from worldline.plan.futures.future_report import Effort, build_report
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.subject import Subject

FILE = Path(__file__).parent / "chances.py"
LEVEL = 0.05
_SAMPLER = """
import collections, json, random, sys
sys.path.insert(0, sys.argv[1])
import chances
random.seed(int(sys.argv[3]))
found = []
for call in chances.CALLS:
    code = compile(call, "call", "eval")
    counts = collections.Counter(eval(code, vars(chances)) for _ in range(int(sys.argv[2])))
    found.append(list(counts.items()))
print(json.dumps(found))
"""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    began = time.perf_counter()
    sampled = _sampled(asked.samples, asked.seed)
    between = time.perf_counter()
    walked = [_walked(call) for call in CALLS]
    ended = time.perf_counter()
    things = sum(len(mass) for mass, _ in walked)
    rows = [
        _row(call, mass, runs, counts, asked.samples, LEVEL / things)
        for call, (mass, runs), counts in zip(CALLS, walked, sampled, strict=True)
    ]
    _print(rows, asked.samples, between - began, ended - between)
    if asked.json is not None:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return int(any(row["outside"] or row["impossible"] for row in rows))


def _sampled(n: int, seed: int) -> list[Counter[str]]:
    words = [sys.executable, "-c", _SAMPLER, str(FILE.parent), str(n), str(seed)]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return [Counter({_canonical(value): count for value, count in each}) for each in found]


def _canonical(value: Any) -> str:
    return quote(value) if isinstance(value, str) else repr(value)


def _walked(call: str) -> tuple[dict[str, Fraction], int]:
    program = Program(source=FILE.read_text("utf-8"), name=FILE.name, call=call)
    with sandboxed_program(program) as world:
        found = build_report(world, program, Subject(), effort=Effort(exact=True, runs=5_000))
    if not found.truth.is_exact:
        raise SystemExit(f"{call}: {found.way}")
    return dict(found.truth.mass), found.runs


def _row(call: str, mass: dict[str, Fraction], runs: int, counts: Counter[str], n: int, level: float) -> dict[str, Any]:
    """One program: how many things, and how many of them are outside, at the common level and at 95 % each."""

    def outside(what: str, alpha: float) -> bool:
        return min(binomial_tails(counts[what], n, float(mass[what]))) < alpha / 2

    apart = max(abs(counts[what] / n - float(mass[what])) for what in mass)
    return {
        "call": call, "runs": runs, "things": len(mass), "sum": str(sum(mass.values())), "apart": apart,
        "outside": sum(outside(what, level) for what in mass),
        "outside_each": sum(outside(what, LEVEL) for what in mass),
        "impossible": sum(count for what, count in counts.items() if what not in mass),
    }  # fmt: skip


def _print(rows: list[dict[str, Any]], n: int, sampling: float, walking: float) -> None:
    print(f"{'program':<22} {'runs':>5} {'things':>6} {'sum':>4} {'furthest':>9} {'outside':>8} {'at 95 %':>8}")
    for row in rows:
        print(
            f"{row['call']:<22} {row['runs']:>5} {row['things']:>6} {row['sum']:>4} {row['apart']:>9.5f} "
            f"{row['outside']:>8} {row['outside_each']:>8}"
        )
    fine = sum(not row["outside"] and not row["impossible"] for row in rows)
    things, each = sum(row["things"] for row in rows), sum(row["outside_each"] for row in rows)
    print(f"{fine} of {len(rows)} programs inside, all {things:,} things at once at 95 %; {n:,} samples each")
    print(f"one by one, {each:,} of {things:,} are outside their 95 % interval ({100 * each / things:.1f} %)")
    print(f"{sum(row['runs'] for row in rows):,} runs in {walking:.0f} s; samples in {sampling:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
