"""The repair suite: how many of QuixBugs' programs are repaired, by the prior alone and with predictions.

The model orders candidate fixes by their predicted executions; every fix that counts has passed its tests in the
sandbox. With the interpreter as the model, the result is the best that predictions can achieve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

from worldline.core.limits import Limits
from worldline.core.stats import Share
from worldline.evaluation.suites.measurement import Measurement
from worldline.evaluation.suites.quixbugs import BuggyProgram, read_quixbugs
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.search import RECORDING_LIMITS, Repair, RepairPlan, repair
from worldline.predict.predictor import Predictor
from worldline.recording.calls import Caller, caller
from worldline.recording.recorder import record

PLAN = RepairPlan(executions=5_000, patches=1, imagined=20, seconds=0.1)
ORDERS = ("prior", "mixed")


@dataclass(frozen=True, kw_only=True)
class RepairTask(Task):
    """A buggy program of QuixBugs with its tests."""

    bug: BuggyProgram


def load(*, data: str | Path, seed: int = 0) -> Suite:
    """Load every program of QuixBugs' folder, shuffled by the seed."""
    bugs = read_quixbugs(data)
    Random(f"bench repair {seed}").shuffle(bugs)
    tasks = [RepairTask(program=bug.program, name=bug.name, bug=bug) for bug in bugs]
    return Suite(name="repair", tasks=tasks, count=len(tasks))


@dataclass(frozen=True)
class RepairMeter:
    """Repairs each program in either order, until the first patch that passes."""

    batch: int = 1
    no_scratchpad: str = "its programs are searched for a fix, and not rewritten"

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each program, in order."""
        with caller() as runs:
            for task in tasks:
                assert isinstance(task, RepairTask)
                bug = with_fast_tests(task.bug, runs)
                repairs = {order: _repaired(bug, order, predictor, runs) for order in ORDERS}
                yield Measurement(figures={order: _figures(result) for order, result in repairs.items()})

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs: none is skipped."""
        return len(tasks)

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up what was repaired, and at what cost."""
        costs = ("candidates tried, mean", "median", "tests run, mean", "bytes imagined, mean")
        heads = ("order", "repaired", *costs)
        note = "means and medians are of the programs repaired in every order; mixed: the prior times the prediction"
        cells = tuple(_row(order, [row.figures for row in rows]) for order in ORDERS)
        return (Table("programs repaired", heads, cells, note),)


def meter() -> RepairMeter:
    """Return a meter of repairs."""
    return RepairMeter()


def _figures(result: Repair) -> dict[str, Any]:
    cost = {"executions": result.spent.executions, "bytes": result.spent.bytes}
    return {"repaired": bool(result.patches), "tried": result.tried, **cost}


def with_fast_tests(bug: BuggyProgram, runs: Caller) -> BuggyProgram:
    """Return a program with the tests that its right version passes in time: two of them take minutes."""
    ends = runs.run(bug.tests.batch(bug.right, bug.tests.checks, PLAN.seconds))
    checks = tuple(check for check, end in zip(bug.tests.checks, ends, strict=True) if check.passes(end))
    return replace(bug, tests=replace(bug.tests, checks=checks))


def _repaired(bug: BuggyProgram, order: str, predictor: Predictor, runs: Caller) -> Repair:
    plan, record_program = replace(PLAN, oracle=order), partial(record, limits=RECORDING_LIMITS)
    proposers = [EditProposer()]
    return repair(bug.program, bug.tests, runs, record_program, proposers=proposers, plan=plan, predictor=predictor)


def _row(order: str, programs: Sequence[Mapping[str, Any]]) -> tuple[Cell, ...]:
    """How many programs an order repairs, and the cost of those that every order repairs."""
    own = [figures[order] for figures in programs]
    repaired = Share(sum(figures["repaired"] for figures in own), len(own))
    done = [figures[order] for figures in programs if all(figures[other]["repaired"] for other in ORDERS)]
    if not done:
        return order, repaired, None, None, None, None
    tried, executions, sizes = ([figures[key] for figures in done] for key in ("tried", "executions", "bytes"))
    return order, repaired, *map(float, (mean(tried), median(tried), mean(executions), mean(sizes)))
