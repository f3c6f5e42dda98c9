"""The humaneval suite: HumanEval's reference solutions on the inputs of their tests, from its own file.

Each problem's tests are executed once in the sandbox with a candidate that prints its arguments. Each distinct call is
then a task. Random test inputs are drawn with seed 0. The truth is the recording, not the tests' expected values.
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
CALLS = 3  # per problem by default: some tests make a thousand
STEPS = 10_000  # by default, at most

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
        """A script that prints the distinct calls of the tests, which are executed as another file, unrecorded."""
        text = self.source + self.test + HARVEST.format(entry=self.entry)
        return Program(source=f"exec(compile({text!r}, '<tests>', 'exec'), {{'__name__': 'tests'}})\n")

    def program(self, call: str) -> Program:
        """Return the reference solution with one call."""
        return Program(source=self.source, call=call)


def problems(path: str | Path) -> list[Problem]:
    """Read the benchmark's rows."""
    return [
        Problem(row["task_id"], row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"])
        for row in read_rows(path, KEYS)
    ]


def calls(chosen: Sequence[Problem]) -> Iterator[tuple[Problem, list[str]]]:
    """Find the distinct calls in every problem's tests."""
    harvests = record_many(problem.harvest for problem in chosen)
    for problem, trace in zip(chosen, harvests, strict=True):
        if trace.outcome.kind != "returned":
            raise UsageError(f"{problem.name}: its tests ended with {trace.outcome}: {trace.stderr[-500:]}")
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
    """Load at most `calls` calls (0: all) of each problem, shuffled by the seed.

    A call of more than `steps` steps is skipped.
    """
    if calls < 0:
        raise UsageError(f"calls is 1 or more, or 0 for all, not {calls}")
    rng = Random(f"bench humaneval {seed}")
    chosen = problems(data)
    rng.shuffle(chosen)
    options = Compact(reveal=reveal, delta=delta, bare=bare)
    return Suite(name="humaneval", tasks=_tasks(chosen, calls, options, rng), limits=Limits(steps=steps))


def _tasks(chosen: Sequence[Problem], max_calls: int, options: Compact, rng: Random) -> Iterator[Task]:
    for problem, problem_calls in calls(chosen):
        for call in rng.sample(problem_calls, min(max_calls, len(problem_calls))) if max_calls else problem_calls:
            yield Task(program=problem.program(call), options=options, name=f"{problem.name} {call}")
