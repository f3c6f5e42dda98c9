"""Find an input for a goal: the sandbox, the solver and the model are set up here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.answer import ProgramRunner
from worldline.plan.inputs.goal import read_goal
from worldline.plan.inputs.ranking import by_model
from worldline.plan.inputs.search import CallRunner, InputReport, InputSearch
from worldline.plan.inputs.solver import crosshair
from worldline.plan.paths import symbolic
from worldline.predict.models import AnyModel, load_model
from worldline.recording.calls import caller
from worldline.recording.recorder import BoxWorker, prepare


def find_input(
    program: Program,
    goal: str,
    *,
    function: str | None = None,
    executions: int = 1_000,
    way: str = "climb",
    solver_seconds: float = 5.0,
    model: AnyModel | None = None,
    extras: Mapping[str, str] | None = None,
    wall: float = 1.0,
    seed: int = 0,
) -> InputReport:
    """Find an input of a function that reaches a goal, and confirm it by a recorded execution.

    Args:
        program: The program that defines the function.
        goal: `f(x) == 7`, an expression over one call; `line:12`; or `raises:KeyError`.
        function: The function, for a line or an exception; by default the only one, or the one around the line.
        executions: At most this many executions.
        way: How inputs are proposed: `random`, `constants`, `climb` or `solver`.
        solver_seconds: Seconds of CrossHair if nothing else finds an input; 0 for never.
        model: A model that orders the first inputs by what it predicts: a name, a predictor or a function.
        extras: Options of the model, if `model` is a name.
        wall: Limit: seconds of one call.
        seed: Which inputs are drawn.

    Returns:
        The call that reaches the goal, or None, and the cost of the search.

    Raises:
        UsageError: The goal cannot be read.
    """
    wanted = read_goal(goal, program.source, function)
    solved = solver_seconds > 0 and symbolic.is_installed()
    how = InputSearch(
        executions=executions,
        way=way,
        seed=seed,
        seconds=wall,
        solver=crosshair(seconds=solver_seconds) if solved else None,
        rank=None if model is None else by_model(load_model(model, extras)),
    )
    with sandboxed_calls() as (run, world):
        return how.find(wanted, program, run, world)


@contextmanager
def sandboxed_calls(limits: Limits | None = None) -> Iterator[tuple[CallRunner, ProgramRunner]]:
    """Open two warm sandboxes; yield a function that makes calls and one that records programs."""
    worker = BoxWorker(prepare(limits=limits or Limits(), python=None, core="auto", trust=False))
    with closing(worker), caller() as calls:
        yield calls.run, worker.record
