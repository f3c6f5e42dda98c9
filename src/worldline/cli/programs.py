"""From FILE, its arguments and options such as `--call` to a program: what the verbs that take one share."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline.core.errors import UsageError
from worldline.core.text import printable

if TYPE_CHECKING:
    from worldline.core.program import Program
    from worldline.core.trace import Trace


Verb = TypeVar("Verb", bound=Callable[..., Any])


def program_options(verb: Verb) -> Verb:
    """Which run of FILE is meant: the options of every verb that takes a program."""
    for option in (
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
        click.option(
            "--call", metavar="EXPRESSION", help="One call, such as \"f('ab', 3)\", not the script."
        ),
    ):
        verb = option(verb)
    return verb


def program_of(file: str, args: tuple[str, ...], options: Mapping[str, Any]) -> Program:
    """The program that these options name."""
    from worldline.recording.collect import collect, with_data

    found = collect(
        file, argv=args, call=options["call"], entry=options["entry"], stdin=given_stdin(options["stdin"])
    )
    return with_data(found, file, options["data"]) if options["data"] else found


def called_program(file: str, args: tuple[str, ...], options: Mapping[str, Any]) -> Program:
    """The same, for verbs that have nothing to show of a file that only defines functions."""
    if file.endswith((".jsonl", ".jsonl.gz")):
        raise UsageError(
            f"{file} holds rows, not a program: `worldline bench {file}` asks a model about each"
        )
    program = program_of(file, args, options)
    said = _not_python(program) or _only_defines(program) or _calls_nothing(program)
    if said:
        raise UsageError(said)
    return program


def _not_python(program: Program) -> str:
    """Why a source is not Python; nothing of one that is, of one in another language, or that only the run can tell."""
    if not program.lang.has_syntax_tree:
        return ""
    try:
        ast.parse(program.source)
    except SyntaxError as error:
        return f"{program.name} is not Python: {error.msg}, line {error.lineno}"
    except (ValueError, RecursionError, MemoryError):
        pass
    return ""


def _calls_nothing(program: Program) -> str:
    """What can be called instead, where a call names what a file that only defines functions does not have."""
    from worldline.analyze.flow.entries import entries, in_words
    from worldline.analyze.flow.operations import BUILTINS

    called = re.match(r"\s*([^\W\d]\w*)\s*\(", program.call or "")
    found = entries(program.source) if called and program.lang.has_syntax_tree else ()
    if called is None or not found or called[1] in BUILTINS or re.search(rf"\b{called[1]}\b", program.source):
        return ""
    example = f'--call "{found[0].example}"'
    return f"{program.name} defines no {called[1]} (NameError), but {in_words(found)}; say {example}"


def _only_defines(program: Program) -> str:
    """What can be called in a file that only defines functions; nothing of any other."""
    from worldline.analyze.flow.entries import entries, in_words

    found = entries(program.source) if program.call is None and program.lang.has_syntax_tree else ()
    if not found:
        return ""
    example = f'--call "{found[0].example}"'
    return f"{program.name} only defines functions: {in_words(found)}; say which call, such as {example}"


def hint(trace: Trace) -> str:
    """What would have helped a program that did nothing, found no file or nothing to read; nothing of any other."""
    ended = trace.outcome.detail if trace.outcome.kind == "raised" else ""
    if "FileNotFoundError" in ended:
        named = re.search(r"^FileNotFoundError: .*: '([^'\n]+)'$", trace.stderr, re.MULTILINE)
        path = printable(named[1]) if named else "PATH"
        return f"the program runs in a folder of its own; `--file {path}` puts a file there"
    if "EOFError" in ended and not trace.program.stdin:
        return "the program read its stdin, which is empty: `--stdin TEXT`, `--stdin @FILE`, or `--stdin -` for a pipe"
    return _only_defines(trace.program)


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
