"""Start the terminal stepper on a program and a model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

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
    """Step through a prediction in the terminal, beside the actual execution, until the user quits.

    Args:
        program: The program; `load_program` reads one from a file.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, if `model` is a name.
        options: How steps are written.
        max_bytes: The maximum length of the prediction.
        control: Decides the hidden inputs of the execution.
        limits: Limits of the execution.

    Raises:
        UsageError: There is no terminal, or the extra `step` is missing.
    """
    require_terminal()
    run = _app()
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


def step_recorded(session: Session) -> None:
    """Step through a recorded run in the terminal until the user quits.

    Args:
        session: The result of `Session.of_trace`.

    Raises:
        UsageError: There is no terminal, or the extra `step` is missing.
    """
    require_terminal()
    _app()(session, None)


def _app() -> Callable[..., None]:
    """The application; UsageError if textual is missing."""
    try:
        from worldline.ui.terminal.step.app import step as run
    except ImportError as error:
        if not (error.name or "").startswith("textual"):
            raise
        raise UsageError("stepping in the terminal needs textual: pip install 'worldline[step]'") from None
    return run


def require_terminal() -> None:
    """Raise a UsageError if there is no terminal."""
    if not is_terminal():
        raise UsageError("step needs a terminal: use `debug` to print, or `view` to serve a page")


def is_terminal() -> bool:
    """Tell whether standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()
