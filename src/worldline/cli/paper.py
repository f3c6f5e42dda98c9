"""The `paper` command: published tables for any model."""

from __future__ import annotations

import json
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.suites import refuse_faults


@click.command()
@click.argument("tables", metavar="TABLE...", nargs=-1)
@opt.model_options
@opt.option("--out", metavar="DIR", default="paper", note="tables, figures and, by model, the stored runs")
@opt.option("--data", metavar="FILE", note="cruxeval.jsonl, for cruxeval; failures and strings then use it too")
@opt.option("--max-programs", type=opt.POSITIVE, note="of each run", default_text="the table's own")
@opt.option("--minutes", type=opt.SECONDS, metavar="N", note="each run gets as many programs as the estimate allows")
@opt.trust_option
@opt.json_option
@opt.quiet_option
def paper(tables: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Reproduce published tables for a model.

    Each TABLE (or `all`) is measured, written as LaTeX and figure, and printed beside the published rows with their
    sources. Without a TABLE, the tables are listed. Runs are stored: repeat the command to resume.
    """
    from worldline.ui.report.paper.tables import paper_tables
    from worldline.ui.report.paper.write import paper as write
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_tables

    if not tables:
        captions = paper_tables()
        click.echo(json.dumps(captions) if as_json else "\n".join(f"{name}: {text}" for name, text in captions.items()))
        return
    with opt.progress_bar("programs") as update:
        done = write(
            *tables,
            notify=opt.note,
            progress=lambda run, now: update(now.done, now.total, f"of {run} {now.note}"),
            **options,
        )
    if as_json:
        click.echo(json.dumps(done.as_json()))
    for table in () if as_json else done.tables.values():
        click.echo(f"\n{table.name}: {table.caption}")
        print_tables(terminal(), [table.table])
        for text in table.sources:
            click.echo(text)
        click.echo(" ".join(map(str, (table.latex, *table.figures))))
    refuse_faults(done.faults, done.first_fault)
