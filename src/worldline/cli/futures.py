"""The command `futures`: everything that a program could do, and what a model believes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldline.cli.options import json_option, limited, limits_of, model_options, option, trusted, under_way
from worldline.cli.programs import called_program, program_options

PROGRAM = ("call", "entry", "stdin", "data")


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@program_options
@trusted
@limited
@click.option("--exact", is_flag=True, help="Walk every draw; what the budget leaves is bounded.")
@click.option(
    "--sampled-runs", type=click.IntRange(min=1), metavar="N", help="Sample N runs, and walk nothing."
)
@click.option(
    "--at", metavar="STEP|Lnn", help="Ask about step STEP, or about line nn when it last runs (L7)."
)
@click.option("--name", default="", metavar="NAME", help="Ask for the value of NAME there, or at the end.")
@click.option("--paths", is_flag=True, help="Ask which lines run, in their order.")
@partial(model_options, default=None, note="here what it believes is compared")
@click.option("--texts", type=click.IntRange(min=0), default=64, help="Texts that the model writes [64].")
@option("--seed", type=click.IntRange(min=0), default=0, note="here of samples and texts")
@click.option("--runs", type=click.IntRange(min=1), default=2_000, help="The most runs of a walk [2000].")
@option("--seconds", type=click.FloatRange(min=0), default=60, note="0: no end")
@click.option(
    "--preemptions", type=click.IntRange(min=0), default=2, help="Of threads, in one schedule, at most [2]."
)
@option("--rows", type=click.IntRange(min=0), default=20)
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
    """List every outcome of FILE with its probability, beside what a model believes.

    Draws are walked one by one where they are finite, and sampled where not; of threads, schedules are searched.
    """
    from worldline.plan.futures.futures import futures as run

    program = called_program(file, args, {name: options.pop(name) for name in PROGRAM})
    limits = limits_of(options)
    with under_way() as tell:
        report = run(program, limits=limits, seconds=seconds or None, progress=tell, **options)
    if html is not None:
        from worldline.storage import files
        from worldline.ui.report.futures_page import page

        files.write(Path(html), page(report).encode("utf-8", "backslashreplace"))
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.futures import print_futures

        print_futures(terminal(), report, rows=rows)
