"""The command `doctor`: what this machine offers for executing programs."""

from __future__ import annotations

import click

from worldline.cli import options as opt


@click.command()
@opt.json_option
def doctor(as_json: bool) -> None:
    """Find out in which sandbox this machine executes programs.

    Tries each sandbox with a tiny program, and what it needs of the system: namespaces, cgroups, seccomp, landlock.
    Prints what was found and what to do about what is missing. Exit code 1 if no sandbox starts.
    """
    from worldline.recording.providers.doctor import doctor as run
    from worldline.ui.terminal.doctor import print_doctor

    report = run()
    opt.show(report, as_json, print_doctor)
    if not report.has_sandbox:
        raise click.exceptions.Exit(1)
