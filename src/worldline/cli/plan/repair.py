"""The command `plan repair`: small changes that make tests pass."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli.options import (
    POSITIVE,
    SECONDS,
    add_option,
    json_option,
    option,
    pool_of,
    progress,
    ray_option,
    settings,
    show,
    trust_option,
)

# `plan.repair.order.ORACLES`, which `--help` need not load.
ORACLES = ("none", "random", "prior", "imagined", "mixed")


@click.command()
@click.argument("file", type=click.Path())
@add_option(
    "--tests", required=True, metavar="FILE", help="JSON rows of [input, output], or a Python test file"
)
@option(
    "--function", metavar="NAME", note="called with the rows", default_text="named like FILE, or the only one"
)
@add_option("--oracle", type=click.Choice(ORACLES), default="prior", help="How candidates are ordered")
@option("--executions", type=POSITIVE, default=2_000, note="of tests")
@add_option("--patches", type=POSITIVE, default=3, help="Stop after N patches")
@add_option("--imagine", type=POSITIVE, default=32, help="Maximum number of candidates that the model judges")
@option("--model", default="default", metavar="M")
@add_option("--propose", metavar="WHO", help="Also take proposals from server:URL#M or python:FILE.py:NAME")
@add_option(
    "--propose-option",
    "propose_options",
    multiple=True,
    metavar="KEY=VALUE",
    callback=settings,
    help="Option of the proposing server; repeatable",
)
@add_option("--test-seconds", type=SECONDS, default=0.2, help="Limit: CPU time per test")
@option("--seed", type=int, default=0, note="with --oracle random")
@ray_option
@trust_option
@json_option
def repair(file: str, tests: str, imagine: int, address: str | None, as_json: bool, **options: Any) -> None:
    """Search for small changes to FILE that make its tests pass.

    Every patch shown was executed and passed all tests.
    """
    from worldline.data.program_file import load_program
    from worldline.plan.repair.finding import find_repair
    from worldline.ui.terminal.plan.repair import print_repair

    is_predicted = options["oracle"] in ("imagined", "mixed")
    label = "candidates predicted" if is_predicted else "candidates executed"
    pool = pool_of(address)
    with progress(imagine if is_predicted else 0, label) as (advance, _):
        report = find_repair(
            load_program(file), tests, imagine=imagine, progress=lambda: advance(1), pool=pool, **options
        )
    show(report, as_json, print_repair)
    if report.failing and not report.patches:
        click.get_current_context().exit(1)
