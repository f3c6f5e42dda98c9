"""The command `paths`: the classes of inputs that take different paths through a function."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli import options as opt


@click.command()
@click.argument("file", type=click.Path())
@opt.option("--function", required=True, metavar="NAME", note="or a call of it as an example")
@opt.option("--seconds", type=opt.SECONDS, default=10.0, note="approximate")
@opt.add_option(
    "--solver",
    type=click.Choice(["missing", "always", "never"]),
    default="missing",
    help="When to ask CrossHair; missing: for arcs that random inputs did not reach",
)
@opt.add_option("--max-classes", type=opt.POSITIVE, default=32, help="Maximum number of classes")
@opt.option("--seed", type=int, default=0, note="for the inputs")
@opt.limit_options
@opt.trust_option
@opt.json_option
@opt.quiet_option
@opt.option("--out", metavar="DIR", note="the traces, and paths.parquet")
def paths(file: str, function: str, as_json: bool, out: str | None, **options: Any) -> None:
    """Find inputs that take different paths through a function.

    Each path through the function of FILE comes with a recorded trace. Decisions have a line and a column, so those on
    one line are told apart. The first line of the output says whether a solver proved that there is no other path.
    """
    from worldline.data.program_file import load_program
    from worldline.plan.paths.search import CALL_LIMITS
    from worldline.plan.paths.search import paths as run
    from worldline.plan.paths.store import store_paths
    from worldline.ui.terminal.paths import print_paths

    limits = opt.limits_of(options, CALL_LIMITS) or CALL_LIMITS
    program = load_program(file)
    with opt.spinner(f"searching for paths through {function}", limit=options["seconds"]):
        report = run(program, function, limits=limits, **options)
    if out is not None:
        new = store_paths(report, out)
        click.echo(f"stored: {new:,} traces, {len(report.classes):,} classes, in {out}", err=as_json)
    opt.show(report, as_json, print_paths)
