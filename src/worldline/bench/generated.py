"""The generated suite: programs of the training's own generators, of the test split, under seeds training never has.

Four of five are the typed generator's, one is a state-tracking task: the shares of the default mixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from worldline.bench.suite import Suite, Task
from worldline.codec.compact_prompt import Compact
from worldline.core.program import Program
from worldline.data import generate, tasks
from worldline.data.split import split
from worldline.limits import Limits

COUNT = 1_000
TASKS = 0.2  # the share of state-tracking tasks
LIMITS = Limits(steps=2_000)


def load(*, seed: int = 0, reveal: int = 1, delta: str = "whole") -> Suite:
    """Held-out programs, without end."""
    options = Compact(reveal=reveal, delta=delta)
    rng = Random(f"bench generated {seed}")

    def held_out() -> Iterator[Task]:
        number = 0
        while True:
            program = _draw(rng)
            if split(program.source) == "test":
                yield Task(program=program, options=options, name=f"generated/{number}")
                number += 1

    return Suite(name="generated", tasks=held_out(), count=COUNT, limits=LIMITS)


def _draw(rng: Random) -> Program:
    return tasks.program(rng) if rng.random() < TASKS else generate.program(rng)
