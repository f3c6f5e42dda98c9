"""The command `paths`: the classes of inputs that take different paths through a function."""

from __future__ import annotations

import json
from typing import Any

import click

from worldline.cli.options import json_option, limited, limits_of, option, trusted


@click.command()
@click.argument("file", type=click.Path())
@option("--function", required=True, metavar="NAME", note="or a call of it as an example")
@option("--seconds", type=click.FloatRange(min=0, min_open=True), default=10.0, note="here about")
@click.option(
    "--solver",
    type=click.Choice(["missing", "always", "never"]),
    default="missing",
    help="When CrossHair is asked [missing: for arcs that random inputs missed].",
)
@click.option("--max-classes", type=click.IntRange(min=1), default=32, help="Classes that are kept [32].")
@option("--seed", type=int, default=0, note="here of the drawn inputs")
@limited
@trusted
@json_option
@option("--out", metavar="DIR", note="here the traces, and paths.parquet beside them")
def paths(file: str, function: str, as_json: bool, out: str | None, **options: Any) -> None:
    """Find inputs that take different paths through a function of FILE, each with a recorded trace."""
    from worldline.data.program_file import load_program
    from worldline.plan.paths.search import CALL_LIMITS
    from worldline.plan.paths.search import paths as run
    from worldline.plan.paths.store import store_paths
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.paths import print_paths

    limits = limits_of(options, CALL_LIMITS) or CALL_LIMITS
    report = run(load_program(file), function, limits=limits, **options)
    if out is not None:
        new = store_paths(report, out)
        click.echo(f"stored: {new:,} traces, {len(report.classes):,} classes, in {out}", err=as_json)
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        print_paths(terminal(), report)
