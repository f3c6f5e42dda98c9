"""The verb that answers a question about a run: `ask`, imagined where that is sure enough, run where not."""

from __future__ import annotations

import json
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import MODELS, limited, limits_of, settings, trusted, under_way
from worldline.cli.programs import called_program, program_options

if TYPE_CHECKING:
    from worldline.core.limits import Limits
    from worldline.plan.answer import Oracle, World


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
@click.option("--executions", type=click.IntRange(min=0), default=1, help="The most runs; 0: none [1].")
@click.option(
    "--steps", type=click.IntRange(min=0), default=0, help="The most single true steps to ask for [0]."
)
@click.option(
    "--sure",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.95,
    help="How sure an answer must be that was not run [0.95].",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=1 << 13,
    metavar="BYTES",
    help="The most bytes to imagine [8192].",
)
@click.option("--journal", metavar="DIR", help="What was run of this code so far; added to, and made.")
@click.option("--model", default="default", metavar="M", help=MODELS)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def ask(file: str, args: tuple[str, ...], what: str, as_json: bool, **asked: Any) -> None:
    """Answer one question about a run of FILE: imagined where that is sure enough, run in the box where not.

    How sure is told by the runs in the journal, 30 at least. Exit 1 where the answer stays unknown.
    """
    from worldline.plan.answer import Allowance
    from worldline.plan.executed import limits_for
    from worldline.plan.question import read_question

    program, question = called_program(file, args, asked), read_question(what)
    budget = Allowance(
        executions=asked["executions"], steps=asked["steps"], bytes=asked["limit"], sure=asked["sure"]
    )
    asked.pop("steps")
    limits = limits_for(question, limits_of(asked))
    with ExitStack() as stack, under_way() as tell:
        tell("asking")
        answer = _oracle(stack, limits, asked).ask(program, question, budget)
    if as_json:
        click.echo(json.dumps({"question": str(question), **answer.as_json()}))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan.ask import print_answer

        print_answer(terminal(), program, question, answer)
    if not answer.is_known:
        raise click.exceptions.Exit(1)


def _oracle(stack: ExitStack, limits: Limits | None, asked: dict[str, Any]) -> Oracle:
    """Who answers: without a journal nothing is known of the model, and it is not even loaded."""
    from worldline.plan.executed import ExecutedOracle, boxed_steps, boxed_world
    from worldline.plan.mixed import NO_MODEL, MixedOracle

    def world(program: Any) -> Any:
        opened: World = stack.enter_context(boxed_world(limits=limits))
        return opened(program)

    if asked["journal"] is None:
        return ExecutedOracle(world, NO_MODEL)
    from worldline.predict.models import load_model

    model = load_model(asked["model"], asked["extras"])
    return MixedOracle(world, model, journal=asked["journal"], first=boxed_steps(limits=limits))
