"""The command `rehearse`: what a script would touch, in the sandbox over a copy of a folder."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli.options import json_option, limited, model_options, option, settings
from worldline.cli.programs import given_stdin


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@click.option(
    "--folder", default=".", metavar="DIR", help="Where it runs: a copy of DIR [the current folder]."
)
@click.option(
    "--exclude", multiple=True, metavar="NAME", help="Names that are not copied, such as .venv; repeatable."
)
@click.option(
    "--stdin", metavar="TEXT|@FILE|-", default="", help="What it reads from its stdin; -: what is piped."
)
@click.option(
    "--env", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="A variable of its environment; repeatable. Yours is not in the box.",
)  # fmt: skip
@option("--python", metavar="PATH")
@partial(limited, steps=False)
@click.option("--no-run", is_flag=True, help="Run nothing, not even in the box: read the text and imagine.")
@partial(model_options, note="predicts where the script cannot run")
@option("--max-bytes", type=click.IntRange(min=0), default=2048, metavar="BYTES", note="0: the text alone")
@option("--rows", type=click.IntRange(min=0), default=200, note="here lines of diffs")
@json_option
def rehearse(
    file: str, args: tuple[str, ...], rows: int, as_json: bool, no_run: bool, stdin: str, **options: Any
) -> None:
    """Report what the script FILE would read, write, delete, start or send. Not a proof of safety.

    It runs in the box, without a network, over a copy of a folder; the folder itself is not touched.
    """
    from worldline.plan.rehearse.fallback import rehearse as run

    report = run(file, argv=args, stdin=given_stdin(stdin), run=not no_run, **options)
    if as_json:
        click.echo(json.dumps(report.as_json()))
        return
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.rehearse import print_rehearsal

    print_rehearsal(terminal(), report, rows=rows)
