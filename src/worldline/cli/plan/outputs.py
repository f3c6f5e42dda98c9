"""The verb that fills in and checks expected values: `plan outputs`. No logic: it calls `plan.outputs`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from worldline.cli.options import settings, trusted
from worldline.core.errors import UsageError


@click.command()
@click.argument("file", type=click.Path(), metavar="TESTS")
@click.option("--check", is_flag=True, help="Fill in nothing; exit 1 if a value is missing or wrong.")
@click.option("--write", is_flag=True, help="Fill the values into TESTS itself.")
@click.option("-o", "--out", metavar="FILE", help="Write the tests with their values to FILE.")
@click.option(
    "--model", metavar="M", help="Say where this model imagines another value than the code has [none]."
)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option("--journal", metavar="DIR", help="What was run of this code so far: how sure the model may be.")
@click.option(
    "--sure",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.95,
    help="With --journal: how sure the model must be to be told [0.95].",
)
@click.option(
    "--wall",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    help="Limit: seconds of one test function or class [5].",
)
@trusted
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def outputs(
    file: str, check: bool, write: bool, out: str | None, model: str | None, sure: float, as_json: bool, **options: Any
) -> None:  # fmt: skip
    """Fill in `assert f(3) == ...` and check every other equality that TESTS assert, by running them in the box.

    Functions, classes, fixtures and parameters are run by pytest where the box has it, classes of unittest anyhow.
    """
    from worldline.plan.outputs.check import check_outputs
    from worldline.recording.calls import caller
    from worldline.recording.collect import collect_tests
    from worldline.storage.files import write as write_file
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan.outputs import print_outputs

    if check and (write or out):
        raise UsageError("--check fills in nothing, so there is nothing to write")
    program = collect_tests(file)
    with caller() as calls:
        report = check_outputs(program, calls.run, seconds=options["wall"], fill=not check)
    if model is not None:
        from worldline.plan.outputs.opinions import imagining, with_opinions
        from worldline.predict.models import load_model

        opinion = imagining(load_model(model, options["extras"]), options["journal"])
        report = with_opinions(report, program, opinion)
    if as_json:
        click.echo(json.dumps(report.as_json(sure)))
    else:
        print_outputs(terminal(), report, sure=sure)
    for path in [*([file] if write else []), *([out] if out else [])]:
        write_file(Path(path), report.filled.encode("utf-8", "surrogateescape"))
    if any(each.is_wrong or (check and each.expectation.blank) for each in report.values):
        raise click.exceptions.Exit(1)
