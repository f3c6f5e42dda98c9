"""Find a fix for a program and its tests: the sandbox, the proposers and the model are set up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.parallel.pool import WorkerPool
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.proposers import load_proposer
from worldline.plan.repair.rows import read_checks, with_preferences
from worldline.plan.repair.search import (
    DEFAULT_EXECUTIONS,
    DEFAULT_PATCHES,
    DEFAULT_PREDICTED,
    DEFAULT_TEST_SECONDS,
    RECORDING_LIMITS,
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
    executions: int = DEFAULT_EXECUTIONS,
    patches: int = DEFAULT_PATCHES,
    prefer: Sequence[str] = (),
    imagine: int = DEFAULT_PREDICTED,
    model: AnyModel = DEFAULT,
    propose: str | None = None,
    propose_options: Mapping[str, str] | None = None,
    test_seconds: float = DEFAULT_TEST_SECONDS,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
    pool: WorkerPool | None = None,
) -> Repair:
    """Find small changes of a program that make its tests pass; each was executed in the sandbox.

    Args:
        program: The program to repair.
        tests: A JSON file of rows `[input, output]`, or a Python file of tests.
        function: The function that the rows call; by default the one named like the file, or the only one.
        oracle: The order in which changes are tried: `none`, `random`, `prior`, `imagined` or `mixed`.
        executions: At most this many executed tests.
        patches: Stop after this many patches. With more than one they are compared on drawn inputs.
        prefer: Expressions over the program's functions that must be true, besides the tests.
        imagine: At most this many predicted candidates.
        model: The model of the oracles `imagined` and `mixed`: a name, a predictor or a function.
        propose: Another proposer: `server:URL#MODEL` or `python:FILE.py:NAME`.
        propose_options: Options of the proposing server.
        test_seconds: Limit: CPU-seconds of one test.
        seed: The seed of the oracle `random`.
        progress: Called after each predicted candidate.
        pool: Workers that try the candidates, by default this process (`join_ray`).

    Returns:
        The patches that pass every test, grouped by their results on drawn inputs, the likeliest first; inputs on
        which they differ; and what the search cost.

    Raises:
        UsageError: The tests cannot be read, or an argument is out of range.
    """
    if propose_options and propose is None:
        raise UsageError("--propose-option needs --propose")
    plan = RepairPlan(
        oracle=oracle, executions=executions, patches=patches, imagined=imagine, seconds=test_seconds, seed=seed
    )
    checks = with_preferences(read_checks(program, str(tests), function=function), prefer)
    proposers = (
        [EditProposer()] if propose is None else [load_proposer(propose, dict(propose_options or {})), EditProposer()]
    )
    predictor = load_model(model) if plan.imagines else None
    if predictor is not None and progress is not None:
        predictor = WatchedPredictor(predictor, progress)
    with caller() as runs:
        return repair(
            program,
            checks,
            runs,
            partial(record, limits=RECORDING_LIMITS),
            proposers=proposers,
            plan=plan,
            predictor=predictor,
            pool=pool,
        )
