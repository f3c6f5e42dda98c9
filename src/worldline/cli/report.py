"""The verb that shows a run as a page: `report`. No logic: it calls a room."""

from __future__ import annotations

from pathlib import Path

import click

from worldline.core.errors import UsageError, WorldlineError


@click.command()
@click.argument("run", type=click.Path())
@click.option("-o", "--out", metavar="FILE", help="Where the page goes [RUN/report.html].")
@click.option(
    "--limit", type=click.IntRange(min=0), default=200, help="The most failures that are shown [200]."
)
@click.option(
    "--figures", metavar="DIR", help="Also write every figure there, as PDF and SVG (extra `plots`)."
)
@click.option(
    "--tokenizer", metavar="FILE", help="What tokens are: a `tokenizers` JSON, a tiktoken file, `llama3`."
)
def report(run: str, out: str | None, limit: int, figures: str | None, tokenizer: str | None) -> None:
    """Write one self-contained page about RUN: accuracy, causes, costs, cures and each failure beside its truth."""
    from worldline.evaluation.run.stored import local
    from worldline.storage import files
    from worldline.ui.report.page import charts
    from worldline.ui.report.page import report as made

    if figures is not None:
        from worldline.ui.report.figures import ready

        ready()
    from worldline.storage.remote import is_url

    if out is None and is_url(run):
        raise UsageError("a page about a run on a store goes to a file: -o FILE")
    text, found = made(local(run), limit=limit, tokenizer=tokenizer)
    page = Path(out) if out is not None else local(run) / "report.html"
    files.write(page, text.encode("utf-8", "backslashreplace"))
    click.echo(f"{page}: {found.sums.n:,} samples, {len(found.listed):,} of {len(found.failed):,} failures")
    if figures is not None:
        from worldline.ui.report.figures import write

        for path in write(Path(figures), list(charts(found))):
            click.echo(str(path))
    if found.unread:
        raise WorldlineError(f"{found.unread:,} samples failed in the tool; the page says so in their place")
