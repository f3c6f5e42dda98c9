"""The commands for stored runs: `merge`, `compare`, `intervene` and `report`."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.suites import print_result, refuse_faults
from worldline.core.errors import WorldlineError


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@opt.option("--out", metavar="DIR", required=True, note="the whole run")
@opt.json_option
@opt.quiet_option
def merge(runs: tuple[str, ...], out: str, as_json: bool) -> None:
    """Merge all shards of one run of `bench --shard`."""
    from worldline.evaluation.runs import merge as run

    with opt.spinner("merging"):
        result = run(runs, out)
    print_result(result, as_json)


@click.command()
@click.argument("first", metavar="RUN", type=click.Path())
@click.argument("second", metavar="RUN", type=click.Path())
@opt.json_option
@opt.quiet_option
def compare(first: str, second: str, as_json: bool) -> None:
    """Compare two runs of one suite, sample by sample.

    Shows what flipped, why, and whether the difference is significant.
    """
    from worldline.evaluation.runs import compare as run
    from worldline.ui.terminal.compare import print_comparison

    with opt.spinner("comparing"):
        comparison = run(first, second)
    opt.show(comparison, as_json, print_comparison)
    refuse_faults(comparison.faults)


@click.command()
@click.argument("run", type=click.Path())
@partial(opt.model_options, default=None, note="if RUN was scored, or its model is elsewhere now")
@opt.add_option("--interventions", metavar="NAME,...", callback=opt.words, help="Only these interventions")
@opt.option("--max-programs", type=opt.POSITIVE, note="of those that failed", default_text="all")
@opt.add_option("--by", type=click.Choice(["answer", "trace"]), default="answer", help="What must be right")
@opt.option("--seed", type=int, default=0, note="for the choice of samples")
@opt.limit_options
@opt.trust_option
@opt.json_option
@opt.quiet_option
def intervene(run: str, as_json: bool, **options: Any) -> None:
    """Test what fixes the failed samples of RUN.

    Failed samples, and as many passing ones, are predicted again under each intervention. The trials are stored in RUN.
    """
    from worldline.evaluation.runs import intervene as act
    from worldline.ui.terminal.trials import print_trials

    limits = opt.limits_of(options)
    with opt.progress_bar("samples") as update:
        result = act(run, limits=limits, progress=lambda name, done, total: update(done, total, name), **options)
    opt.show(result, as_json, lambda console, done: print_trials(console, done.trials, done.conclusion))
    refuse_faults(result.faults)


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@opt.option("--out", metavar="FILE", note="the page", default_text="RUN/report.html or RUN/comparison.html")
@opt.add_option("--max-failures", type=opt.COUNT, default=200, help="Maximum number of failures to show")
@opt.add_option("--figures", metavar="DIR", help="Also write every figure as PDF and SVG (extra `figures`)")
@opt.add_option("--main-table", metavar="FILE", help="Several runs: also write the main table as LaTeX")
@opt.option("--tokenizer", metavar="NAME|FILE")
@opt.quiet_option
def report(runs: tuple[str, ...], **options: Any) -> None:
    """Write a self-contained HTML page about one or several runs.

    It shows accuracy, causes, costs, interventions and failures. Several runs of one suite are compared with the
    first: paired differences with intervals and tests, flips with both traces, and everything else side by side.
    """
    from worldline.ui.report.report import report as write
    from worldline.ui.terminal.conclusion import print_conclusion
    from worldline.ui.terminal.console import terminal

    with opt.spinner("writing the page"):
        done = write(*runs, **options)
    if done.conclusion is not None:
        print_conclusion(terminal(), done.conclusion)
    what = "failures" if done.runs == 1 else "flips"
    compared = f"{done.runs:,} runs, " if done.runs > 1 else ""
    click.echo(f"{done.page}: {compared}{done.samples:,} samples, {done.shown:,} of {done.failed:,} {what}")
    for path in (*([done.main_table] if done.main_table is not None else []), *done.figures):
        click.echo(str(path))
    if done.unread:
        raise WorldlineError(f"{done.unread:,} samples failed in the tool; the page says so in their place")
