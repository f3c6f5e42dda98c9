"""The command `plan outputs`: expected values of tests, filled in and checked."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli.options import json_option, model_options, option, trusted


@click.command()
@click.argument("file", type=click.Path(), metavar="TESTS")
@click.option("--check", is_flag=True, help="Fill in nothing; exit 1 if a value is missing or wrong.")
@click.option("--write", is_flag=True, help="Fill the values into TESTS itself.")
@option("--out", metavar="FILE", note="here the tests with their values")
@partial(model_options, default=None, note="says where it predicts another value than the code has")
@option("--journal", metavar="DIR", note="it calibrates the model")
@option("--sure", type=click.FloatRange(min=0, max=1, min_open=True), default=0.95, note="with --journal")
@option(
    "--wall",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    note="here of one test function or class",
)
@trusted
@json_option
def outputs(file: str, check: bool, sure: float, as_json: bool, **options: Any) -> None:
    """Fill in `assert f(3) == ...` and check every other equality in TESTS, by executing them in the sandbox.

    Functions, classes, fixtures and parameters are run by pytest where the box has it, classes of unittest anyhow.
    """
    from worldline.plan.outputs.filling import fill_outputs
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan import print_outputs

    report = fill_outputs(file, check=check, **options)
    if as_json:
        click.echo(json.dumps(report.as_json(sure)))
    else:
        print_outputs(terminal(), report, sure=sure)
    if any(value.is_wrong or (check and value.expectation.blank) for value in report.values):
        raise click.exceptions.Exit(1)
