"""The command `plan repair`: small changes that make tests pass."""

from __future__ import annotations

import json
from typing import Any

import click

from worldline.cli.options import json_option, option, pool_of, progress, settings, spread, trusted

ORACLES = (
    "none",
    "random",
    "prior",
    "imagined",
    "mixed",
)  # `plan.repair.order.ORACLES`, which `--help` need not load


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--tests", required=True, metavar="FILE", help="Rows of [input, output] in JSON, or a Python test file."
)
@option("--function", metavar="NAME", note="rows are of it", default_text="called like FILE, or the only one")
@click.option(
    "--oracle", type=click.Choice(ORACLES), default="prior", help="In which order changes are tried [prior]."
)
@option("--executions", type=click.IntRange(min=1), default=2_000, metavar="N", note="here of tests")
@click.option(
    "--patches", type=click.IntRange(min=1), default=3, metavar="N", help="Stop after N patches [3]."
)
@click.option(
    "--imagine", type=click.IntRange(min=1), default=32, metavar="N", help="Candidates put to the model [32]."
)
@option("--model", default="default", metavar="M")
@click.option("--propose", metavar="WHO", help="Who proposes too: server:URL#M or python:FILE.py:NAME.")
@click.option(
    "--propose-option",
    "propose_options",
    multiple=True,
    metavar="KEY=VALUE",
    callback=settings,
    help="An option of the proposing server; repeatable.",
)
@click.option(
    "--test-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=0.2,
    help="Limit: CPU-seconds of a test [0.2].",
)
@option("--seed", type=int, default=0, note="with --oracle random")
@spread
@trusted
@json_option
def repair(file: str, tests: str, imagine: int, address: str | None, as_json: bool, **options: Any) -> None:
    """Search for small changes to FILE that make its tests pass. Every patch shown was executed."""
    from worldline.data.program_file import load_program
    from worldline.plan.repair.finding import find_repair
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan import print_repair

    is_imagined = options["oracle"] in ("imagined", "mixed")
    what = "candidates are imagined" if is_imagined else "candidates are run"
    shop = pool_of(address)
    with progress(imagine if is_imagined else 0, what) as (advance, _):
        report = find_repair(
            load_program(file), tests, imagine=imagine, progress=lambda: advance(1), pool=shop, **options
        )
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        print_repair(terminal(), report)
    if report.failing and not report.patches:
        click.get_current_context().exit(1)
