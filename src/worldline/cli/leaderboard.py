"""The `leaderboard` command: models by suites as a folder of static pages."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli import options as opt
from worldline.core.errors import WorldlineError
from worldline.core.text import plural


def _labels(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Parse several `RUN=NAME`. A folder or URL may contain an equals sign."""
    pairs = [text.rpartition("=") for text in texts]
    if wrong := next((name for run, _, name in pairs if not run or not name), None):
        raise click.BadParameter(f"{wrong} is not RUN=NAME")
    return {run: name for run, _, name in pairs}


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@opt.option("--out", metavar="DIR", required=True, note="the pages")
@opt.add_option(
    "--label",
    "labels",
    multiple=True,
    metavar="RUN=NAME",
    callback=_labels,
    help="Name of the model of a run, or of all runs in a folder; repeatable",
)
@opt.add_option("--max-failures", type=opt.COUNT, default=200, help="Maximum number of failures to show")
@opt.quiet_option
def leaderboard(runs: tuple[str, ...], out: str, **options: Any) -> None:
    """Write a static page of models by suites.

    Each RUN is a run of `bench` or `score`, or a folder that contains some. Every figure links to the report of its
    run; published figures stand beside the measured ones, with their source.
    """
    from worldline.ui.report.leaderboard.write import leaderboard as write

    with opt.progress_bar("runs") as update:
        done = write(runs, out, progress=lambda now, total: update(now, total, ""), **options)
    board = done.board
    measured = plural(len(board.rows) - done.published, "row")
    counts = f"{measured}, {done.published:,} published, {plural(len(board.columns), 'column')}"
    click.echo(f"{done.page}: {plural(len(board.entries), 'run')}, {counts}")
    if done.unread:
        raise WorldlineError(f"{done.unread:,} samples failed in the tool; their reports say so in their place")
