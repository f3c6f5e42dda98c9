"""QuixBugs' buggy programs: how many are repaired, by the prior alone and with what a model imagines, and at what cost.

A model is not judged by a trace: what it imagines of candidate fixes orders them, and every fix that counts was run.
The interpreter as the model is the best that imagination can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean, median

from worldline.core.stats import Share
from worldline.evaluation.suites.repair.quixbugs import BuggyProgram, read_quixbugs
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Measured, Table
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.search import RECORDED, Repair, RepairPlan, repair
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


def measure(suite: Suite, predictor: Predictor, *, limit: int | None = None) -> Measured:
    """Each program repaired in either order, with the first patch that passes as the end of the search."""
    bugs = (task.bug for task in islice(suite.tasks, limit) if isinstance(task, RepairTask))
    found: dict[str, list[Repair]] = {order: [] for order in ORDERS}
    with caller() as runs:
        for bug in bugs:
            kept = in_time(bug, runs)
            for order in ORDERS:
                found[order].append(_repaired(kept, order, predictor, runs))
    rows = tuple(_row(order, found[order]) for order in ORDERS)
    heads = (
        "order",
        "repaired",
        "candidates tried, mean",
        "median",
        "tests run, mean",
        "bytes imagined, mean",
    )
    note = "means and medians are of the programs repaired in every order; mixed: the prior times what is imagined"
    solved = [all(each.patches for each in runs) for runs in zip(*found.values(), strict=True)]
    table = Table(
        "programs repaired", heads, tuple(_filled(row, found[str(row[0])], solved) for row in rows), note
    )
    return Measured(suite.name, predictor.info.name, len(solved), (table,))


def in_time(bug: BuggyProgram, runs: Caller) -> BuggyProgram:
    """A program with the tests that its right version passes in time: two of all take minutes."""
    ends = runs.run(bug.tests.batch(bug.right, bug.tests.checks, PLAN.seconds))
    kept = tuple(check for check, end in zip(bug.tests.checks, ends, strict=True) if check.passes(end))
    return replace(bug, tests=replace(bug.tests, checks=kept))


def _repaired(bug: BuggyProgram, order: str, predictor: Predictor, runs: Caller) -> Repair:
    return repair(
        bug.program, bug.tests, runs, partial(record, limits=RECORDED), proposers=[EditProposer()],
        plan=replace(PLAN, oracle=order), predictor=predictor,
    )  # fmt: skip


def _row(order: str, found: Sequence[Repair]) -> tuple[Cell, ...]:
    return order, Share(sum(bool(each.patches) for each in found), len(found))


def _filled(row: tuple[Cell, ...], found: Sequence[Repair], solved: Sequence[bool]) -> tuple[Cell, ...]:
    """A row with what the programs that every order repairs cost."""
    done = [each for each, is_solved in zip(found, solved, strict=True) if is_solved]
    if not done:
        return (*row, None, None, None, None)
    tried = [each.tried for each in done]
    return (
        *row, float(mean(tried)), float(median(tried)), float(mean(each.spent.executions for each in done)),
        float(mean(each.spent.bytes for each in done)),
    )  # fmt: skip
