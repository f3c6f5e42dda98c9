"""The command `report`: a run as one page."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli.options import option
from worldline.core.errors import WorldlineError


@click.command()
@click.argument("run", type=click.Path())
@option("--out", metavar="FILE", note="here the page", default_text="RUN/report.html")
@click.option(
    "--max-failures", type=click.IntRange(min=0), default=200, help="The most failures that are shown [200]."
)
@click.option(
    "--figures", metavar="DIR", help="Also write every figure there, as PDF and SVG (extra `plots`)."
)
@option("--tokenizer", metavar="NAME|FILE")
def report(run: str, **options: Any) -> None:
    """Write one self-contained page about RUN: accuracy, causes, costs, interventions, failures."""
    from worldline.ui.report.report import report as write

    done = write(run, **options)
    click.echo(f"{done.page}: {done.samples:,} samples, {done.shown:,} of {done.failed:,} failures")
    for path in done.figures:
        click.echo(str(path))
    if done.unread:
        raise WorldlineError(f"{done.unread:,} samples failed in the tool; the page says so in their place")
