"""The command `plan input`: an input that reaches a goal."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli.options import json_option, model_options, option, trusted


@click.command()
@click.argument("file", type=click.Path())
@option("--goal", required=True, metavar="GOAL", note='"f(x) == 7", line:12 or raises:KeyError')
@option(
    "--function",
    metavar="NAME",
    note="for a line or an exception",
    default_text="the only one; around the line",
)
@option("--executions", type=click.IntRange(min=1), default=1000)
@option("--way", type=click.Choice(["random", "constants", "climb", "solver"]), default="climb")
@click.option(
    "--solver-seconds",
    type=click.FloatRange(min=0),
    default=5.0,
    metavar="S",
    help="Seconds of CrossHair, where nothing else finds one; 0: never [5].",
)
@partial(model_options, default=None, note="orders the first inputs by what it predicts")
@option("--wall", type=click.FloatRange(min=0, min_open=True), default=1.0)
@option("--seed", type=int, default=0, note="here of the drawn inputs")
@trusted
@json_option
def input(file: str, as_json: bool, **options: Any) -> None:
    """Find an input that makes a function of FILE reach a goal, and confirm it by executing it."""
    from worldline.data.program_file import load_program
    from worldline.plan.inputs.finding import find_input
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan import print_input

    report = find_input(load_program(file), **options)
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        print_input(terminal(), report)
    if report.call is None:
        raise click.exceptions.Exit(1)
