"""The command `plan repair`: small changes that make tests pass."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli import options as opt

# `plan.repair.order.ORACLES`, which `--help` need not load.
ORACLES = ("none", "random", "prior", "imagined", "mixed")


@click.command()
@click.argument("file", type=click.Path())
@opt.add_option("--tests", required=True, metavar="FILE", help="JSON rows of [input, output], or a Python test file")
@opt.option("--function", metavar="NAME", note="called with the rows", default_text="named like FILE, or the only one")
@opt.add_option("--oracle", type=click.Choice(ORACLES), default="prior", help="How candidates are ordered")
@opt.option("--executions", type=opt.POSITIVE, default=10_000, note="of tests")
@opt.add_option("--patches", type=opt.POSITIVE, default=12, help="Stop after N patches; several are compared")
@opt.add_option(
    "--prefer",
    multiple=True,
    metavar="EXPR",
    help="Also require that this expression is true of the patch, e.g. 'f(2) == 4'; repeatable",
)
@opt.add_option("--imagine", type=opt.POSITIVE, default=32, help="Maximum number of candidates that the model judges")
@opt.option("--model", default="default", metavar="M")
@opt.add_option("--propose", metavar="WHO", help="Also take proposals from server:URL#M or python:FILE.py:NAME")
@opt.add_option(
    "--propose-option",
    "propose_options",
    multiple=True,
    metavar="KEY=VALUE",
    callback=opt.settings,
    help="Option of the proposing server; repeatable",
)
@opt.add_option("--test-seconds", type=opt.SECONDS, default=0.2, help="Limit: CPU time per test")
@opt.option("--seed", type=int, default=0, note="with --oracle random")
@opt.ray_option
@opt.trust_option
@opt.json_option
@opt.quiet_option
def repair(file: str, tests: str, imagine: int, address: str | None, as_json: bool, **options: Any) -> None:
    """Search for small changes to FILE that make its tests pass.

    Every patch shown was executed and passed all tests. Patches are then compared on drawn inputs: those with the
    same results are shown once, and the report names an input on which the others differ.
    """
    from worldline.data.program_file import load_program
    from worldline.plan.repair.finding import find_repair
    from worldline.ui.terminal.plan import print_repair

    is_predicted = options["oracle"] in ("imagined", "mixed")
    label = "candidates predicted" if is_predicted else "candidates executed"
    pool = opt.pool_of(address)
    with opt.progress(imagine if is_predicted else 0, label) as (advance, _):
        report = find_repair(
            load_program(file), tests, imagine=imagine, progress=lambda: advance(1), pool=pool, **options
        )
    opt.show(report, as_json, print_repair)
    if report.failing and not report.patches:
        click.get_current_context().exit(1)
