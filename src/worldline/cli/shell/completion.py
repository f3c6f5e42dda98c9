"""The command `completion`, and the answers to a shell that completes a command line."""

from __future__ import annotations

import os

import click
from click.shell_completion import FishComplete, add_completion_class

PROGRAM = "worldline"
COMPLETE_VARIABLE = "_WORLDLINE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
MAX_SUMMARY_CHARS = 100


@add_completion_class
class WholeFishComplete(FishComplete):
    """Keeps a description that contains commas: click's script cuts it at the first one."""

    source_template = FishComplete.source_template.replace('string split "," ', 'string split --max 1 "," ')


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands in your shell.

    For bash, add `eval "$(worldline completion bash)"` to ~/.bashrc; docs/how-to/install.md has the other shells.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, PROGRAM, COMPLETE_VARIABLE).source())


def answer_shell(command: click.Command) -> int | None:
    """Answer the script of `completion`, if it is what started this process; return the exit code, or else None."""
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if not instruction:
        return None
    from click.shell_completion import shell_complete

    _write_out_summaries(command)
    return shell_complete(command, {}, PROGRAM, COMPLETE_VARIABLE, instruction)


def _write_out_summaries(command: click.Command) -> None:
    """Set the summaries of all subcommands, which click cuts to 45 characters otherwise."""
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        subcommand.short_help = subcommand.get_short_help_str(limit=MAX_SUMMARY_CHARS)
        _write_out_summaries(subcommand)
