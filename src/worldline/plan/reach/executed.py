"""Search by execution alone: breadth-first, by the distance of real states from the goal, and by random plans.

Every run of a plan is one execution, and shows the state after each command. Nothing is predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from worldline.plan.reach.goal import StateGoal
from worldline.plan.reach.predicted_machine import ASKS, ENDED
from worldline.plan.reach.runs import MachineStop, state_key
from worldline.plan.reach.search import PlanRunner
from worldline.plan.search.selection import Frontier

CommandPlan = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ExecutedResult:
    """A plan that reached the goal, or None, and the executions it took."""

    plan: CommandPlan | None
    executions: int


def breadth_first(
    runs: PlanRunner, goal: StateGoal, commands: int, *, executions: int, depth: int, ignored: str = ""
) -> ExecutedResult:
    """Try the shortest plans first, one run each; a known state is not expanded again."""
    return _best_first(runs, goal, commands, lambda _: 0.0, executions, depth, ignored)


def nearest_first(
    runs: PlanRunner, goal: StateGoal, commands: int, *, executions: int, depth: int, ignored: str = ""
) -> ExecutedResult:
    """Expand the real state that is nearest to the goal, one run per command."""
    return _best_first(runs, goal, commands, lambda stop: goal.distance(stop.names), executions, depth, ignored)


def _best_first(
    runs: PlanRunner,
    goal: StateGoal,
    commands: int,
    cost: Callable[[MachineStop], float],
    executions: int,
    depth: int,
    ignored: str,
) -> ExecutedResult:
    """Expand the new real state of the lowest cost, one run per command; of equal costs, the first."""
    before, seen, frontier = runs.executions, set[object](), Frontier[CommandPlan]()
    plans: list[CommandPlan] = [()]
    while plans:
        for plan in plans:
            if runs.executions - before >= executions:
                return ExecutedResult(plan=None, executions=executions)
            stop = runs.after(plan)[-1]
            if _reached(goal, stop):
                return ExecutedResult(plan=plan, executions=runs.executions - before)
            if stop.way == ASKS and len(plan) < depth and _is_new(stop, seen, ignored):
                frontier.add(plan, cost(stop))
        origin = frontier.take() if frontier else None
        plans = [] if origin is None else [(*origin, command) for command in range(commands)]
    return ExecutedResult(plan=None, executions=runs.executions - before)


def random_plans(
    runs: PlanRunner, goal: StateGoal, commands: int, *, executions: int, depth: int, seed: int = 0
) -> ExecutedResult:
    """Try random plans of full depth; every state on the way counts."""
    before, random = runs.executions, Random(seed)
    while runs.executions - before < executions:
        plan = tuple(random.randrange(commands) for _ in range(depth))
        for size, stop in enumerate(runs.after(plan)):
            if _reached(goal, stop):
                return ExecutedResult(plan=plan[:size], executions=runs.executions - before)
    return ExecutedResult(plan=None, executions=runs.executions - before)


def _reached(goal: StateGoal, stop: MachineStop) -> bool:
    return stop.way in (ASKS, ENDED) and goal.holds(stop.names)


def _is_new(stop: MachineStop, seen: set[object], ignored: str) -> bool:
    """Whether a state is new; it is known from now on."""
    state = state_key(stop.names, ignored)
    if state in seen:
        return False
    seen.add(state)
    return True
