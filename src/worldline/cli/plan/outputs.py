"""The command `plan outputs`: expected values of tests, filled in and checked."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldline.cli import options as opt


@click.command()
@click.argument("file", type=click.Path(), metavar="TESTS")
@opt.add_option("--check", is_flag=True, help="Fill in nothing; exit code 1 if a value is missing or wrong")
@opt.add_option("--write", is_flag=True, help="Fill the values into TESTS itself")
@opt.option("--out", metavar="FILE", note="the tests with their values")
@partial(opt.model_options, default=None, note="reports where it predicts another value")
@opt.option("--journal", metavar="DIR", note="calibrates the model")
@opt.option(
    "--sure", type=opt.PROBABILITY, default=0.95, metavar="P", note="with --journal, or of a value that no run reached"
)
@opt.option("--wall", type=opt.SECONDS, default=5.0, note="of one test function or class")
@opt.trust_option
@opt.json_option
@opt.quiet_option
def outputs(file: str, check: bool, sure: float, as_json: bool, **options: Any) -> None:
    """Fill in the expected values of tests, and check the others.

    Every `assert f(3) == ...` in TESTS is filled in, and every other equality is checked, by executing the tests in the
    sandbox. Functions, classes, fixtures and parameters need pytest in the sandbox; unittest classes do not. Where the
    set-up of a test cannot run, its calls are executed alone or predicted, which is reported and never filled in.
    """
    from worldline.plan.outputs.filling import fill_outputs
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan import print_outputs

    with opt.spinner(f"executing {Path(file).name}"):
        report = fill_outputs(file, check=check, sure=sure, **options)
    if as_json:
        click.echo(json.dumps(report.as_json(sure)))
    else:
        print_outputs(terminal(), report, sure=sure)
    if any(value.is_wrong or (check and value.expectation.blank) for value in report.values):
        raise click.exceptions.Exit(1)
