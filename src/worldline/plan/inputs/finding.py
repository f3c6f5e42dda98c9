"""An input for a goal, from FILE and words to a report: the box, the solver and the model are set up here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.answer import World
from worldline.plan.inputs.goal import read_goal
from worldline.plan.inputs.ranking import by_model
from worldline.plan.inputs.search import InputReport, InputSearch, Run
from worldline.plan.inputs.solver import crosshair
from worldline.plan.paths import symbolic
from worldline.predict.models import load_model
from worldline.recording.calls import caller
from worldline.recording.recorder import BoxWorker, prepare


def find_input(
    program: Program, goal: str, *, call: str | None = None, executions: int = 1_000, way: str = "climb",
    solver_seconds: float = 5.0, model: str | None = None, extras: Mapping[str, str] | None = None, wall: float = 1.0,
    seed: int = 0,
) -> InputReport:  # fmt: skip
    """Look for an input of the program that reaches the goal; what is found was run and recorded."""
    wanted = read_goal(goal, program.source, call)
    solved = solver_seconds > 0 and symbolic.is_installed()
    how = InputSearch(
        executions=executions, way=way, seed=seed, seconds=wall,
        solver=crosshair(seconds=solver_seconds) if solved else None,
        rank=None if model is None else by_model(load_model(model, extras)),
    )  # fmt: skip
    with boxed() as (run, world):
        return how.find(wanted, program, run, world)


@contextmanager
def boxed(limits: Limits | None = None) -> Iterator[tuple[Run, World]]:
    """Who makes calls and who records programs, each in a warm box."""
    worker = BoxWorker(prepare(limits=limits or Limits(), python=None, core="auto", trust=False))
    with closing(worker), caller() as calls:
        yield calls.run, worker.record
