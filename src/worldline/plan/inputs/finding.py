"""Find an input for a goal: the sandbox, the solver and the model are set up here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.answer import ProgramRunner
from worldline.plan.futures.subject import Subject, read_from_prediction
from worldline.plan.inputs.goal import CALL_VALUE, Goal, read_goal
from worldline.plan.inputs.nearness import FAILED_DISTANCE, comparison_gap, read_value
from worldline.plan.inputs.proposer import InputValues, to_source
from worldline.plan.inputs.search import DEFAULT_SIMPLIFYING, CallRunner, InputReport, InputSearch
from worldline.plan.paths import symbolic
from worldline.plan.paths.distance import CallArguments, Verbatim
from worldline.plan.paths.target import Target
from worldline.predict.models import AnyModel, load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.calls import caller
from worldline.recording.recorder import SandboxWorker, prepare

MAX_PREDICTIONS = 6  # predictions are expensive
MAX_PREDICTION_BYTES = 4_096

Ranker = Callable[[Goal, Program, list[InputValues]], tuple[list[InputValues], int]]


def rank_by_model(predictor: Predictor, *, most: int = MAX_PREDICTIONS, limit: int = MAX_PREDICTION_BYTES) -> Ranker:
    """Return a ranker that orders the first inputs by predicted distance, and counts the predicted bytes."""

    def rank(goal: Goal, program: Program, proposals: list[InputValues]) -> tuple[list[InputValues], int]:
        compared = _compared_literals(goal)
        if compared is None:
            return proposals, 0
        first, rest = proposals[:most], proposals[most:]
        asks = [
            PredictionRequest(
                program=replace(
                    program,
                    call=goal.call({name: to_source(prediction) or "None" for name, prediction in values.items()}),
                ),
                limit=limit,
            )
            for values in first
        ]
        predictions = list(predictor.predict(asks))
        far = [
            _distance(read_from_prediction(Subject(), ask, prediction), compared)
            for ask, prediction in zip(asks, predictions, strict=True)
        ]
        order = sorted(range(len(first)), key=lambda at: (far[at], at))
        return [*(first[at] for at in order), *rest], sum(len(prediction.text) for prediction in predictions)

    return rank


def _compared_literals(goal: Goal) -> list[tuple[str, Any]] | None:
    """Return the literals that the value of the call is compared with; None if the goal is not so simple."""
    literals = []
    for left, operator, right in goal.pairs:
        if left != CALL_VALUE:
            return None
        try:
            literals.append((operator, ast.literal_eval(right)))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    return literals or None


def _distance(text: str, compared: list[tuple[str, Any]]) -> float:
    value = read_value(text)
    if isinstance(value, Verbatim):  # the call raises, or the text cannot be read
        return FAILED_DISTANCE
    return sum(comparison_gap(value, operator, wanted) for operator, wanted in compared)


_NAME = "goal_of_the_search"


def propose_by_crosshair(*, seconds: float, trust: bool = False) -> Callable[[Goal, Target], Iterator[InputValues]]:
    """Return a proposer that runs CrossHair for N seconds; it yields nothing if CrossHair is not installed."""

    def propose(goal: Goal, target: Target) -> Iterator[InputValues]:
        if not symbolic.is_installed():
            return
        names = [name for name, _ in goal.names]
        kinds = {name: target.guessed[of] for name, of in goal.names if of in target.guessed}
        function = _NAME if goal.test else goal.function
        program = target.program
        if goal.test:
            program = replace(program, source=f"{program.source}\n\n{_branch(goal, target)}")
        consumed = goal.consumed and not goal.test
        exploration = symbolic.explore(
            program, function, seconds=seconds, names=names, guessed=kinds, consumed=consumed, trust=trust
        )
        for path in exploration.paths:
            arguments = CallArguments.of(path.call)
            if arguments is not None and len(arguments.values) >= len(names):
                yield dict(zip(names, arguments.values, strict=False))

    return propose


def _branch(goal: Goal, target: Target) -> str:
    """Build a function of the free names that branches on whether the goal holds."""
    types = {
        parameter.arg: parameter.annotation for parameter in (*target.node.args.posonlyargs, *target.node.args.args)
    }
    words = []
    for name, of in goal.names:
        annotation = types.get(of)
        words.append(f"{name}: {ast.unparse(annotation)}" if annotation is not None else name)
    return f"def {_NAME}({', '.join(words)}):\n    if {goal.inlined}:\n        return True\n    return False\n"


def find_input(
    program: Program,
    goal: str,
    *,
    function: str | None = None,
    executions: int = 1_000,
    way: str = "climb",
    solver_seconds: float = 5.0,
    simplify: int = DEFAULT_SIMPLIFYING,
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
        simplify: At most this many executions that simplify the input; 0 for never.
        model: A model that orders the first inputs by what it predicts: a name, a predictor or a function.
        extras: Options of the model, if `model` is a name.
        wall: Limit: seconds of one call.
        seed: The seed of the drawn inputs.

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
        simplifying=simplify,
        solver=propose_by_crosshair(seconds=solver_seconds) if solved else None,
        rank=None if model is None else rank_by_model(load_model(model, extras)),
    )
    with sandboxed_calls() as (run, world):
        return how.find(wanted, program, run, world)


@contextmanager
def sandboxed_calls(limits: Limits | None = None) -> Iterator[tuple[CallRunner, ProgramRunner]]:
    """Open two warm sandboxes; yield a function that makes calls and one that records programs."""
    worker = SandboxWorker(prepare(limits=limits or Limits(), python=None, core="auto", trust=False))
    with closing(worker), caller() as calls:
        yield calls.run, worker.record
