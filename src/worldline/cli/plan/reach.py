"""The command `plan reach`: commands that bring a machine to a goal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt

if TYPE_CHECKING:
    from worldline.plan.reach.finding import ExecutedSearch


@click.command()
@click.argument("machine", metavar="MACHINE|FILE.py")
@opt.option("--goal", required=True, metavar="CONDITION", note='such as "x == 3 and y == 2"')
@opt.option("--call", metavar="EXPRESSION", note="it starts the machine")
@opt.add_option("--commands", metavar="A,B,C", callback=opt.words, help="Commands, if they do not appear in FILE")
@opt.option(
    "--way",
    type=click.Choice(("near", "sure", "uct")),
    default="near",
    note="expand nodes that are likely and near the goal, the likeliest, or by upper bounds",
)
@opt.option("--executions", type=opt.POSITIVE, default=2_000)
@opt.option("--simulations", type=opt.POSITIVE, default=200)
@opt.option("--max-bytes", type=opt.POSITIVE, metavar="BYTES", default=1 << 16)
@opt.add_option("--max-commands", type=click.IntRange(1, 64), default=12, help="Maximum number of commands in a plan")
@opt.add_option("--leaves", type=click.IntRange(1, 64), default=1, help="Number of nodes expanded at once")
@partial(opt.model_options, note="only default or a folder")
@opt.add_option("--beside", is_flag=True, help="Also search breadth-first by execution, to compare")
@opt.option("--html", metavar="FILE", note="the search tree")
@opt.json_option
@opt.quiet_option
def reach(machine: str, commands: list[str] | None, html: str | None, as_json: bool, **options: Any) -> None:
    """Find commands that bring a machine to a goal.

    MACHINE is robot, stack or counter, or a program of yours that asks for one command after the other. The search uses
    predictions and needs few executions; if they lead nowhere, it executes one plan after the other. A printed plan was
    executed and reached the goal.
    """
    from worldline.plan.reach.finding import find_commands
    from worldline.ui.terminal.plan import print_reached

    with opt.spinner("searching for a plan"):
        report = find_commands(machine, commands=commands or (), **options)
    if html is not None:
        from worldline.ui.report.tree_page import page

        opt.write_page(html, page(report.tree))
    opt.show(report, as_json, lambda console, done: print_reached(console, done.tree, _in_words(done.executed)))
    if report.plan is None:
        click.get_current_context().exit(1)


def _in_words(search: ExecutedSearch | None) -> str:
    from worldline.core.text import plural

    if search is None:
        return ""
    plan = "no plan" if search.plan is None else " ".join(search.plan) or "nothing to do"
    return f"breadth-first by execution alone: {plural(search.executions, 'execution')}, {plan}"
