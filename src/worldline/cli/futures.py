"""The command `futures`: everything that a program could do, and what a model predicts of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.faults import model_fault
from worldline.cli.program_options import program_options, take_program


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@program_options
@opt.trust_option
@opt.limit_options
@opt.add_option("--exact", is_flag=True, help="Enumerate every draw; bound what the budget leaves out")
@opt.add_option("--sampled-runs", type=opt.POSITIVE, help="Sample N runs instead of enumerating")
@opt.add_option("--at", metavar="STEP|Lnn", help="Ask about a step, or about the last execution of a line (L7)")
@opt.add_option("--name", default="", metavar="NAME", help="Ask for the value of NAME there, or at the end")
@opt.add_option("--paths", is_flag=True, help="Ask which lines run, in order")
@partial(opt.model_options, default=None, note="its probabilities are compared")
@opt.add_option("--texts", type=opt.COUNT, default=64, help="Number of texts that the model writes")
@opt.option("--seed", type=opt.COUNT, default=0, note="for samples and texts")
@opt.add_option("--runs", type=opt.POSITIVE, default=2_000, help="Maximum number of runs to enumerate")
@opt.option("--seconds", type=opt.SECONDS_OR_0, default=60, note="0 for no limit")
@opt.option("--rows", type=opt.COUNT, default=20)
@opt.json_option
@opt.quiet_option
@opt.option("--html", metavar="FILE")
def futures(
    file: str, args: tuple[str, ...], rows: int, as_json: bool, html: str | None, seconds: float, **options: Any
) -> None:
    """List every outcome of FILE with its probability.

    Draws are enumerated if they are finite, and sampled if not. For threads, every schedule is searched, up to the
    order of independent accesses. Each result has a schedule that `record --schedule` replays. With --model, the
    model's probabilities are shown beside the exact ones.
    """
    from worldline.plan.futures.futures import futures as run
    from worldline.ui.terminal.futures import print_futures

    program = take_program(file, args, options)
    limits = opt.limits_of(options)
    with opt.spinner("executing", limit=seconds or None) as say:
        report = run(program, limits=limits, seconds=seconds or None, progress=say, **options)
    if html is not None:
        from worldline.ui.report.futures_page import page

        opt.write_page(html, page(report))
    opt.show(report, as_json, print_futures, rows=rows, file=file)
    if report.fault:
        raise model_fault(report.fault, options["model"])
