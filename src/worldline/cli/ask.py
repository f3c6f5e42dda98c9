"""The command `ask`: one question about a run, predicted if the model is confident, executed otherwise."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.program_options import program_options, scratchpad_option, take_program


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@program_options
@opt.trust_option
@partial(opt.limit_options, steps=False)
@opt.add_option(
    "--what",
    default="return",
    metavar="QUESTION",
    help="Question: return, raises, passes, line:12, name:x@9 or ends:500",
)
@opt.option("--executions", type=opt.COUNT, default=1, note="0 for none")
@opt.add_option("--true-steps", type=opt.COUNT, default=0, help="Maximum number of single true steps to request")
@opt.option("--sure", type=opt.PROBABILITY, default=0.95, metavar="P")
@opt.option("--max-bytes", type=opt.POSITIVE, default=1 << 13, metavar="BYTES")
@opt.option("--journal", metavar="DIR", note="created if it is new; executions are added")
@opt.model_options
@opt.vote_options
@scratchpad_option
@opt.json_option
@opt.quiet_option
def ask(file: str, args: tuple[str, ...], what: str, as_json: bool, **options: Any) -> None:
    """Answer one question about a run of FILE.

    The answer is predicted if the model is confident, and else executed in the sandbox. Confidence is calibrated by the
    journal, which needs at least 30 executions. Exit code 1 if the answer stays unknown.
    """
    from worldline.plan.ask import ask as run
    from worldline.plan.question import read_question

    program = take_program(file, args, options)
    question, limits = read_question(what), opt.limits_of(options)
    with opt.spinner("asking"):
        answer = run(program, question, limits=limits, **options)
    if as_json:
        click.echo(json.dumps({"question": str(question), **answer.as_json()}))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan import print_answer

        print_answer(terminal(), program, question, answer)
    if not answer.is_known:
        raise click.exceptions.Exit(1)
