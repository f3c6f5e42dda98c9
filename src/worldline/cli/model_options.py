"""Who imagines which run, and how it is written: the options of `debug`, `imagine`, `step` and `encode`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline.cli.options import SCRATCHPADS, model_options, option, trusted
from worldline.cli.programs import program_options

if TYPE_CHECKING:
    from worldline.codec.compact.prompt import Compact

Verb = TypeVar("Verb", bound=Callable[..., Any])


def written(verb: Verb) -> Verb:
    """How the trace is written in the compact notation."""
    for add in (
        option("--hidden", type=click.Choice(("predicted", "given", "blind")), default="predicted"),
        option("--conditions", is_flag=True),
        click.option("--bare", is_flag=True, help="Leave lines that can never run out of the prompt."),
        click.option(
            "--element", is_flag=True, help="Write what changed inside a value, not the whole of it."
        ),
        option("--reveal", type=click.IntRange(min=0), default=1),
    ):
        verb = add(verb)
    return verb


def asked(verb: Verb) -> Verb:
    """What is imagined, and by whom: the arguments and options of every verb that lets a model imagine FILE."""
    for add in (
        written,
        option("--max-bytes", type=click.IntRange(min=1), metavar="BYTES"),
        model_options,
        trusted,
        program_options,
        click.argument("args", nargs=-1),
        click.argument("file", type=click.Path()),
    ):
        verb = add(verb)
    return verb


def scratched(verb: Verb) -> Verb:
    """In which form it is imagined, and whether that is shown."""
    for add in (
        click.option("--unfold", is_flag=True, help="Show the steps of a scratchpad under those of FILE."),
        option("--scratchpad", type=click.Choice(SCRATCHPADS), default="none"),
    ):
        verb = add(verb)
    return verb


def options_of(asked: dict[str, Any]) -> Compact:
    """How the trace is written."""
    from worldline.codec.compact.prompt import Compact

    delta = "element" if asked["element"] else "whole"
    return Compact(
        delta=delta, reveal=asked["reveal"], bare=asked["bare"], hidden=asked["hidden"], conditions=asked["conditions"]
    )  # fmt: skip
