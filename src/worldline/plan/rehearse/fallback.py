"""A rehearsal whatever can be executed here: in the sandbox where that works, predicted and labelled so where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from worldline.core.errors import NoSandbox, UsageError
from worldline.core.limits import Limits
from worldline.plan.rehearse.imagine import completed, imagined
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, rehearse_executed, runs
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.predictor import Predictor

DEFAULT_BYTES = 2048


def rehearse(
    file: str | Path,
    *,
    argv: Sequence[str] = (),
    folder: str | Path = ".",
    exclude: Sequence[str] = (),
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    python: str | None = None,
    wall: float | None = None,
    run: bool = True,
    model: AnyModel = DEFAULT,
    extras: Mapping[str, str] | None = None,
    max_bytes: int = DEFAULT_BYTES,
) -> Rehearsal:
    """Find out what a script would read, write, delete, start or send. It is no promise that the script is safe.

    The script is executed in the sandbox, without a network, over a copy of a folder, which itself stays as it is.

    Args:
        file: The script.
        argv: Its arguments.
        folder: The folder that is copied.
        exclude: Names that are not copied, such as `.venv`.
        stdin: The text that the script reads from its standard input.
        env: Variables of its environment; yours is not in the sandbox.
        python: The Python interpreter that executes it.
        wall: Limit: seconds of the run.
        run: Execute it; otherwise its text is read and a model predicts which lines are reached.
        model: Who predicts where the script cannot be executed: a name, a predictor or a function.
        extras: Options of the model, where `model` is a name.
        max_bytes: The most bytes to predict; 0 reads the text alone.

    Returns:
        The effects, each marked as executed, predicted or found in the text, and what could not be seen.

    Raises:
        UsageError: The file cannot be read, or is not a script.
    """
    path = Path(file)
    staging = Staging(
        folder=Path(folder),
        leave_out=tuple(exclude),
        argv=tuple(argv),
        stdin=stdin,
        environment=tuple((env or {}).items()),
        python=python,
    )

    def predictor() -> Predictor | None:
        return load_model(model, extras) if max_bytes else None

    why_not = runs(path) if run else "--no-run"
    if why_not:
        return imagined(path, staging, predictor(), why=why_not, limit=max_bytes)
    try:
        limits = Limits() if wall is None else replace(Limits(), wall=wall)
        rehearsal = rehearse_executed(path, staging, limits=limits)
    except NoSandbox as error:
        return imagined(path, staging, predictor(), why=f"there is no box: {error}", limit=max_bytes)
    outcome = rehearsal.outcome
    if outcome and outcome.kind == "unsupported":
        raise UsageError(f"{file} is no script that can be run: {outcome.detail}")
    lacks_module = outcome and outcome.detail.startswith(("ModuleNotFoundError(", "ImportError("))
    guess = predictor() if lacks_module else None
    return completed(rehearsal, staging, guess, limit=max_bytes) if rehearsal.is_cut else rehearsal
