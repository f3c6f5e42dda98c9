"""The stochastic suite: programs that draw, wait, race or hide a state.

Held-out programs of `programs.generate.chance`, of each world in turn, without repetition. No single execution is right
or wrong: the truth is the distribution over answers, exact if there are few draws, otherwise sampled. A model's belief
is compared with it, by its predictions and by its probabilities along every true text. For races, the possible results
are compared. The interpreter's errors are 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from math import inf, isfinite
from random import Random
from typing import Any

from worldline.core.fault import RowFault, call_or_fault
from worldline.core.limits import Limits
from worldline.evaluation.suites.measurement import Measurement, failed
from worldline.evaluation.suites.suite import Suite, Task, choose, draw_held_out
from worldline.evaluation.table import Cell, Table
from worldline.plan.futures.future_report import Effort, FutureReport, build_report
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.scores import Errors
from worldline.plan.futures.subject import Subject
from worldline.predict.predictor import Predictor
from worldline.programs.generate import chance

WORLDS = ("draws", "dice", "cards", "shuffles", "choices", "walks", "sensors", "retries", "games", "races")
RACES = "races"
COUNT = 4  # programs of each world
MAX_RUNS = 1_000  # executions of a program
PREDICTIONS = 48  # per program
LIMITS = Limits(steps=2_000)
ERROR_FIELDS = ("divergence", "log_loss", "entropy", "brier", "calibration", "impossible")


def load(*, seed: int = 0, world: str | Sequence[str] | None = None) -> Suite:
    """Load programs of each world in turn, without end."""
    worlds = choose(world, WORLDS, "world")
    rng = Random(f"bench stochastic {seed}")

    def tasks() -> Iterator[Task]:
        seen: set[str] = set()
        for number, which in enumerate(cycle(worlds)):
            program = draw_held_out(partial(chance.of(which), rng), seen)
            yield Task(program=program, name=f"stochastic/{number}", group=which)

    return Suite(name="stochastic", tasks=tasks(), count=COUNT * len(worlds), limits=LIMITS)


@dataclass(frozen=True)
class BeliefMeter:
    """Measures how far a model's belief is from the true distribution of each program."""

    batch: int = 1
    no_scratchpad: str = "it compares beliefs about the program as it is written"

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each program, in order; a fault of the tool is in no figure."""
        for task in tasks:
            report = call_or_fault(_futures, task, limits, predictor)
            yield failed(report) if isinstance(report, RowFault) else _measurement(task, report)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs: none is skipped."""
        return len(tasks)

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up the errors of a belief by world, and which results of races were predicted."""
        programs = [row.figures for row in rows]
        drawing = [figures for figures in programs if figures["world"] != RACES]
        worlds = [*dict.fromkeys(figures["world"] for figures in drawing)]
        groups = [(world, [figures for figures in drawing if figures["world"] == world]) for world in worlds]
        groups += [("all", drawing)] if drawing else []
        by_belief = [_errors("by its predictions", groups, "texts"), _errors("by its probabilities", groups, "odds")]
        races = [figures["race"] for figures in programs if figures["world"] == RACES]
        return (*(table for table in by_belief if table is not None), *([_races(races)] if races else []))


def meter() -> BeliefMeter:
    """Return a meter of beliefs."""
    return BeliefMeter()


def _measurement(task: Task, report: FutureReport) -> Measurement:
    imagined, own = report.imagined, report.own
    figures: dict[str, Any] = {
        "world": task.group,
        "exact": report.truth.is_exact,
        "texts": None if imagined is None else _numbers(imagined.errors),
        "odds": None if own is None else _numbers(own.errors),
    }
    if task.group == RACES:
        figures["race"] = [report.program.call or report.program.name, *_raced(report)]
    return Measurement(figures=figures, seconds=0.0 if imagined is None else imagined.seconds)


def _numbers(errors: Errors | None) -> list[float] | None:
    """The errors in the order of the table's columns."""
    return None if errors is None else [getattr(errors, field) for field in ERROR_FIELDS]


def _futures(task: Task, limits: Limits, predictor: Predictor) -> FutureReport:
    """The futures of a program. The predictions of a greedy model are all the same: it makes none."""
    effort = Effort(runs=MAX_RUNS, texts=0 if predictor.info.is_greedy else PREDICTIONS)
    with sandboxed_program(task.program, limits=limits) as world:
        return build_report(world, task.program, Subject(), effort=effort, model=predictor)


def _errors(title: str, groups: Iterable[tuple[str, list[Mapping[str, Any]]]], belief: str) -> Table | None:
    """The mean of each error over the programs of a world; None if no program has any."""
    rows: list[tuple[Cell, ...]] = []
    for world, programs in groups:
        errors = [figures[belief] for figures in programs if figures[belief] is not None]
        columns = zip(*errors, strict=True) if errors else [()] * len(ERROR_FIELDS)
        exact = sum(figures["exact"] for figures in programs)
        rows.append((world, len(programs), exact, len(errors), *map(_mean, columns)))
    counts = ("world", "programs", "exact", "asked")
    heads = (*counts, "KL, bits", "log-loss", "entropy", "Brier", "calibration", "impossible")
    note = (
        "means over programs, of answers; exact: programs whose every future was executed, the others are sampled. KL "
        "and log-loss in bits, log-loss beside the entropy of the truth; impossible: probability of impossible "
        "answers. 0 is best everywhere"
    )
    return Table(title, heads, tuple(rows), note) if any(row[3] for row in rows) else None


def _mean(numbers: Sequence[float]) -> str | None:
    """The mean to four places, as these are small."""
    mean = sum(numbers) / len(numbers) if numbers else None
    return None if mean is None else f"{mean:.4f}" if isfinite(mean) else str(inf)


def _races(races: Sequence[Sequence[Cell]]) -> Table:
    """Which results of racing programs were predicted."""
    rows = [tuple(race) for race in races]
    heads = ("race", "possible results", "imagined", "mass on impossible ones")
    note = "possible: under a schedule that was executed; `worldline futures` says whether all were"
    return Table("races", heads, tuple(rows), note)


def _raced(report: FutureReport) -> tuple[Cell, Cell, Cell]:
    possible = {*report.truth.mass}
    if report.races is not None:
        possible |= {result.what for result in report.races.results} | {*report.races.seeded.mass}
    if report.imagined is None:
        return len(possible), None, None
    belief = report.imagined.distribution.shares()
    wrong = sum(mass for result, mass in belief.items() if result not in possible)
    return len(possible), len(possible & belief.keys()), f"{wrong:.4f}"
