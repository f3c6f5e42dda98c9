"""Options of commands that take a program: which run of FILE, its hidden inputs, the model and the notation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt
from worldline.core.errors import UsageError
from worldline.core.text import printable

if TYPE_CHECKING:
    from worldline.codec.compact.prompt import Compact
    from worldline.core.hidden import Control
    from worldline.core.program import Program
    from worldline.core.trace import Trace

PROGRAM = ("call", "entry", "stdin", "data", "flags", "vm_flags")

stdin_option = opt.add_option(
    "--stdin",
    metavar="TEXT|@FILE|-",
    default="",
    help="Standard input of the program: a text, a file, or what is piped into this command",
)


def program_options(command: opt.Command) -> opt.Command:
    """Add the options that say which run of FILE is meant."""
    return opt.add_all(
        command,
        opt.option("--call", metavar="EXPRESSION"),
        opt.add_option("--entry", metavar="MODULE:FUNC", help="Call FUNC in MODULE, in the directory FILE"),
        stdin_option,
        opt.add_option(
            "--file",
            "data",
            multiple=True,
            metavar="PATH",
            help="File to put into the program's folder: data, or a source compiled with it; repeatable",
        ),
        opt.add_option(
            "--flag",
            "flags",
            multiple=True,
            metavar="FLAG",
            help="Flag of the compiler, as in --flag=-std=c++20; repeatable",
        ),
        opt.add_option(
            "--vm-flag",
            "vm_flags",
            multiple=True,
            metavar="FLAG",
            help="Flag of java or node, as in --vm-flag=-ea; repeatable",
        ),
        opt.library_option,
    )


def program_of(file: str, args: tuple[str, ...], options: Mapping[str, Any], *, must_run: bool = False) -> Program:
    """Load the program that the options name; with `must_run` it must do more than define functions."""
    from worldline.data.program_file import load_program
    from worldline.recording.languages.libraries import chosen_libraries, packages_beside, require_used, using_libraries

    program = load_program(
        file,
        argv=args,
        call=options["call"],
        entry=options["entry"],
        stdin=read_stdin(options["stdin"]),
        data=options["data"],
        flags=options["flags"],
        vm_flags=options["vm_flags"],
        must_run=must_run,
    )
    if (packages := packages_beside(file, program)) is not None:
        click.get_current_context().with_resource(using_libraries(packages.path))
    require_used(chosen_libraries(), program)
    return program


def take_program(file: str, args: tuple[str, ...], options: dict[str, Any]) -> Program:
    """Take the options of a program out of all options, and load it."""
    return program_of(file, args, {name: options.pop(name) for name in PROGRAM}, must_run=True)


def read_stdin(text: str) -> str:
    """Return the text, the content of a file (`@FILE`), or what is piped into this command (`-`).

    A pipe is read only on request: a command in a shell loop would otherwise consume the loop's input.
    """
    if text == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not text.startswith("@"):
        return text
    from worldline.storage.inputs import MAX_STDIN_BYTES, read_input

    try:
        return read_input(text[1:], limit=MAX_STDIN_BYTES).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"--stdin {text}: {error.strerror}") from None


def notation_options(command: opt.Command) -> opt.Command:
    """Add the options of the compact notation."""
    return opt.add_all(
        command,
        opt.option("--reveal", type=opt.COUNT, default=1),
        opt.add_option("--element", is_flag=True, help="Write what changed inside a value instead of the whole value"),
        opt.add_option("--bare", is_flag=True, help="Omit lines from the prompt that can never run"),
        opt.option("--conditions", is_flag=True),
        opt.option("--assigned", is_flag=True),
        opt.option("--hidden", type=click.Choice(("predicted", "given", "blind")), default="predicted"),
    )


def notation_of(options: Mapping[str, Any]) -> Compact:
    """Return the mode of the compact notation."""
    from worldline.codec.compact.prompt import Compact

    same = {name: options[name] for name in ("reveal", "bare", "hidden", "conditions", "assigned")}
    return Compact(delta="element" if options["element"] else "whole", **same)


def prediction_options(command: opt.Command, *, needs_file: bool = True) -> opt.Command:
    """Add the arguments and options of commands that predict FILE."""
    return opt.add_all(
        command,
        click.argument("file", type=click.Path(), required=needs_file),
        click.argument("args", nargs=-1),
        program_options,
        opt.trust_option,
        opt.model_options,
        opt.option("--max-bytes", type=opt.POSITIVE, metavar="BYTES"),
        notation_options,
    )


def file_or_test_options(command: opt.Command) -> opt.Command:
    """Add the arguments and options of commands that take FILE, or a test by `--pytest`."""
    return prediction_options(command, needs_file=False)


def require_file(options: Mapping[str, Any]) -> None:
    """Raise a usage error if neither FILE nor `--pytest` was given."""
    if options["file"] is None:
        raise click.UsageError("Missing argument 'FILE', or --pytest REPO::TEST.")


scratchpad_option = opt.option("--scratchpad", type=click.Choice(opt.SCRATCHPADS), default_text="auto, if it applies")


def scratchpad_options(command: opt.Command) -> opt.Command:
    """Add the options that say how the model is asked: a vote, and `--scratchpad` with `--unfold`."""
    return opt.add_all(
        command,
        opt.vote_options,
        scratchpad_option,
        opt.add_option("--unfold", is_flag=True, help="Also show the steps of the scratchpad"),
    )


def control_options(command: opt.Command) -> opt.Command:
    """Add the options that control hidden inputs."""
    return opt.add_all(
        command,
        opt.option("--seed", type=opt.SEED, note="for random numbers and a virtual clock"),
        opt.add_option("--live", is_flag=True, help="Use real randomness and clocks, and record them"),
        opt.add_option("--replay", metavar="TRACE", help="Use the hidden inputs of a stored trace"),
        opt.add_option(
            "--draw",
            multiple=True,
            metavar="STEP=VALUE",
            help="With --replay: another value for the draw at STEP; STEP.K is its draw K, counted from 0",
        ),
        opt.add_option(
            "--schedule",
            type=opt.SCHEDULE,
            metavar="SEED|TURNS",
            help="Switch threads between lines, by this seed; or between accesses, by turns such as 0:5,1:3",
        ),
    )


def control_of(options: Mapping[str, Any]) -> Control | None:
    """Return the control that the options describe; None without any of them."""
    from worldline.data.control import choose_control

    return choose_control(**{name: options[name] for name in ("seed", "live", "replay", "draw", "schedule")})


def has_diverged(trace: Trace, options: Mapping[str, Any]) -> bool:
    """Whether a replay differs from its recording; the differences are printed to stderr."""
    from worldline.data.control import replay_differences

    differences, other = replay_differences(trace, None if options["draw"] else options["replay"])
    for note in differences:
        click.echo(printable(f"note[parted]: {note}"), err=True)
    if other:
        opt.hint(f"{options['replay']} is a run with another {other}")
    return bool(differences)
