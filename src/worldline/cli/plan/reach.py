"""The verb `plan reach`: commands that bring a machine to a goal, searched in a model's own state and run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import settings
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from worldline.plan.reach.machine import CommandMachine
    from worldline.predict.local import Local


@click.command()
@click.argument("machine", metavar="MACHINE|FILE.py")
@click.option(
    "--goal", required=True, metavar="CONDITION", help='What is to be so, such as "x == 3 and y == 2".'
)
@click.option("--call", metavar="EXPRESSION", help="The call that starts the machine, not the script.")
@click.option("--commands", metavar="A,B,C", help="Commands, where FILE does not compare with them.")
@click.option(
    "--way", type=click.Choice(("near", "sure", "uct")), default="near",
    help="Next: sure and near the goal, surest, or by upper bounds [near].",
)  # fmt: skip
@click.option("--executions", type=click.IntRange(min=1), default=8, help="Real runs, at most [8].")
@click.option("--simulations", type=click.IntRange(min=1), default=200, help="Nodes expanded, at most [200].")
@click.option(
    "--bytes", "most", type=click.IntRange(min=1), default=1 << 16, help="Imagined, at most [65536]."
)
@click.option(
    "--depth", type=click.IntRange(min=1, max=64), default=12, help="Commands of a plan, at most [12]."
)
@click.option(
    "--leaves", type=click.IntRange(min=1, max=64), default=1, help="Nodes that are gone on from at once [1]."
)
@click.option("--model", default="default", metavar="M", help="default, or a checkpoint's folder.")
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option("--beside", is_flag=True, help="Also search breadth-first by running, to compare.")
@click.option("--html", metavar="FILE", help="Also write the tree as one self-contained page.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def reach(machine: str, goal: str, html: str | None, *, beside: bool, as_json: bool, **asked: Any) -> None:
    """Find commands that bring a machine to a goal, in the fewest real executions.

    MACHINE is robot, stack or counter, or a program of yours that asks for one command after the other.
    The search is in the model's imagination; a plan that is printed was run, and reached the goal.
    """
    from worldline.plan.reach.goal import read_goal
    from worldline.plan.reach.imagination import Imagination
    from worldline.plan.reach.machine import refuse_unknown
    from worldline.plan.reach.runs import MachineRuns, boxed_machine
    from worldline.plan.reach.search import ReachBudget
    from worldline.plan.reach.search import reach as search
    from worldline.plan.reach.tree import as_json as plain
    from worldline.plan.reach.tree import search_tree

    wanted, found = read_goal(goal), _machine(machine, asked["call"], asked["commands"])
    refuse_unknown(found, wanted.tree)
    budget = ReachBudget(
        executions=asked["executions"],
        simulations=asked["simulations"],
        bytes=asked["most"],
        depth=asked["depth"],
        leaves=asked["leaves"],
    )
    local = _local(asked["model"], asked["extras"])
    with boxed_machine() as world:
        result = search(
            Imagination(local, found), MachineRuns(world, found), wanted, len(found.commands), budget=budget,
            way=asked["way"], ignored=found.name,
        )  # fmt: skip
        twin = _beside(MachineRuns(world, found), wanted, found, budget.depth) if beside else None
    tree = search_tree(found, wanted, result, model=local.info.name)
    if html is not None:
        from worldline.storage import files
        from worldline.ui.report.tree_page import page

        files.write(Path(html), page(tree).encode("utf-8", "backslashreplace"))
    if as_json:
        click.echo(json.dumps({**plain(found, wanted, result), **({} if twin is None else {"beside": twin})}))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan.reach import print_reached

        print_reached(terminal(), tree, _told(twin))
    if result.plan is None:
        click.get_current_context().exit(1)


def _machine(name: str, call: str | None, commands: str | None) -> CommandMachine:
    """A machine that comes along, or a file's."""
    from worldline.core.program import Program
    from worldline.plan.reach.machine import read_machine, shipped
    from worldline.recording.collect import collect

    known = shipped()
    if name in known:
        program = Program(source=known[name], name=f"{name}.py", call=f"{name}()")
    elif not Path(name).is_file():
        raise UsageError(f"no machine {name!r}: it is {', '.join(known)}, or a Python file")
    else:
        program = collect(name, call=call)
    given = tuple(word.strip() for word in commands.split(",")) if commands else ()
    return read_machine(program, given)


def _local(scheme: str, extras: Mapping[str, str]) -> Local:
    """An engine whose states can be forked; the guard is on unless it is said otherwise."""
    from worldline.predict.models import load_local, load_model

    if ":" in scheme or scheme == "interpreter":
        predictor = load_model(scheme, extras)
        if predictor.capabilities.decodes_bytes is None:
            raise UsageError(f"{scheme} has no state to search in: say default or a checkpoint's folder")
    return load_local(scheme, {"guard": "true", **extras})


def _beside(runs: Any, goal: Any, machine: CommandMachine, depth: int) -> dict[str, Any]:
    from worldline.plan.reach.executed import breadth_first

    found = breadth_first(
        runs, goal, len(machine.commands), executions=2_000, depth=depth, ignored=machine.name
    )
    plan = None if found.plan is None else list(machine.words(found.plan))
    return {"way": "breadth-first", "plan": plan, "executions": found.executions}


def _told(twin: dict[str, Any] | None) -> str:
    from worldline.core.text import plural

    if twin is None:
        return ""
    plan = "no plan" if twin["plan"] is None else " ".join(twin["plan"]) or "nothing to do"
    return f"breadth-first by running alone: {plural(twin['executions'], 'execution')}, {plan}"
