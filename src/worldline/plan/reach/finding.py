"""Find commands for a goal: the machine, the model and the sandbox are set up here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.text import plural
from worldline.plan.answer import ExecutionCost
from worldline.plan.reach.executed import ExecutedResult, breadth_first
from worldline.plan.reach.goal import StateGoal, read_goal
from worldline.plan.reach.machine import CommandMachine, read_machine, require_known_names, shipped_machines
from worldline.plan.reach.predicted_machine import PredictedMachine
from worldline.plan.reach.runs import MachineRuns, MachineWorld, sandboxed_machine
from worldline.plan.reach.search import ReachBudget, ReachResult, reach
from worldline.plan.reach.tree import as_json, search_tree
from worldline.plan.search_tree import SearchTree
from worldline.predict.local import Local
from worldline.predict.models import DEFAULT, load_local, load_model
from worldline.recording.collect import collect

MAX_EXECUTED = 2_000  # executions of the breadth-first search
MAX_CORRECTIONS = 8  # executions of the search by prediction


@dataclass(frozen=True, kw_only=True)
class ExecutedSearch:
    """The result of a breadth-first search by execution alone; `plan` is None if it found nothing."""

    plan: tuple[str, ...] | None
    executions: int


@dataclass(frozen=True, kw_only=True)
class FoundCommands:
    """A search for commands: the machine, the goal, the result and its tree.

    `executed` is the same search without a model, if it was requested.
    """

    machine: CommandMachine
    goal: StateGoal
    result: ReachResult
    tree: SearchTree
    executed: ExecutedSearch | None = None

    @property
    def plan(self) -> tuple[str, ...] | None:
        """The commands that reached the goal when executed; None if there are none."""
        return None if self.result.plan is None else tuple(self.machine.words(self.result.plan))

    def as_json(self) -> dict[str, Any]:
        """Return the object that `plan reach --json` prints."""
        plain = as_json(self.machine, self.goal, self.result)
        if self.executed is None:
            return plain
        plan = None if self.executed.plan is None else list(self.executed.plan)
        beside = {"way": "breadth-first", "plan": plan, "executions": self.executed.executions}
        return {**plain, "beside": beside}


def find_commands(
    machine: str | Path,
    goal: str,
    *,
    call: str | None = None,
    commands: Sequence[str] = (),
    way: str = "near",
    executions: int = MAX_EXECUTED,
    simulations: int = 200,
    max_bytes: int = 1 << 16,
    max_commands: int = 12,
    leaves: int = 1,
    model: str = DEFAULT,
    extras: Mapping[str, str] | None = None,
    beside: bool = False,
) -> FoundCommands:
    """Find commands that bring a machine to a goal, in the fewest executions.

    The search uses predictions and executes at most MAX_CORRECTIONS plans. If that finds nothing, or the model is found
    to predict this machine wrong, a breadth-first search by execution follows within the same maximum.

    Args:
        machine: `robot`, `stack` or `counter`, or a Python file that reads one command after the other.
        goal: What must hold, such as `x == 3 and y == 2`.
        call: The call that starts the machine of a file; by default the script.
        commands: The commands, if they cannot be read from the file.
        way: Which node comes next: `near`, `sure` or `uct`.
        executions: At most this many executions.
        simulations: At most this many expanded nodes.
        max_bytes: At most this many predicted bytes.
        max_commands: At most this many commands in a plan.
        leaves: Nodes that are expanded at once.
        model: `default`, or the folder of a checkpoint.
        extras: Options of the model.
        beside: Also search breadth-first by execution alone, to compare.

    Returns:
        The plan that reached the goal when executed, and the tree of the search.

    Raises:
        UsageError: The machine, the goal or the model cannot be used.
    """
    wanted, machine_read = read_goal(goal), _machine(str(machine), call, commands)
    require_known_names(machine_read, wanted.tree)
    budget = ReachBudget(
        executions=min(executions, MAX_CORRECTIONS),
        simulations=simulations,
        bytes=max_bytes,
        depth=max_commands,
        leaves=leaves,
    )
    local = _local(model, extras or {})
    with sandboxed_machine() as world:
        result = reach(
            PredictedMachine(local, machine_read),
            MachineRuns(world, machine_read),
            wanted,
            len(machine_read.commands),
            budget=budget,
            way=way,
            ignored=machine_read.name,
        )
        if result.plan is None:
            search = _breadth_first(world, wanted, machine_read, max_commands, executions - result.spent.executions)
            result = _with_executed(result, search)
        executed = _search_executed(world, wanted, machine_read, max_commands) if beside else None
    tree = search_tree(machine_read, wanted, result, model=local.info.name)
    return FoundCommands(machine=machine_read, goal=wanted, result=result, tree=tree, executed=executed)


def _machine(name: str, call: str | None, commands: Sequence[str]) -> CommandMachine:
    """Load a shipped machine, or that of a file."""
    known = shipped_machines()
    if name in known:
        program = Program(source=known[name], name=f"{name}.py", call=f"{name}()")
    elif not Path(name).is_file():
        raise UsageError(f"no machine {name!r}: use {', '.join(known)}, or a Python file")
    else:
        program = collect(name, call=call)
    return read_machine(program, tuple(commands))


def _local(model: str, extras: Mapping[str, str]) -> Local:
    """Load an engine whose states can be forked; the guard is on by default."""
    if (":" in model or model == "interpreter") and load_model(model, extras).capabilities.decodes_bytes is None:
        raise UsageError(f"{model} has no state to search: use `default` or the folder of a checkpoint")
    return load_local(model, {"guard": "true", **extras})


def _breadth_first(
    world: MachineWorld, goal: StateGoal, machine: CommandMachine, depth: int, executions: int
) -> ExecutedResult:
    runs = MachineRuns(world, machine)
    return breadth_first(runs, goal, len(machine.commands), executions=executions, depth=depth, ignored=machine.name)


def _with_executed(result: ReachResult, search: ExecutedResult) -> ReachResult:
    """Complete a search that led nowhere by a search without predictions."""
    spent = result.spent + ExecutionCost(executions=search.executions)
    if search.plan is None:
        ended = f"{plural(search.executions, 'execution')} breadth-first found no plan either"
        return replace(result, spent=spent, searched=search.executions, why=f"{result.why}, and {ended}")
    return replace(result, plan=search.plan, spent=spent, searched=search.executions)


def _search_executed(world: MachineWorld, goal: StateGoal, machine: CommandMachine, depth: int) -> ExecutedSearch:
    search = _breadth_first(world, goal, machine, depth, MAX_EXECUTED)
    plan = None if search.plan is None else tuple(machine.words(search.plan))
    return ExecutedSearch(plan=plan, executions=search.executions)
