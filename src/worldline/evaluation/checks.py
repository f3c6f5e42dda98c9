"""Checks a benchmark before anything runs, and explains what to do instead."""

from __future__ import annotations

import inspect

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.bench_plan import BenchPlan
from worldline.evaluation.prediction_mode import NONE, check_force, rewritten_suite
from worldline.evaluation.run.directory import is_run
from worldline.plan.inputs.answerer import SCHEME as SEARCH
from worldline.predict.models import INTERPRETER, PYTHON, AnyModel

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
    if plan.reload is None and plan.repeats * len(plan.modes) > 1:
        raise UsageError(
            "the tasks of this suite can be read only once, and several repeats or scratchpads need them several "
            "times: pass a list of tasks"
        )
    _check_force(plan, suite)
    _check_scratchpads(plan, suite)
    if plan.is_vote or plan.samples != 1:
        _check_vote(plan, suite)
    if plan.repeats != 1:
        _check_repeats(plan)
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


def _check_vote(plan: BenchPlan, suite: str) -> None:
    if plan.samples < 1:
        raise UsageError(f"--samples is at least 1, not {plan.samples}")
    if suites.is_measured(suite):
        raise UsageError(
            f"the suite {suite} has tables of its own and no single answer to vote on. Run it without --samples and "
            "--voter; --repeats runs it several times"
        )
    if plan.samples > 1 and _is_constant(plan.model):
        raise UsageError(f"{plan.model} always gives the same prediction: drop --samples")


def _is_constant(model: AnyModel) -> bool:
    return isinstance(model, str) and (model == INTERPRETER or model.startswith(REPLAY))


def _check_repeats(plan: BenchPlan) -> None:
    model = plan.model
    if plan.repeats < 1:
        raise UsageError(f"--repeats is at least 1, not {plan.repeats}")
    if not isinstance(model, str):
        if not isinstance(model, type) and not inspect.isroutine(model):
            raise UsageError(
                "repeats differ by their seed, and a model that is already an object has its seed: pass its class "
                "or the name of the model"
            )
        return
    if _is_constant(model):
        raise UsageError(f"{model} always gives the same prediction: drop --repeats")
    is_free = model == SEARCH or model.startswith(PYTHON) or plan.samples > 1
    if not is_free and not float(plan.extras.get("temperature", "0")) > 0:
        raise UsageError("repeats at temperature 0 are all the same: pass -M temperature=T with --repeats")


def _check_order(plan: BenchPlan, has_pool: bool) -> None:
    """Check a replay whose outputs belong to programs by their order alone."""
    if plan.out is not None and is_run(plan.out):
        raise UsageError(
            f"{plan.out} already holds a run, and `by=order` reads outputs from the first one: pass a new --out"
        )
    if plan.shard is not None or has_pool or plan.is_vote:
        raise UsageError(
            "`by=order` reads outputs from the first one, so a shard, a worker or a vote would take those of other "
            "programs: add `digest` or `prompt` to each row, or run all programs in one process"
        )
