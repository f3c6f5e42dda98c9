"""The command `plan input`: an input that reaches a goal."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from worldline.cli import options as opt


@click.command()
@click.argument("file", type=click.Path())
@opt.option("--goal", required=True, metavar="GOAL", note='"f(x) == 7", line:12 or raises:KeyError')
@opt.option(
    "--function",
    metavar="NAME",
    note="for a line or an exception",
    default_text="the one around the line, or the only one",
)
@opt.option("--executions", type=opt.POSITIVE, default=1000)
@opt.option("--way", type=click.Choice(["random", "constants", "climb", "solver"]), default="climb")
@opt.add_option(
    "--solver-seconds",
    type=opt.SECONDS_OR_0,
    default=5.0,
    help="Time for CrossHair, if nothing else finds an input; 0 for never",
)
@opt.add_option(
    "--simplify", type=opt.COUNT, default=400, help="Maximum executions that simplify the input; 0 for never"
)
@partial(opt.model_options, default=None, note="orders the first inputs by its predictions")
@opt.option("--wall", type=opt.SECONDS, default=1.0)
@opt.option("--seed", type=int, default=0, note="for the inputs")
@opt.trust_option
@opt.json_option
@opt.quiet_option
def input(file: str, as_json: bool, **options: Any) -> None:
    """Find an input that makes a function of FILE reach a goal.

    The input is confirmed by executing it.
    """
    from worldline.data.program_file import load_program
    from worldline.plan.inputs.finding import find_input
    from worldline.ui.terminal.plan import print_input

    program = load_program(file)
    with opt.spinner("searching for an input"):
        report = find_input(program, **options)
    opt.show(report, as_json, print_input)
    if report.call is None:
        raise click.exceptions.Exit(1)
