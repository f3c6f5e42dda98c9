"""The command `rehearse`: what a script would touch, executed in the sandbox on a copy of a folder."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from worldline.cli.options import (
    COUNT,
    add_option,
    json_option,
    limit_options,
    model_options,
    option,
    settings,
    show,
)
from worldline.cli.program_options import read_stdin, stdin_option


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@add_option(
    "--folder",
    default=".",
    metavar="DIR",
    help="Folder whose copy the script runs in",
    default_text="the current folder",
)
@add_option(
    "--exclude", multiple=True, metavar="NAME", help="Name that is not copied, such as .venv; repeatable"
)
@stdin_option
@add_option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    callback=settings,
    help="Environment variable of the script, which does not see yours; repeatable",
)
@option("--python", metavar="PATH")
@partial(limit_options, steps=False)
@add_option(
    "--no-run", is_flag=True, help="Execute nothing, not even in the sandbox: read the text and predict"
)
@partial(model_options, note="predicts where the script cannot be executed")
@option("--max-bytes", type=COUNT, default=2048, metavar="BYTES", note="0 for the text alone")
@option("--rows", type=COUNT, default=200, note="of diffs")
@json_option
def rehearse(
    file: str, args: tuple[str, ...], rows: int, as_json: bool, no_run: bool, stdin: str, **options: Any
) -> None:
    """Report what a script would read, write, delete, start or send.

    FILE is executed in the sandbox, without a network, on a copy of a folder. The folder itself is not touched. This is
    not a proof of safety.
    """
    from worldline.plan.rehearse.fallback import rehearse as run
    from worldline.ui.terminal.plan.rehearse import print_rehearsal

    report = run(file, argv=args, stdin=read_stdin(stdin), run=not no_run, **options)
    show(report, as_json, print_rehearsal, rows=rows)
