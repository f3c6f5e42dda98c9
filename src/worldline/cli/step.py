"""The command `step`: the prediction of a model, stepped through in the terminal."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli.control import control_of, control_options
from worldline.cli.model_options import asked, options_of
from worldline.cli.options import limited, limits_of
from worldline.cli.programs import called_program


@click.command()
@asked
@control_options
@limited
def step(**options: Any) -> None:
    """Step through a prediction for FILE in the terminal, beside the real run.

    The keys are those of the page; `?` shows them.
    """
    from worldline.ui.terminal.step.start import require_terminal
    from worldline.ui.terminal.step.start import step as run

    require_terminal()
    run(
        called_program(options["file"], options["args"], options),
        options["model"],
        extras=options["extras"],
        options=options_of(options),
        max_bytes=options["max_bytes"],
        control=control_of(options),
        limits=limits_of(options),
    )
