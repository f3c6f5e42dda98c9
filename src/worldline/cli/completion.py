"""The command `completion`, and the answers to a shell that completes a command line."""

from __future__ import annotations

import os

import click

PROGRAM = "worldline"
COMPLETE_VARIABLE = "_WORLDLINE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


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

    return shell_complete(command, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
