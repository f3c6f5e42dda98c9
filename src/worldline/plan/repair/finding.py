"""A fix from a program and its tests to a report: the sandbox, the proposers and the model are set up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.parallel.pool import WorkerPool
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.proposers import load_proposer
from worldline.plan.repair.rows import read_checks
from worldline.plan.repair.search import (
    EXECUTIONS,
    IMAGINED,
    PATCHES,
    RECORDED,
    SECONDS,
    Repair,
    RepairPlan,
    repair,
)
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.predictor import WatchedPredictor
from worldline.recording.calls import caller
from worldline.recording.recorder import record


def find_repair(
    program: Program,
    tests: str | Path,
    *,
    function: str | None = None,
    oracle: str = "prior",
    executions: int = EXECUTIONS,
    patches: int = PATCHES,
    imagine: int = IMAGINED,
    model: AnyModel = DEFAULT,
    propose: str | None = None,
    propose_options: Mapping[str, str] | None = None,
    test_seconds: float = SECONDS,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
    pool: WorkerPool | None = None,
) -> Repair:
    """Find small changes of a program that make its tests pass; each was executed in the sandbox.

    Args:
        program: The program to repair.
        tests: A JSON file of rows `[input, output]`, or a Python file of tests.
        function: The function that rows are of; by default the one that is named like the file, or the only one.
        oracle: The order in which changes are tried: `none`, `random`, `prior`, `imagined` or `mixed`.
        executions: The most tests that are executed.
        patches: Stop after this many patches.
        imagine: The most candidates that are put to the model.
        model: Who predicts, with the oracles `imagined` and `mixed`: a name, a predictor or a function.
        propose: Who proposes changes too: `server:URL#MODEL` or `python:FILE.py:NAME`.
        propose_options: Options of the proposing server.
        test_seconds: Limit: CPU-seconds of one test.
        seed: With the oracle `random`: which order.
        progress: Called after each candidate that the model has predicted.
        pool: Who tries the candidates, where that is not this machine (`join_ray`).

    Returns:
        The patches that pass every test, the smallest first, and what the search cost.

    Raises:
        UsageError: The tests cannot be read, or an argument is out of range.
    """
    if propose_options and propose is None:
        raise UsageError("--propose-option goes with --propose")
    plan = RepairPlan(
        oracle=oracle,
        executions=executions,
        patches=patches,
        imagined=imagine,
        seconds=test_seconds,
        seed=seed,
    )
    checks = read_checks(program, str(tests), function=function)
    proposers = (
        [EditProposer()]
        if propose is None
        else [load_proposer(propose, dict(propose_options or {})), EditProposer()]
    )
    predictor = load_model(model) if plan.imagines else None
    if predictor is not None and progress is not None:
        predictor = WatchedPredictor(predictor, progress)
    with caller() as runs:
        return repair(
            program,
            checks,
            runs,
            partial(record, limits=RECORDED),
            proposers=proposers,
            plan=plan,
            predictor=predictor,
            pool=pool,
        )
