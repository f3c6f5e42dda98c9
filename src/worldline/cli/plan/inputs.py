"""The verb that finds an input: `plan input`. No logic: it calls `plan.inputs`."""

from __future__ import annotations

import json
from typing import Any

import click

from worldline.cli.options import settings, trusted


@click.command()
@click.argument("file", type=click.Path())
@click.option("--goal", required=True, metavar="GOAL", help='"f(x) == 7", line:12 or raises:KeyError.')
@click.option(
    "--call", metavar="NAME", help="The function, for a line or an exception [the only one; around the line]."
)
@click.option("--executions", type=click.IntRange(min=1), default=1000, help="The most runs [1000].")
@click.option(
    "--way",
    type=click.Choice(["random", "constants", "climb", "solver"]),
    default="climb",
    help="How inputs are proposed [climb].",
)
@click.option(
    "--solver",
    "solver_seconds",
    type=click.FloatRange(min=0),
    default=5.0,
    metavar="S",
    help="Seconds of CrossHair, where nothing else finds one; 0: never [5].",
)
@click.option(
    "--model", metavar="M", help="Let this model order the first inputs by what it imagines [none]."
)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option(
    "--wall", type=click.FloatRange(min=0, min_open=True), default=1.0, help="Limit: seconds of one call [1]."
)
@click.option("--seed", type=int, default=0, help="Which inputs are drawn [0].")
@trusted
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def input(file: str, goal: str, call: str | None, as_json: bool, **options: Any) -> None:
    """Find an input of a function of FILE that reaches a goal, and confirm it by a run."""
    from worldline.plan.inputs.finding import find_input
    from worldline.recording.collect import collect
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan.inputs import print_input

    program = collect(file, argv=(), call=None, entry=None, stdin="")
    found = find_input(program, goal, call=call, **options)
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        print_input(terminal(), found)
    if found.call is None:
        raise click.exceptions.Exit(1)
