"""The verb that finds what paths a function has: `paths`. No logic: it calls `paths`."""

from __future__ import annotations

import json
from typing import Any

import click

from worldline.cli.options import limited, limits_of, trusted


@click.command()
@click.argument("file", type=click.Path())
@click.option("--call", required=True, metavar="NAME", help="The function, or a call of it as an example.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    help="About how long to look [10].",
)
@click.option(
    "--solver",
    type=click.Choice(["missing", "always", "never"]),
    default="missing",
    help="When CrossHair is asked [missing: for arcs that random inputs missed].",
)
@click.option("--most", type=click.IntRange(min=1), default=32, help="Classes that are kept [32].")
@click.option("--seed", type=int, default=0, help="Which inputs are drawn [0].")
@limited
@trusted
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
@click.option("-o", "--out", metavar="DIR", help="Store the traces in DIR, and paths.parquet beside them.")
def paths(file: str, call: str, as_json: bool, out: str | None, **options: Any) -> None:
    """Find the classes of inputs that take different paths through a function of FILE, each with a recorded trace."""
    from worldline.plan.paths.search import LIMITS, search
    from worldline.plan.paths.store import store
    from worldline.recording.collect import collect
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.paths import print_paths

    limits = limits_of(options, LIMITS) or LIMITS
    program = collect(file, argv=(), call=None, entry=None, stdin="")
    found = search(program, call, limits=limits, **options)
    if out is not None:
        new = store(found, out)
        click.echo(f"stored: {new:,} traces, {len(found.classes):,} classes, in {out}", err=as_json)
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        print_paths(terminal(), found)
