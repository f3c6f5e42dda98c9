"""The calibration data of a model on one code base: one entry per execution, on which a gate is fitted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from worldline.plan.code_features import CodeFeatures
from worldline.predict.predictor import Predictor


@dataclass(frozen=True, kw_only=True)
class LedgerEntry:
    """One execution: the digest of the program, the question, why it was executed, and the prediction before it.

    `score` is the natural log-probability of the prediction, and `probability` the gate's bound for it, if there
    was a gate. `model` is the digest of the weights, or their name. `told` counts the true steps before the prediction;
    0 for a whole prediction. `code` says what kind of code was executed.
    """

    digest: str
    question: str
    why: str
    imagined: str | None
    true: str
    score: float | None
    probability: float | None = None
    model: str = ""
    told: int = 0
    code: CodeFeatures = CodeFeatures()  # noqa: RUF009 - frozen

    @property
    def is_right(self) -> bool:
        """Whether the prediction was right."""
        return self.imagined == self.true

    @property
    def what(self) -> str:
        """The kind of the question."""
        return self.question.partition(":")[0]


def calibration_entries(
    entries: Iterable[LedgerEntry], *, what: str, model: str, stepped: bool = False
) -> list[LedgerEntry]:
    """Select the entries that a gate for one kind of question and one model is fitted on.

    Whole predictions say nothing about predictions after true steps (`stepped`), nor the other way round. If a program
    was asked the same question twice, the newest entry counts.
    """
    newest: dict[tuple[str, str], LedgerEntry] = {}
    for entry in entries:
        is_scored = entry.imagined is not None and entry.score is not None
        if is_scored and (entry.told > 0) == stepped and entry.what == what and entry.model == model:
            newest[entry.digest, entry.question] = entry
    return list(newest.values())


def model_name(predictor: Predictor) -> str:
    """Return the name of a predictor in a ledger: the digest of its weights, or its name."""
    return predictor.info.digest or predictor.info.name
