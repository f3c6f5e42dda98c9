"""Edits of a predicted state: names get other values after one step, and the model continues from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.codec.names import DEFAULT_NOTATION
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.value import scan
from worldline.predict.prediction import PredictionRequest
from worldline.predict.table import context_of


@dataclass(frozen=True)
class Edit:
    """Sets names of a step's frame to canonical values after that step; None deletes a name."""

    step: int
    values: Mapping[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.values.items():
            if value is not None and scan(value, 0) != len(value):
                raise UsageError(f"{name}={value}: not a canonical value, such as 7, 'a' or [1, 2]")


def read_edit(text: str) -> Edit:
    """Parse `3:n=7`: after step 3, n is 7. Without a value the name is deleted."""
    step, colon, change = text.partition(":")
    name, equals, value = change.partition("=")
    if not (colon and equals and step.isdecimal() and name.isidentifier()):
        raise UsageError(f"--edit {text}: not STEP:NAME=VALUE, such as 3:n=7")
    return Edit(int(step), {name: value or None})


def apply_edit(request: PredictionRequest, text: bytes, edit: Edit, *, codec: str = DEFAULT_NOTATION) -> bytes:
    """Cut a text after the state of the edited step, with the edit in it.

    Raises:
        UsageError: There is no such step, or its state is not in the text.
    """
    return notation(codec).edit(context_of(request), text, edit.step, edit.values)
