"""The command `futures`: everything that a program could do, and what a model predicts of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from worldline.cli.options import (
    COUNT,
    POSITIVE,
    SECONDS_OR_0,
    add_option,
    json_option,
    limit_options,
    limits_of,
    model_options,
    option,
    show,
    spinner,
    trust_option,
    write_page,
)
from worldline.cli.program_options import program_options, take_program


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@program_options
@trust_option
@limit_options
@add_option("--exact", is_flag=True, help="Enumerate every draw; bound what the budget leaves out")
@add_option("--sampled-runs", type=POSITIVE, help="Sample N runs instead of enumerating")
@add_option("--at", metavar="STEP|Lnn", help="Ask about a step, or about the last execution of a line (L7)")
@add_option("--name", default="", metavar="NAME", help="Ask for the value of NAME there, or at the end")
@add_option("--paths", is_flag=True, help="Ask which lines run, in order")
@partial(model_options, default=None, note="its probabilities are compared")
@add_option("--texts", type=COUNT, default=64, help="Number of texts that the model writes")
@option("--seed", type=COUNT, default=0, note="for samples and texts")
@add_option("--runs", type=POSITIVE, default=2_000, help="Maximum number of runs to enumerate")
@option("--seconds", type=SECONDS_OR_0, default=60, note="0 for no limit")
@add_option(
    "--preemptions", type=COUNT, default=2, help="Maximum number of thread preemptions in one schedule"
)
@option("--rows", type=COUNT, default=20)
@json_option
@option("--html", metavar="FILE")
def futures(
    file: str,
    args: tuple[str, ...],
    rows: int,
    as_json: bool,
    html: str | None,
    seconds: float,
    **options: Any,
) -> None:
    """List every outcome of FILE with its probability.

    Draws are enumerated if they are finite, and sampled if not. For threads, schedules are searched. With --model, the
    model's probabilities are shown beside the exact ones.
    """
    from worldline.plan.futures.futures import futures as run
    from worldline.ui.terminal.futures import print_outlook

    program = take_program(file, args, options)
    limits = limits_of(options)
    with spinner() as say:
        report = run(program, limits=limits, seconds=seconds or None, progress=say, **options)
    if html is not None:
        from worldline.ui.report.futures_page import page

        write_page(html, page(report))
    show(report, as_json, print_outlook, rows=rows)
