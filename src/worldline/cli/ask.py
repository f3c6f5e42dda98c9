"""The command `ask`: one question about a run, predicted where that is sure enough, executed where not."""

from __future__ import annotations

import json
from functools import partial
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
@partial(limited, steps=False)
@click.option(
    "--what",
    default="return",
    metavar="QUESTION",
    help="return, raises, passes, line:12, name:x@9 or ends:500 [return].",
)
@option("--executions", type=click.IntRange(min=0), default=1, note="0: none")
@click.option(
    "--true-steps", type=click.IntRange(min=0), default=0, help="The most single true steps to ask for [0]."
)
@option("--sure", type=click.FloatRange(min=0, max=1, min_open=True), default=0.95)
@option("--max-bytes", type=click.IntRange(min=1), default=1 << 13, metavar="BYTES")
@option("--journal", metavar="DIR", note="added to, and made")
@model_options
@json_option
def ask(file: str, args: tuple[str, ...], what: str, as_json: bool, **options: Any) -> None:
    """Answer one question about a run of FILE: predicted if confident, executed in the sandbox if not.

    How sure is told by the runs in the journal, 30 at least. Exit 1 where the answer stays unknown.
    """
    from worldline.plan.ask import ask as run
    from worldline.plan.question import read_question

    program = called_program(file, args, {name: options.pop(name) for name in PROGRAM})
    question, limits = read_question(what), limits_of(options)
    with under_way() as tell:
        tell("asking")
        answer = run(program, question, limits=limits, **options)
    if as_json:
        click.echo(json.dumps({"question": str(question), **answer.as_json()}))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan import print_answer

        print_answer(terminal(), program, question, answer)
    if not answer.is_known:
        raise click.exceptions.Exit(1)
