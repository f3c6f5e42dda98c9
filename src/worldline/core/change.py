"""A change of a run under way: names of live frames get other values, and another line may be next.

Pure data. Whether an interpreter can make it is said by who records (`recording`); nothing here builds a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.core.value import scan


@dataclass(frozen=True)
class Change:
    """When step `step` is done, before its frame's next event, live frames' names get these canonical values.

    `values` are by frame serial; None takes a name away. `line` is the next line of the step's frame to run, by the
    interpreter's own jump (to the head of a `for` it begins the loop anew); None leaves that to the program.
    """

    step: int
    values: Mapping[int, Mapping[str, str | None]] = field(default_factory=dict)
    line: int | None = None

    def __post_init__(self) -> None:
        if self.step < 0 or (self.line is not None and self.line < 1):
            raise UsageError(f"a change is made after a step from 0 on, at a line from 1 on: {self}")
        for names in self.values.values():
            for name, value in names.items():
                if value is not None and scan(value) != len(value):
                    raise UsageError(f"{name}={value}: not a canonical value")
