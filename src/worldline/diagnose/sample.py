"""What is diagnosed: an ask, what happened, and what was predicted, both in one notation. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest


@dataclass(frozen=True, kw_only=True)
class ReportedAnswer:
    """What stands beside a trace, as values' texts: the model's `own` answer, what another scorer has `taken` for it.

    `expected` is what a benchmark says is right; `failed`: another scorer says that the sample is wrong.
    """

    own: str | None = None
    taken: str | None = None
    expected: str | None = None
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One ask, its true steps and the found ones, and what else is said about the answer."""

    ask: PredictionRequest
    truth: Prediction
    found: Prediction
    beside: ReportedAnswer = field(default_factory=ReportedAnswer)

    def __post_init__(self) -> None:
        if self.truth.codec != self.found.codec:
            raise UsageError(
                f"the truth is written in {self.truth.codec}, the prediction in {self.found.codec}: they do not compare"
            )

    @property
    def told(self) -> ReportedAnswer:
        """What stands beside the trace: what was found elsewhere, else the answer that the model itself gave."""
        return ReportedAnswer(own=self.found.said) if self.beside == ReportedAnswer() else self.beside
