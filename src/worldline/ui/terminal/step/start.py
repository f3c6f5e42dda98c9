"""Starts the stepper of the terminal on a program and a model by its name."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.ui.session.session import Session


def step(
    program: Program,
    model: AnyModel = DEFAULT,
    *,
    extras: Mapping[str, str] | None = None,
    options: Compact | None = None,
    max_bytes: int | None = None,
    control: Control | None = None,
    limits: Limits | None = None,
) -> None:
    """Step through what a model predicts, in the terminal, beside what the interpreter does, until it is left.

    Args:
        program: The program; `load_program` reads one from a file.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, where `model` is a name.
        options: How steps are written.
        max_bytes: The most bytes that the model may write.
        control: Who decides the hidden inputs of the run.
        limits: Limits of the execution.

    Raises:
        UsageError: There is no terminal, or the extra `step` is missing.
    """
    require_terminal()
    try:
        from worldline.ui.terminal.step.app import step as run
    except ImportError as error:
        if not (error.name or "").startswith("textual"):
            raise
        raise UsageError("stepping in the terminal needs textual: pip install 'worldline[step]'") from None
    predictor = load_model(model, extras)
    session = Session.new(
        program,
        model=predictor.info.name,
        options=options or Compact(),
        limit=max_bytes,
        codec=predictor.info.notation,
        control=control,
    )
    run(session, predictor, limits=limits)


def require_terminal() -> None:
    """Raise a UsageError where nobody can see a screen and type into it."""
    if not is_terminal():
        raise UsageError(
            "step needs a terminal to be seen in and typed into: `debug` prints, `view` serves a page"
        )


def is_terminal() -> bool:
    """Whether somebody can see it and type into it."""
    return sys.stdin.isatty() and sys.stdout.isatty()
