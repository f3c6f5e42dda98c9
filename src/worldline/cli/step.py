"""The verb `step`: a model's imagination stepped through in the terminal. No logic: it calls `terminal.step.app`."""

from __future__ import annotations

import sys
from typing import Any

import click

from worldline.cli.control import control_of, control_options
from worldline.cli.model_options import asked, options_of
from worldline.cli.options import limited, limits_of
from worldline.cli.programs import called_program
from worldline.core.errors import UsageError


@click.command()
@asked
@control_options
@limited
def step(**asked: Any) -> None:
    """Step through what a model imagines FILE to do, in the terminal, beside what the interpreter does.

    The keys are those of the page; `?` shows them.
    """
    if not is_terminal():
        raise UsageError(
            "step needs a terminal to be seen in and typed into: `debug` prints, `view` serves a page"
        )
    try:
        from worldline.ui.terminal.step.app import step as run
    except ImportError as error:
        if not (error.name or "").startswith("textual"):
            raise
        raise UsageError("stepping in the terminal needs textual: pip install 'worldline[step]'") from None
    from worldline.predict.models import load_model
    from worldline.ui.session.scene import Scene

    program = called_program(asked["file"], asked["args"], asked)
    predictor = load_model(asked["model"], asked["extras"])
    scene = Scene.new(
        program, model=predictor.info.name, options=options_of(asked), limit=asked["limit"],
        codec=predictor.info.notation, control=control_of(asked),
    )  # fmt: skip
    run(scene, predictor, limits=limits_of(asked))


def is_terminal() -> bool:
    """Whether somebody can see it and type into it."""
    return sys.stdin.isatty() and sys.stdout.isatty()
