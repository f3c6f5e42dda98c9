"""From FILE, its arguments and options such as `--call` to a program: what the verbs that take one share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline.cli.options import option
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from worldline.core.program import Program

Verb = TypeVar("Verb", bound=Callable[..., Any])


def program_options(verb: Verb) -> Verb:
    """Which run of FILE is meant: the options of every verb that takes a program."""
    for add in (
        click.option(
            "--file",
            "data",
            multiple=True,
            metavar="PATH",
            help="A data file that the program finds in its folder; repeatable.",
        ),
        click.option(
            "--stdin",
            metavar="TEXT|@FILE|-",
            default="",
            help="What it reads from its stdin; -: what is piped.",
        ),
        click.option(
            "--entry", metavar="MODULE:FUNC", help="A call of FUNC in MODULE under the directory FILE."
        ),
        option("--call", metavar="EXPRESSION"),
    ):
        verb = add(verb)
    return verb


def program_of(
    file: str, args: tuple[str, ...], options: Mapping[str, Any], *, must_run: bool = False
) -> Program:
    """The program that these options name."""
    from worldline.data.program_file import load_program

    return load_program(
        file,
        argv=args,
        call=options["call"],
        entry=options["entry"],
        stdin=given_stdin(options["stdin"]),
        data=options["data"],
        must_run=must_run,
    )


def called_program(file: str, args: tuple[str, ...], options: Mapping[str, Any]) -> Program:
    """The same, for commands that have nothing to show of a file that only defines functions."""
    return program_of(file, args, options, must_run=True)


def given_stdin(text: str) -> str:
    """The text itself; behind an @, that of a file; what is piped into this command, for a dash.

    Nothing is taken from a pipe unasked: a command in a loop would eat the loop's input, or wait for ever.
    """
    if text == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not text.startswith("@"):
        return text
    try:
        with open(text[1:], encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"--stdin {text}: {error.strerror}") from None
