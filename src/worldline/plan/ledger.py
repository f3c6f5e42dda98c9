"""What is known of a model's sureness on the code at hand: an entry for each execution, of which a gate is fitted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from worldline.predict.predictor import Predictor


@dataclass(frozen=True, kw_only=True)
class LedgerEntry:
    """One execution: of which program, by its digest; what was asked, and why it was run; what was believed before.

    `score` is the natural log-probability of what was imagined, `probability` what a gate made of it; None where there
    was none. `model` is the digest of the weights, or their name. `told`: how many true
    steps had been asked for before, so that what was imagined stands behind them; 0: it was imagined whole.
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

    @property
    def is_right(self) -> bool:
        """Whether what was imagined is so."""
        return self.imagined == self.true

    @property
    def what(self) -> str:
        """The kind of the question."""
        return self.question.partition(":")[0]


def telling(
    entries: Iterable[LedgerEntry], *, what: str, model: str, stepped: bool = False
) -> list[LedgerEntry]:
    """The entries that a gate for such questions of such a model may be fitted on: scored, and imagined likewise.

    What was imagined whole says nothing of what is imagined behind true steps (`stepped`), nor the other way round. Of
    a program that was asked the same twice, the newest: one run is not two.
    """
    newest: dict[tuple[str, str], LedgerEntry] = {}
    for entry in entries:
        is_scored = entry.imagined is not None and entry.score is not None
        if is_scored and (entry.told > 0) == stepped and entry.what == what and entry.model == model:
            newest[entry.digest, entry.question] = entry
    return list(newest.values())


def model_of(predictor: Predictor) -> str:
    """A predictor as a ledger names it: by the digest of its weights, or its name."""
    return predictor.info.digest or predictor.info.name
