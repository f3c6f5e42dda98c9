"""An edited state: names of one step get other values in the text so far, and whoever continues it goes on from there.

Where the edit stands in the text is its notation's (`Notation.edit`).
"""

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
    """After step `step`, names of its frame have these canonical values; None takes a name away."""

    step: int
    values: Mapping[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.values.items():
            if value is not None and scan(value, 0) != len(value):
                raise UsageError(f"{name}={value}: not a canonical value")


def read_edit(text: str) -> Edit:
    """Read `3:n=7`, after step 3 n is 7; without a value the name is taken away."""
    step, colon, change = text.partition(":")
    name, equals, value = change.partition("=")
    if not (colon and equals and step.isdecimal() and name.isidentifier()):
        raise UsageError(f"--edit {text}: not STEP:NAME=VALUE, such as 3:n=7")
    return Edit(int(step), {name: value or None})


def apply_edit(ask: PredictionRequest, text: bytes, edit: Edit, *, codec: str = DEFAULT_NOTATION) -> bytes:
    """The text of an ask up to the changes of a step, with the edit among them."""
    return notation(codec).edit(context_of(ask), text, edit.step, edit.values)
