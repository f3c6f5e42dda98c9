"""The stochastic suite: programs that draw, wait, race or hide a state; a belief is judged against what is likely.

Held-out programs of `programs.generate.chance`, of each world in turn, none asked twice. No single run is right or
wrong: the truth is the distribution over answers, exact where draws are finite and few, else sampled; a model's belief
is compared with it, by the texts that it writes and by its own odds along every true text. Races have no odds: there
it is asked which results are possible. The interpreter's errors are 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import inf, isfinite
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.suites.measurement import Measurement, failed
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table
from worldline.plan.futures.future_report import Effort, FutureReport, build_report
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.scores import Errors
from worldline.plan.futures.subject import Subject
from worldline.predict.predictor import Predictor
from worldline.programs.generate import chance
from worldline.programs.split import program_key, split_of

WORLDS = (
    "draws", "dice", "cards", "shuffles", "choices", "walks", "sensors", "retries", "games", "races",
)  # fmt: skip
RACES = "races"
COUNT = 4  # programs of each world
RUNS, TEXTS = 1_000, 48  # of a walk at most; that a model writes
LIMITS = Limits(steps=2_000)
ERRORS = 6  # figures of a belief


def load(*, seed: int = 0, world: str | Sequence[str] | None = None) -> Suite:
    """Programs of each world in turn, without end."""
    worlds = WORLDS if world is None else (world,) if isinstance(world, str) else tuple(world)
    strange = [each for each in worlds if each not in WORLDS]
    if strange or not worlds:
        raise UsageError(f"a world is one of {', '.join(WORLDS)}, not {', '.join(strange) or 'none'}")
    rng = Random(f"bench stochastic {seed}")

    def tasks() -> Iterator[Task]:
        asked: set[str] = set()
        for number, which in enumerate(cycle(worlds)):
            yield Task(program=_held_out(rng, which, asked), name=f"stochastic/{number}", group=which)

    return Suite(name="stochastic", tasks=tasks(), count=COUNT * len(worlds), limits=LIMITS)


def _held_out(rng: Random, world: str, asked: set[str]) -> Program:
    draw = chance.of(world)
    while True:
        program = draw(rng)
        hashed = program_key(program)
        if hashed not in asked and split_of(hashed) == "test":
            asked.add(hashed)
            return program


@dataclass(frozen=True)
class BeliefMeter:
    """What is likely of each program, and what is believed."""

    batch: int = 1
    no_scratchpad: str = "it compares a belief with what is likely of the program as it is written"

    def measure(
        self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /
    ) -> Iterator[Measurement]:
        """Measure each program, in order; a fault of the tool is in no figure."""
        for task in tasks:
            seen = call_or_fault(_outlook, task, limits, predictor)
            yield failed(seen) if isinstance(seen, RowFault) else _measurement(task, seen)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs: none is skipped."""
        return len(tasks)

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up the errors of a belief by world: by texts, by odds; and of races, which results were imagined."""
        seen = [row.figures for row in rows]
        even = [one for one in seen if one["world"] != RACES]
        worlds = [*dict.fromkeys(one["world"] for one in even)]
        groups = [(world, [one for one in even if one["world"] == world]) for world in worlds]
        groups += [("all", even)] if even else []
        by_belief = [_errors("by its texts", groups, "texts"), _errors("by its own odds", groups, "odds")]
        races = [one["race"] for one in seen if one["world"] == RACES]
        return (*(table for table in by_belief if table is not None), *([_races(races)] if races else []))


def meter() -> BeliefMeter:
    """Measure beliefs."""
    return BeliefMeter()


def _measurement(task: Task, seen: FutureReport) -> Measurement:
    imagined, own = seen.imagined, seen.own
    figures: dict[str, Any] = {
        "world": task.group, "exact": seen.truth.is_exact,
        "texts": None if imagined is None else _numbers(imagined.errors),
        "odds": None if own is None else _numbers(own.errors),
    }  # fmt: skip
    if task.group == RACES:
        figures["race"] = [seen.program.call or seen.program.name, *_raced(seen)]
    return Measurement(figures=figures, seconds=0.0 if imagined is None else imagined.seconds)


def _numbers(errors: Errors | None) -> list[float] | None:
    """The errors in the order of the table's columns."""
    if errors is None:
        return None
    return [
        errors.divergence, errors.log_loss, errors.entropy, errors.brier, errors.calibration, errors.impossible,
    ]  # fmt: skip


def _outlook(task: Task, limits: Limits, predictor: Predictor) -> FutureReport:
    """One program's futures; texts of a predictor that always writes the same say nothing of its belief."""
    texts = 0 if predictor.info.is_greedy else TEXTS
    effort = Effort(runs=RUNS, texts=texts)
    with sandboxed_program(task.program, limits=limits) as world:
        found = build_report(world, task.program, Subject(), effort=effort, model=predictor)
    return found


def _errors(title: str, groups: Iterable[tuple[str, list[Mapping[str, Any]]]], belief: str) -> Table | None:
    """The mean of each error over the programs of a world; None where no program has any."""
    rows: list[tuple[Cell, ...]] = []
    for world, seen in groups:
        some = [one[belief] for one in seen if one[belief] is not None]
        columns = zip(*some, strict=True) if some else [()] * ERRORS
        exact = sum(one["exact"] for one in seen)
        rows.append((world, len(seen), exact, len(some), *map(_mean, columns)))
    heads = (
        "world",
        "programs",
        "exact",
        "asked",
        "KL, bits",
        "log-loss",
        "entropy",
        "Brier",
        "calibration",
        "impossible",
    )
    note = (
        "means over programs, of answers; exact: programs whose every future was walked, else sampled. KL and log-loss "
        "in bits, log-loss beside the entropy of the truth; impossible: mass on what cannot be; 0 is right, everywhere"
    )
    return Table(title, heads, tuple(rows), note) if any(row[3] for row in rows) else None


def _mean(numbers: Sequence[float]) -> str | None:
    """To four places: these are small."""
    mean = sum(numbers) / len(numbers) if numbers else None
    return None if mean is None else f"{mean:.4f}" if isfinite(mean) else str(inf)


def _races(races: Sequence[Sequence[Cell]]) -> Table:
    """Which results of racing programs were imagined; what cannot be is no result."""
    rows = [tuple(race) for race in races]
    heads = ("race", "possible results", "imagined", "mass on impossible ones")
    note = "possible: with at most two preemptions, or under a seeded schedule"
    return Table("races", heads, tuple(rows), note)


def _raced(seen: FutureReport) -> tuple[Cell, Cell, Cell]:
    possible = {*seen.truth.mass}
    if seen.races is not None:
        possible |= {one.what for one in seen.races.results} | {*seen.races.seeded.mass}
    if seen.imagined is None:
        return len(possible), None, None
    belief = seen.imagined.distribution.shares()
    wrong = sum(mass for what, mass in belief.items() if what not in possible)
    return len(possible), len(possible & belief.keys()), f"{wrong:.4f}"
