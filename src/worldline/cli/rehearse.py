"""The command `rehearse`: what a script would touch, executed in the sandbox on a copy of a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.program_options import read_stdin, stdin_option


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@opt.add_option(
    "--folder",
    default=".",
    metavar="DIR",
    help="Folder whose copy the script runs in",
    default_text="the current folder",
)
@opt.add_option("--exclude", multiple=True, metavar="NAME", help="Name that is not copied, such as .venv; repeatable")
@stdin_option
@opt.add_option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    callback=opt.settings,
    help="Environment variable of the script, which does not see yours; repeatable",
)
@opt.option("--python", metavar="PATH")
@partial(opt.limit_options, steps=False)
@opt.add_option(
    "--stub",
    "stubs",
    multiple=True,
    metavar="NAME=EXPR",
    help="Answer to assume, such as 'requests.get=lambda url: ...' or \"open('a.txt')='text'\"; repeatable",
)
@opt.add_option("--stubs", "stubs_file", metavar="FILE", help="Python file with more of them, in a dictionary STUBS")
@opt.add_option(
    "--branches", type=opt.COUNT, default=6, help="Maximum number of branches executed past what is missing; 0 for none"
)
@opt.add_option("--no-run", is_flag=True, help="Execute nothing, not even in the sandbox: read the text and predict")
@partial(opt.model_options, note="predicts where the script cannot be executed")
@opt.option("--max-bytes", type=opt.COUNT, default=2048, metavar="BYTES", note="0 for the text alone")
@opt.option("--rows", type=opt.COUNT, default=200, note="of diffs")
@opt.sandbox_option
@opt.json_option
@opt.quiet_option
def rehearse(
    file: str, args: tuple[str, ...], rows: int, as_json: bool, no_run: bool, stdin: str, **options: Any
) -> None:
    """Report what a script would read, write, delete, start or send.

    FILE is executed in the sandbox, without a network, on a copy of a folder. The folder itself is not touched. Past a
    missing module, file, variable or connection it goes on with assumed answers, and all that follows is labelled as
    predicted. This is not a proof of safety.
    """
    from worldline.plan.rehearse.fallback import rehearse as run
    from worldline.ui.terminal.rehearse import print_rehearsal

    text = read_stdin(stdin)
    with opt.spinner(f"rehearsing {Path(file).name}"):
        report = run(file, argv=args, stdin=text, run=not no_run, **options)
    opt.show(report, as_json, print_rehearsal, rows=rows)
