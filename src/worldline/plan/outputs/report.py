"""The results of the assertions of a test file."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from worldline.codec.answer import same_answer
from worldline.plan.answer import Answer
from worldline.plan.outputs.expectation import Expectation


@dataclass(frozen=True)
class CheckedValue:
    """The result of an assertion: its value and whether it holds, or why it has none, and the model's prediction.

    `is_unreached`: no run of the tests has computed it. Then `answer` is what its call alone returns, or is predicted
    to return, if either is known.
    """

    expectation: Expectation
    value: str | None = None
    holds: bool | None = None
    why: str = ""
    imagined: str | None = None
    probability: float | None = None
    is_unreached: bool = False
    answer: Answer | None = None

    def disagrees(self, sure: float) -> bool:
        """Whether a model predicts another value with enough confidence, or without calibration."""
        is_comparable = self.imagined is not None and self.value is not None
        return (
            is_comparable
            and (self.probability is None or self.probability >= sure)
            and not same_answer(str(self.imagined), str(self.value))
        )

    @property
    def is_wrong(self) -> bool:
        """Whether it needs attention: it does not hold, or has no value."""
        return self.holds is not True and not (self.expectation.blank and self.value is not None)


@dataclass(frozen=True)
class OutputsReport:
    """A test file, the results of its assertions, and the file with values filled in."""

    name: str
    source: str
    filled: str
    values: tuple[CheckedValue, ...]

    @property
    def diff(self) -> str:
        """The changes as a unified diff."""
        before, after = (text.splitlines(keepends=True) for text in (self.source, self.filled))
        return "".join(difflib.unified_diff(before, after, self.name, self.name))

    def as_json(self, sure: float) -> dict[str, Any]:
        """Return the report as one JSON object."""
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
                    "unreached": checked.is_unreached,
                    "answer": None if checked.answer is None else checked.answer.as_json(),
                }
                for checked in self.values
            ],
        }
