"""The generated suite: programs of the training's own generators, of the test split, under seeds training never has.

Four of five are the typed generator's, one is a state-tracking task: the shares of the default mixture. No program is
asked twice, under other names neither: tasks that are one program would make the interval narrower than what is known.
Programs that differ in nothing but a literal are still two tasks; one program called with other values is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.limits import Limits
from worldline.programs import generate, tasks
from worldline.programs.split import key, split_of
from worldline.suites.suite import Suite, Task

COUNT = 1_000
TASKS = 0.2  # the share of state-tracking tasks
LIMITS = Limits(steps=2_000)


def load(*, seed: int = 0, reveal: int = 1, delta: str = "whole") -> Suite:
    """Held-out programs, no two of one key, without end."""
    options = Compact(reveal=reveal, delta=delta)
    rng = Random(f"bench generated {seed}")

    def held_out() -> Iterator[Task]:
        asked: set[str] = set()
        while True:
            program = _draw(rng)
            hashed = key(program.source)
            if hashed not in asked and split_of(hashed) == "test":
                yield Task(program=program, options=options, name=f"generated/{len(asked)}")
                asked.add(hashed)

    return Suite(name="generated", tasks=held_out(), count=COUNT, limits=LIMITS)


def _draw(rng: Random) -> Program:
    return tasks.program(rng) if rng.random() < TASKS else generate.program(rng)
