"""The command `plan reach`: commands that bring a machine to a goal."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import json_option, model_options, option, words

if TYPE_CHECKING:
    from worldline.plan.reach.finding import ExecutedSearch


@click.command()
@click.argument("machine", metavar="MACHINE|FILE.py")
@option("--goal", required=True, metavar="CONDITION", note='such as "x == 3 and y == 2"')
@option("--call", metavar="EXPRESSION", note="it starts the machine")
@click.option(
    "--commands", metavar="A,B,C", callback=words, help="Commands, where FILE does not compare with them."
)
@option(
    "--way",
    type=click.Choice(("near", "sure", "uct")),
    default="near",
    note="next: sure and near the goal, surest, or by upper bounds",
)
@option("--executions", type=click.IntRange(min=1), default=8)
@option("--simulations", type=click.IntRange(min=1), default=200)
@option("--max-bytes", type=click.IntRange(min=1), default=1 << 16)
@click.option(
    "--max-commands",
    type=click.IntRange(min=1, max=64),
    default=12,
    help="Commands of a plan, at most [12].",
)
@click.option(
    "--leaves", type=click.IntRange(min=1, max=64), default=1, help="Nodes that are gone on from at once [1]."
)
@partial(model_options, note="here default or a folder")
@click.option("--beside", is_flag=True, help="Also search breadth-first by running, to compare.")
@option("--html", metavar="FILE", note="here the tree")
@json_option
def reach(machine: str, commands: list[str] | None, html: str | None, as_json: bool, **options: Any) -> None:
    """Find commands that bring a machine to a goal, with few executions.

    MACHINE is robot, stack or counter, or a program of yours that asks for one command after the other.
    The search is in the model's imagination; a plan that is printed was run, and reached the goal.
    """
    from worldline.plan.reach.finding import find_commands

    report = find_commands(machine, commands=commands or (), **options)
    if html is not None:
        from worldline.storage import files
        from worldline.ui.report.tree_page import page

        files.write(Path(html), page(report.tree).encode("utf-8", "backslashreplace"))
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan import print_reached

        print_reached(terminal(), report.tree, _in_words(report.executed))
    if report.plan is None:
        click.get_current_context().exit(1)


def _in_words(search: ExecutedSearch | None) -> str:
    from worldline.core.text import plural

    if search is None:
        return ""
    plan = "no plan" if search.plan is None else " ".join(search.plan) or "nothing to do"
    return f"breadth-first, executing every plan: {plural(search.executions, 'execution')}, {plan}"
