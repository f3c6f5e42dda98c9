"""The stochastic suite: programs that draw, wait, race or hide a state; a belief is judged against what is likely.

Held-out programs of `programs.generate.chance`, of each world in turn, none asked twice. No single run is right or
wrong: the truth is the distribution over answers, exact where draws are finite and few, else sampled; a model's belief
is compared with it, by the texts that it writes and by its own odds along every true text. Races have no odds: there
it is asked which results are possible. The interpreter's errors are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from math import inf, isfinite
from random import Random

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, fenced
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Measured, Table
from worldline.plan.futures.future_report import Effort, FutureReport, build_report
from worldline.plan.futures.scores import Errors
from worldline.plan.futures.subject import Subject
from worldline.plan.futures.world import boxed
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


def measure(suite: Suite, predictor: Predictor, *, limit: int | None = None) -> Measured:
    """What is likely of each program, and what is believed, by world; a fault of the tool is in no figure."""
    found: list[tuple[Task, FutureReport]] = []
    faults, seconds = 0, 0.0
    for task in islice(suite.tasks, suite.count if limit is None else limit):
        seen = fenced(_outlook, task, suite.limits, predictor)
        if isinstance(seen, RowFault):
            faults += 1
        else:
            found.append((task, seen))
            seconds += seen.imagined.seconds if seen.imagined is not None else 0.0
    return Measured(
        suite.name, predictor.info.name, len(found), tables(found), faults=faults, seconds=seconds
    )


def _outlook(task: Task, limits: Limits, predictor: Predictor) -> FutureReport:
    """One program's futures; texts of a predictor that always writes the same say nothing of its belief."""
    texts = 0 if predictor.info.is_greedy else TEXTS
    effort = Effort(runs=RUNS, texts=texts)
    with boxed(task.program, limits=limits) as world:
        found = build_report(world, task.program, Subject(), effort=effort, model=predictor)
    return found


def tables(found: Sequence[tuple[Task, FutureReport]]) -> tuple[Table, ...]:
    """The errors of a belief by world: by texts, by odds; and of races, which results were imagined."""
    even = [(task, seen) for task, seen in found if task.group != RACES]
    worlds = [*dict.fromkeys(task.group for task, _ in even)]
    groups = [(world, [seen for task, seen in even if task.group == world]) for world in worlds]
    groups += [("all", [seen for _, seen in even])] if even else []
    made = [
        _errors("by its texts", groups, lambda seen: None if seen.imagined is None else seen.imagined.errors)
    ]
    made.append(
        _errors("by its own odds", groups, lambda seen: None if seen.own is None else seen.own.errors)
    )
    races = [seen for task, seen in found if task.group == RACES]
    return (*(each for each in made if each is not None), *([_races(races)] if races else []))


def _errors(
    title: str, groups: Iterable[tuple[str, list[FutureReport]]], of: Callable[[FutureReport], Errors | None]
) -> Table | None:
    """The mean of each error over the programs of a world; None where no program has any."""
    rows: list[tuple[Cell, ...]] = []
    for world, seen in groups:
        some = [each for one in seen if (each := of(one)) is not None]
        exact = sum(one.truth.is_exact for one in seen)
        columns = [
            [one.divergence for one in some], [one.log_loss for one in some], [one.entropy for one in some],
            [one.brier for one in some], [one.calibration for one in some], [one.impossible for one in some],
        ]  # fmt: skip
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


def _races(seen: Sequence[FutureReport]) -> Table:
    """Which results of racing programs were imagined; what cannot be is no result."""
    rows = [(one.program.call or one.program.name, *_raced(one)) for one in seen]
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
