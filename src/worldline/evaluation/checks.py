"""Benchmarks that make no sense, refused before anything runs: each with the reason and what to do instead."""

from __future__ import annotations

import inspect

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.asking import NONE, rewritten_suite
from worldline.evaluation.composing import BenchPlan
from worldline.evaluation.forced import FORCED
from worldline.evaluation.run.directory import is_run
from worldline.plan.inputs.answerer import SCHEME as SEARCH
from worldline.predict.models import INTERPRETER, PYTHON

REPLAY = "replay:"
WITHOUT_SCRATCHPAD = {"budget": "it compares how programs are written down"}


def check_plan(plan: BenchPlan, *, has_pool: bool) -> None:
    """Refuse a benchmark whose parts contradict each other.

    Args:
        plan: The benchmark.
        has_pool: Whether workers elsewhere do the work.

    Raises:
        UsageError: Two parts contradict each other; the message says why and what to do.
    """
    suite = plan.suite.name
    if plan.reload is None and plan.samples * len(plan.modes) > 1:
        raise UsageError(
            "the tasks of this suite can be read once, and several samples or scratchpads read them several times: "
            "pass a list of tasks"
        )
    _check_force(plan, suite)
    _check_scratchpads(plan, suite)
    if plan.samples != 1:
        _check_samples(plan)
    if plan.shard is not None and plan.out is None:
        raise UsageError("a shard is merged with the others later: say where to keep it, with --out DIR")
    if plan.extras.get("by") == "order":
        _check_order(plan, has_pool)


def _check_force(plan: BenchPlan, suite: str) -> None:
    if plan.queries is not None and list(plan.force) != ["queries"]:
        raise UsageError(
            "--queries goes with --force queries: it says how many true steps the model may ask for"
        )
    if not plan.force:
        return
    if suites.is_measured(suite):
        suites.meter(suite, force=plan.force)
    elif len(plan.force) > 1:
        raise UsageError("one thing is forced at a time: run the suite once for each, or the suite states")
    elif plan.force[0] not in FORCED:
        raise UsageError(f"a prediction is forced by one of {', '.join(FORCED)}, not {plan.force[0]!r}")


def _check_scratchpads(plan: BenchPlan, suite: str) -> None:
    if list(plan.modes) == [NONE]:
        return
    why = WITHOUT_SCRATCHPAD.get(suite, "")
    if suites.is_measured(suite):
        why = suites.meter(suite, force=plan.force or None).no_scratchpad
    if why:
        raise UsageError(f"the suite {suite} takes no scratchpad: {why}. Run it without --scratchpad")
    if suites.is_measured(suite):
        for mode in plan.modes:
            rewritten_suite(plan.suite, mode)


def _check_samples(plan: BenchPlan) -> None:
    model = plan.model
    if plan.samples < 1:
        raise UsageError(f"--samples is at least 1, not {plan.samples}")
    if not isinstance(model, str):
        if not isinstance(model, type) and not inspect.isroutine(model):
            raise UsageError(
                "samples differ by their seed, and a model that is an object has its seed already: pass its class, "
                "or the name of the model"
            )
        return
    if model == INTERPRETER or model.startswith(REPLAY):
        raise UsageError(f"{model} always gives the same prediction: ask for one sample")
    is_free = model == SEARCH or model.startswith(PYTHON)
    if not is_free and not float(plan.extras.get("temperature", "0")) > 0:
        raise UsageError("samples of temperature 0 are all the same: give -M temperature=T with --samples")


def _check_order(plan: BenchPlan, has_pool: bool) -> None:
    """Outputs without a name belong to programs by their order alone."""
    if plan.out is not None and is_run(plan.out):
        raise UsageError(
            f"{plan.out} is a run already: outputs that stand in order are read from the first on"
        )
    if plan.shard is not None or has_pool:
        raise UsageError(
            "outputs that stand in order are read from the first on, so a shard or a worker would take those of other "
            "programs: give each row its `digest` or `prompt`, or run it in one process"
        )
