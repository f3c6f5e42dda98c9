"""From FILE, its arguments, `--call`, `--entry` and `--stdin` to a program: what the verbs that take one share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.core.program import Program


Verb = TypeVar("Verb", bound=Callable[..., Any])


def program_options(verb: Verb) -> Verb:
    """Which run of FILE is meant: the options of every verb that takes a program."""
    for option in (
        click.option(
            "--stdin", metavar="TEXT|@FILE", default="", help="What the program reads from its stdin."
        ),
        click.option(
            "--entry", metavar="MODULE:FUNC", help="A call of FUNC in MODULE under the directory FILE."
        ),
        click.option(
            "--call", metavar="EXPRESSION", help="One call, such as \"f('ab', 3)\", not the script."
        ),
    ):
        verb = option(verb)
    return verb


def program_of(file: str, args: tuple[str, ...], options: Mapping[str, Any]) -> Program:
    """The program that these options name."""
    from worldline.recording.collect import collect

    return collect(
        file, argv=args, call=options["call"], entry=options["entry"], stdin=_stdin(options["stdin"])
    )


def _stdin(text: str) -> str:
    """The text itself, or, behind an @, that of a file."""
    if not text.startswith("@"):
        return text
    try:
        with open(text[1:], encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"--stdin {text}: {error.strerror}") from None
