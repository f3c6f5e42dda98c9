"""CrossHair as a proposer of inputs: the goal becomes a branch of a small function, and the solver finds its path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from worldline.plan.inputs.goal import Goal
from worldline.plan.inputs.proposer import InputValues
from worldline.plan.paths import symbolic
from worldline.plan.paths.distance import CallArguments
from worldline.plan.paths.target import Target

_NAME = "goal_of_the_search"


def crosshair(*, seconds: float, trust: bool = False) -> Callable[[Goal, Target], Iterator[InputValues]]:
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
        parameter.arg: parameter.annotation
        for parameter in (*target.node.args.posonlyargs, *target.node.args.args)
    }
    words = []
    for name, of in goal.names:
        annotation = types.get(of)
        words.append(f"{name}: {ast.unparse(annotation)}" if annotation is not None else name)
    return (
        f"def {_NAME}({', '.join(words)}):\n    if {goal.inlined}:\n        return True\n    return False\n"
    )
