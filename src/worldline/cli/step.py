"""The verb `step`: a model's imagination stepped through in the terminal. No logic: it calls `view.step`."""

from __future__ import annotations

import sys
from typing import Any

import click

from worldline.cli.options import MODELS, settings
from worldline.cli.programs import program_of, program_options
from worldline.errors import UsageError


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@program_options
@click.option("--model", default="default", metavar="M", help=MODELS)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="BYTES", help="The most bytes of steps.")
@click.option("--reveal", type=click.IntRange(min=0), default=1, help="Show the state every N steps [1].")
@click.option("--element", is_flag=True, help="Write what changed inside a value, not the whole of it.")
@click.option("--bare", is_flag=True, help="Leave lines that can never run out of the prompt.")
def step(file: str, args: tuple[str, ...], **asked: Any) -> None:
    """Step through what a model imagines FILE to do, in the terminal, beside what the interpreter does.

    The keys are those of the page; `?` shows them.
    """
    if not is_terminal():
        raise UsageError(
            "step needs a terminal to be seen in and typed into: `debug` prints, `view` serves a page"
        )
    try:
        from worldline.view.step import step as run
    except ImportError as error:
        if not (error.name or "").startswith("textual"):
            raise
        raise UsageError("stepping in the terminal needs textual: pip install 'worldline[step]'") from None
    from worldline.codec.compact_prompt import Compact
    from worldline.predict.models import load_model

    delta = "element" if asked["element"] else "whole"
    options = Compact(delta=delta, reveal=asked["reveal"], bare=asked["bare"])
    program = program_of(file, args, asked)
    run(program, load_model(asked["model"], asked["extras"]), options=options, limit=asked["limit"])


def is_terminal() -> bool:
    """Whether somebody can see it and type into it."""
    return sys.stdin.isatty() and sys.stdout.isatty()
