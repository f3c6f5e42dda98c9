"""The data under diagnosis: a request, its truth and its prediction, both in one notation."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest


@dataclass(frozen=True, kw_only=True)
class ReportedAnswer:
    """An answer reported beside a trace, as the text of a value.

    `own`: the model's separate answer. `taken`: what another scorer read. `expected`: what a benchmark
    expects. `failed`: another scorer judged the sample wrong.
    """

    own: str | None = None
    taken: str | None = None
    expected: str | None = None
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class StoredBlame:
    """The operation that was blamed when the prediction was judged, for the cause of this name.

    `candidates`: the operations that explain the value equally well, if the operation is ambiguous. `note` is the
    evidence.
    """

    cause: str
    operation: str
    candidates: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A request with its truth, its prediction (`found`) and the answer reported beside it.

    `blamed` is what a stored run says of this prediction: its reports agree with the run, whatever they could find out.
    """

    ask: PredictionRequest
    truth: Prediction
    found: Prediction
    beside: ReportedAnswer = field(default_factory=ReportedAnswer)
    blamed: StoredBlame | None = None

    def __post_init__(self) -> None:
        if self.truth.codec != self.found.codec:
            raise UsageError(
                f"cannot compare a truth in {self.truth.codec} with a prediction in {self.found.codec}: "
                "use one notation for both"
            )

    @property
    def told(self) -> ReportedAnswer:
        """The answer reported beside the trace; by default the one that the model itself gave."""
        return ReportedAnswer(own=self.found.said) if self.beside == ReportedAnswer() else self.beside
