"""The errors for predictions that were not made: a server that does not answer is not a fault of the tool."""

from __future__ import annotations

import shlex

from worldline.core.errors import ServerError, WorldlineError
from worldline.core.text import plural

_UNREACHABLE = "unreachable("


def model_fault(note: str, model: str) -> WorldlineError:
    """Return the error for a prediction that was not made.

    Args:
        note: The note of the prediction.
        model: The model that was asked, as `--model` takes it.
    """
    if note.startswith(_UNREACHABLE):
        return ServerError(_with_advice(note.removeprefix(_UNREACHABLE).removesuffix(")"), model))
    return WorldlineError(note or "the model could not be asked")


def samples_fault(faults: int, first: str = "") -> WorldlineError:
    """Return the error for samples that were not predicted.

    Args:
        faults: How many there are.
        first: The name and note of the first one.
    """
    counted = f"{plural(faults, 'prediction')} %s and {'is' if faults == 1 else 'are'} not counted"
    name, unreachable, why = first.partition(_UNREACHABLE)
    if unreachable:
        return ServerError(
            f"{counted % 'got no answer'}; the first, {name}{_with_advice(why.removesuffix(')'), 'MODEL')}"
        )
    return WorldlineError(counted % "failed in the tool" + (f"; the first, {first}" if first else ""))


def _with_advice(why: str, model: str) -> str:
    return f"{why}. `worldline check {shlex.quote(model)}` finds out what is wrong with the server and says what to do."
