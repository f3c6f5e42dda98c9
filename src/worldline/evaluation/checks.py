"""Checks a benchmark before anything runs, and explains what to do instead."""

from __future__ import annotations

import inspect

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.bench_plan import BenchPlan
from worldline.evaluation.prediction_mode import NONE, check_force, rewritten_suite
from worldline.evaluation.run.directory import is_run
from worldline.plan.inputs.answerer import SCHEME as SEARCH
from worldline.predict.models import INTERPRETER, PYTHON

REPLAY = "replay:"
WITHOUT_SCRATCHPAD = {"budget": "it compares how programs are written down"}


def check_plan(plan: BenchPlan, *, has_pool: bool) -> None:
    """Refuse a benchmark whose parts contradict each other.

    Args:
        plan: The benchmark.
        has_pool: Whether the workers of a pool do the work.

    Raises:
        UsageError: Two parts contradict each other; the message says why and what to do.
    """
    suite = plan.suite.name
    if plan.reload is None and plan.samples * len(plan.modes) > 1:
        raise UsageError(
            "the tasks of this suite can be read only once, and several samples or scratchpads need them several "
            "times: pass a list of tasks"
        )
    _check_force(plan, suite)
    _check_scratchpads(plan, suite)
    if plan.samples != 1:
        _check_samples(plan)
    if plan.shard is not None and plan.out is None:
        raise UsageError("a shard must be stored to be merged with the others: pass --out DIR")
    if plan.extras.get("by") == "order":
        _check_order(plan, has_pool)


def _check_force(plan: BenchPlan, suite: str) -> None:
    if plan.queries is not None and list(plan.force) != ["queries"]:
        raise UsageError("--queries needs --force queries: it sets how many true steps the model may request")
    if not plan.force:
        return
    if suites.is_measured(suite):
        suites.meter(suite, force=plan.force)
    elif len(plan.force) > 1:
        raise UsageError("this suite takes one forcing at a time: run it once per forcing, or run the suite states")
    else:
        check_force(plan.force[0])


def _check_scratchpads(plan: BenchPlan, suite: str) -> None:
    chosen = [mode for mode in plan.modes if mode is not None]
    if chosen in ([], [NONE]):
        return
    reason = WITHOUT_SCRATCHPAD.get(suite, "")
    if suites.is_measured(suite):
        reason = suites.meter(suite, force=plan.force or None).no_scratchpad
    if reason:
        raise UsageError(f"the suite {suite} takes no scratchpad: {reason}. Run it without --scratchpad")
    if suites.is_measured(suite):
        for mode in chosen:
            rewritten_suite(plan.suite, mode)


def _check_samples(plan: BenchPlan) -> None:
    model = plan.model
    if plan.samples < 1:
        raise UsageError(f"--samples is at least 1, not {plan.samples}")
    if not isinstance(model, str):
        if not isinstance(model, type) and not inspect.isroutine(model):
            raise UsageError(
                "samples differ by their seed, and a model that is already an object has its seed: pass its class "
                "or the name of the model"
            )
        return
    if model == INTERPRETER or model.startswith(REPLAY):
        raise UsageError(f"{model} always gives the same prediction: drop --samples")
    is_free = model == SEARCH or model.startswith(PYTHON)
    if not is_free and not float(plan.extras.get("temperature", "0")) > 0:
        raise UsageError("samples at temperature 0 are all the same: pass -M temperature=T with --samples")


def _check_order(plan: BenchPlan, has_pool: bool) -> None:
    """Check a replay whose outputs belong to programs by their order alone."""
    if plan.out is not None and is_run(plan.out):
        raise UsageError(
            f"{plan.out} already holds a run, and `by=order` reads outputs from the first one: pass a new --out"
        )
    if plan.shard is not None or has_pool:
        raise UsageError(
            "`by=order` reads outputs from the first one, so a shard or a worker would take those of other programs: "
            "add `digest` or `prompt` to each row, or run in one process"
        )
