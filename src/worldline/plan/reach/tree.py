"""A search over snapshots as a tree to show and as JSON: what was predicted, and what an execution corrected."""

from __future__ import annotations

from typing import Any

from worldline.core.text import plural
from worldline.plan.reach.goal import StateGoal
from worldline.plan.reach.machine import CommandMachine
from worldline.plan.reach.predicted_machine import ASKS
from worldline.plan.reach.search import ReachResult
from worldline.plan.search.node import SearchNode
from worldline.plan.search_tree import SearchTree, TreeNode


def search_tree(machine: CommandMachine, goal: StateGoal, result: ReachResult, *, model: str = "") -> SearchTree:
    """Return the tree of a search, with its goal and cost."""
    nodes = tuple(
        TreeNode(
            parent=_above(node),
            label=_label(machine, node),
            visits=node.visits,
            value=node.value if node.visits else None,
            note=_note(machine, node),
            chosen=node.state.chosen,
        )
        for node in result.nodes
    )
    written = plural(result.spent.bytes, "byte")
    facts = (
        ("machine", machine.program.name),
        ("goal", goal.text),
        ("plan", _plan(machine, result)),
        ("model", model),
        ("real executions", _executions(result)),
        ("predicted", f"{written} in {plural(result.simulations, 'expansion')}, {plural(len(nodes), 'node')}"),
    )
    return SearchTree(title=f"{machine.program.name}: {goal.text}", nodes=nodes, facts=facts)


def _executions(result: ReachResult) -> str:
    count = f"{result.spent.executions:,}"
    if not result.searched:
        return count
    return (
        f"{count}: {result.spent.executions - result.searched:,} of predicted plans, {result.searched:,} breadth-first"
    )


def _plan(machine: CommandMachine, result: ReachResult) -> str:
    if result.plan is None:
        return f"none: {result.why}"
    return " ".join(machine.words(result.plan)) or "nothing: the goal holds at the start"


def _above(node: SearchNode) -> int:
    return -1 if node.parent is None else node.parent.number


def _label(machine: CommandMachine, node: SearchNode) -> str:
    return "start" if node.parent is None else machine.commands[node.action]


def _note(machine: CommandMachine, node: SearchNode) -> str:
    """The names there, and how they are known."""
    state = node.state
    names = ", ".join(f"{name}={text}" for name, text in state.names.items() if name != machine.name)
    how = f"predicted, p {state.snapshot.probability:.2f}" if state.snapshot is not None else "executed"
    if state.corrected:
        how = "corrected by an execution"
    elif state.is_true:
        how = "executed" if state.text else "predicted, confirmed by an execution"
    ended = "" if state.way == ASKS else f", {state.way}"
    return f"{names}{ended} ({how}{'; dropped: an earlier state was wrong' if state.dropped else ''})"


def as_json(machine: CommandMachine, goal: StateGoal, result: ReachResult) -> dict[str, Any]:
    """Everything except the engine's states."""
    return {
        "machine": machine.program.name,
        "goal": goal.text,
        "reached": result.plan is not None,
        "why": result.why,
        "plan": None if result.plan is None else list(machine.words(result.plan)),
        "executions": result.spent.executions,
        "searched": result.searched,
        "bytes": result.spent.bytes,
        "simulations": result.simulations,
        "nodes": [
            {
                "parent": _above(node),
                "command": _label(machine, node),
                "names": dict(node.state.names),
                "way": node.state.way,
                "visits": node.visits,
                "value": node.value,
                "logprob": node.state.logprob,
                "true": node.state.is_true,
                "corrected": node.state.corrected,
                "dropped": node.state.dropped,
                "chosen": node.state.chosen,
            }
            for node in result.nodes
        ],
    }
