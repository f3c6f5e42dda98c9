"""What came of the assertions of a file of tests, each and all together."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from worldline.core.value import equal
from worldline.plan.outputs.expectation import Expectation


@dataclass(frozen=True)
class CheckedValue:
    """What came of an assertion: the value, whether it holds, or why there is none; and what a model imagines."""

    expectation: Expectation
    value: str | None = None
    holds: bool | None = None
    why: str = ""
    imagined: str | None = None
    probability: float | None = None

    def disagrees(self, sure: float) -> bool:
        """Whether a model imagines another value, and is sure enough, or nobody can tell how sure it is."""
        is_comparable = self.imagined is not None and self.value is not None
        return (
            is_comparable
            and (self.probability is None or self.probability >= sure)
            and not equal(str(self.imagined), str(self.value))
        )

    @property
    def is_wrong(self) -> bool:
        """Whether somebody should look: it does not hold, or nothing can be said or filled in."""
        return self.holds is not True and not (self.expectation.blank and self.value is not None)


@dataclass(frozen=True)
class OutputsReport:
    """A file of tests with what came of its assertions, and the file as it is when filled in."""

    name: str
    source: str
    filled: str
    values: tuple[CheckedValue, ...]

    @property
    def diff(self) -> str:
        """What filling in changes."""
        before, after = (text.splitlines(keepends=True) for text in (self.source, self.filled))
        return "".join(difflib.unified_diff(before, after, self.name, self.name))

    def as_json(self, sure: float) -> dict[str, Any]:
        """As one JSON object."""
        return {
            "name": self.name,
            "diff": self.diff,
            "values": [
                {
                    "line": checked.expectation.line,
                    "call": checked.expectation.value,
                    "wanted": checked.expectation.wanted,
                    "blank": checked.expectation.blank is not None,
                    "value": checked.value,
                    "holds": checked.holds,
                    "why": checked.why,
                    "imagined": checked.imagined,
                    "probability": checked.probability,
                    "disagrees": checked.disagrees(sure),
                }
                for checked in self.values
            ],
        }
