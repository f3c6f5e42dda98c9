"""QuixBugs' buggy programs: how many are repaired, by the prior alone and with what a model imagines, and at what cost.

A model is not judged by a trace: what it imagines of candidate fixes orders them, and every fix that counts was run.
The interpreter as the model is the best that imagination can do.
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
from worldline.evaluation.suites.repair.quixbugs import BuggyProgram, read_quixbugs
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
    """Every program of QuixBugs' folder, in an order of the seed's."""
    bugs = read_quixbugs(data)
    Random(f"bench repair {seed}").shuffle(bugs)
    tasks = [RepairTask(program=bug.program, name=bug.name, bug=bug) for bug in bugs]
    return Suite(name="repair", tasks=tasks, count=len(tasks))


@dataclass(frozen=True)
class RepairMeter:
    """Each program repaired in either order, with the first patch that passes as the end of the search."""

    batch: int = 1
    no_scratchpad: str = "its programs are searched for a fix, and not rewritten"

    def measure(
        self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /
    ) -> Iterator[Measurement]:
        """Measure each program, in order."""
        with caller() as runs:
            for task in tasks:
                assert isinstance(task, RepairTask)
                bug = in_time(task.bug, runs)
                repairs = {order: _repaired(bug, order, predictor, runs) for order in ORDERS}
                yield Measurement(figures={order: _figures(found) for order, found in repairs.items()})

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs: none is skipped."""
        return len(tasks)

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up what was repaired, and at what cost."""
        heads = (
            "order", "repaired", "candidates tried, mean", "median", "tests run, mean", "bytes imagined, mean",
        )  # fmt: skip
        note = "means and medians are of the programs repaired in every order; mixed: the prior times what is imagined"
        cells = tuple(_row(order, [row.figures for row in rows]) for order in ORDERS)
        return (Table("programs repaired", heads, cells, note),)


def meter() -> RepairMeter:
    """Measure repairs."""
    return RepairMeter()


def _figures(found: Repair) -> dict[str, Any]:
    spent = found.spent
    return {
        "repaired": bool(found.patches), "tried": found.tried, "executions": spent.executions, "bytes": spent.bytes,
    }  # fmt: skip


def in_time(bug: BuggyProgram, runs: Caller) -> BuggyProgram:
    """A program with the tests that its right version passes in time: two of all take minutes."""
    ends = runs.run(bug.tests.batch(bug.right, bug.tests.checks, PLAN.seconds))
    kept = tuple(check for check, end in zip(bug.tests.checks, ends, strict=True) if check.passes(end))
    return replace(bug, tests=replace(bug.tests, checks=kept))


def _repaired(bug: BuggyProgram, order: str, predictor: Predictor, runs: Caller) -> Repair:
    return repair(
        bug.program, bug.tests, runs, partial(record, limits=RECORDING_LIMITS), proposers=[EditProposer()],
        plan=replace(PLAN, oracle=order), predictor=predictor,
    )  # fmt: skip


def _row(order: str, programs: Sequence[Mapping[str, Any]]) -> tuple[Cell, ...]:
    """How many programs an order repairs, and what those cost that every order repairs."""
    own = [figures[order] for figures in programs]
    repaired = Share(sum(each["repaired"] for each in own), len(own))
    done = [figures[order] for figures in programs if all(figures[other]["repaired"] for other in ORDERS)]
    if not done:
        return order, repaired, None, None, None, None
    tried, executions, sizes = ([each[key] for each in done] for key in ("tried", "executions", "bytes"))
    return (
        order, repaired, float(mean(tried)), float(median(tried)), float(mean(executions)), float(mean(sizes)),
    )  # fmt: skip
