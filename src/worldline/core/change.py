"""A change of a running program: other values for names of live frames, or another next line.

Pure data: `recording` decides whether an interpreter can make the change. Nothing here builds a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.core.value import scan


@dataclass(frozen=True)
class Change:
    """A change to make after step `step`, before the next event of its frame.

    Attributes:
        step: The number of the step.
        values: Canonical values by frame serial and name; None deletes the name.
        line: The next line of the step's frame, reached by the interpreter's own jump (a jump to the head of a `for`
            restarts the loop), or None to let the program continue.
    """

    step: int
    values: Mapping[int, Mapping[str, str | None]] = field(default_factory=dict)
    line: int | None = None

    def __post_init__(self) -> None:
        if self.step < 0 or (self.line is not None and self.line < 1):
            raise UsageError(f"a change needs a step of at least 0 and a line of at least 1: {self}")
        for names in self.values.values():
            for name, value in names.items():
                if value is not None and scan(value) != len(value):
                    raise UsageError(f"{name}={value}: not a canonical value")
