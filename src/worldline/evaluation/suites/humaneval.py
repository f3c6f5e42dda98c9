"""The humaneval suite: HumanEval's reference solutions on the inputs of their own tests, from its own file.

Each problem's tests are run once in the box with a candidate that writes down its arguments; each distinct call is then
a program of its own. Random test inputs are drawn with seed 0. The tests decide nothing else: what a call gives is
recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.rows import read_rows
from worldline.evaluation.suites.suite import Suite, Task
from worldline.recording.recorder import record_many

KEYS = ("task_id", "prompt", "canonical_solution", "test", "entry_point")
CALLS = 3  # of one problem by default: some tests make a thousand
STEPS = 10_000

HARVEST = """
import random
random.seed(0)
calls = {{}}
def candidate(*args):
    calls.setdefault("{entry}(" + ", ".join(map(repr, args)) + ")")
    return {entry}(*args)
check(candidate)
print("\\n".join(calls))
"""


@dataclass(frozen=True)
class Problem:
    """One row of the benchmark."""

    name: str
    source: str
    test: str
    entry: str

    @property
    def harvest(self) -> Program:
        """A script that prints the distinct calls of the tests; they run as another file, unrecorded."""
        text = self.source + self.test + HARVEST.format(entry=self.entry)
        return Program(source=f"exec(compile({text!r}, '<tests>', 'exec'), {{'__name__': 'tests'}})\n")

    def program(self, call: str) -> Program:
        """The reference solution with one call."""
        return Program(source=self.source, call=call)


def problems(path: str | Path) -> list[Problem]:
    """The benchmark's rows."""
    return [
        Problem(row["task_id"], row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"])
        for row in read_rows(path, KEYS)
    ]


def calls(chosen: Sequence[Problem]) -> Iterator[tuple[Problem, list[str]]]:
    """Every distinct call of every problem's tests."""
    harvests = record_many(problem.harvest for problem in chosen)
    for problem, trace in zip(chosen, harvests, strict=True):
        if trace.outcome.kind != "returned":
            raise UsageError(f"{problem.name}: its tests ended as {trace.outcome}: {trace.stderr[-500:]}")
        yield problem, trace.output.splitlines()


def load(
    *,
    data: str | Path,
    seed: int = 0,
    calls: int = CALLS,
    steps: int = STEPS,
    reveal: int = 1,
    delta: str = "whole",
    bare: bool = True,
) -> Suite:
    """Problems, and at most `calls` (0: all) of each, in an order of the seed's.

    A call of more than `steps` steps is skipped, and counted so.
    """
    if calls < 0:
        raise UsageError(f"calls of a problem are 1 or more, or 0 for all, not {calls}")
    rng = Random(f"bench humaneval {seed}")
    chosen = problems(data)
    rng.shuffle(chosen)
    options = Compact(reveal=reveal, delta=delta, bare=bare)
    return Suite(name="humaneval", tasks=_tasks(chosen, calls, options, rng), limits=Limits(steps=steps))


def _tasks(chosen: Sequence[Problem], most: int, options: Compact, rng: Random) -> Iterator[Task]:
    for problem, found in calls(chosen):
        for call in rng.sample(found, min(most, len(found))) if most else found:
            yield Task(program=problem.program(call), options=options, name=f"{problem.name} {call}")
