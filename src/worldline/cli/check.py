"""The command `check`: in which way a model has to be asked."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.shell.completers import complete_models


@click.command()
@click.argument("model", default="default", shell_complete=complete_models)
@opt.option("-M", "extras", multiple=True, metavar="KEY=VALUE", callback=opt.settings)
@opt.option("--seconds", type=opt.SECONDS, default=300.0)
@opt.trust_option
@opt.json_option
@opt.quiet_option
def check(model: str, as_json: bool, **options: Any) -> None:
    """Find out in which way a model must be asked.

    MODEL is what --model takes, such as server:URL#MODEL; an address alone is the only model of that server. It is
    asked for the traces of three tiny programs in every way that worldline knows. Prints which answers can be read, and
    the command that measures the model in the best way. Exit code 1 if no answer can be read.
    """
    from worldline.evaluation.check.check import check as run
    from worldline.ui.terminal.check import print_check

    with opt.spinner("checking", limit=options["seconds"]) as say:
        result = run(model, progress=say, **options)
    opt.show(result, as_json, print_check)
    if not result.is_readable:
        raise click.exceptions.Exit(1)
