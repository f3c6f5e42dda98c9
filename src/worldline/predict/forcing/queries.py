"""A budget of interpreter queries, spent where the model is least sure: there the true step is put in for its own.

Rounds: the model writes to the end; the step with the lowest log-probability (of its action and state together) that
was not asked for yet is; the text is written anew from there on, with every true step that was asked for in its place.
Where to ask never depends on the truth. A query is answered by the recorded run, step by number: behind an action that
the run did not take it has no answer for the model's own state, so such a query is spent without effect and counted in
`spent` but not in `answered`. The model's other states are kept as they are. A predictor that does not say how sure it
is of each step is refused: to ask anywhere else would be another experiment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.batching import TOGETHER
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.forcing.writing import written
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor


@dataclass
class Inquiry:
    """One text, and the queries that were made about it."""

    ask: PredictionRequest
    truth: Prediction
    spent: list[int] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    prediction: Prediction | None = None
    sure: list[StepConfidence] = field(default_factory=list)
    dictated: list[tuple[int, int]] = field(default_factory=list)
    left: int | None = None
    seconds: float = 0.0

    def question(self) -> PredictionRequest:
        """The ask behind the text that the newest query leaves as it is."""
        if self.prediction is None:
            return self.ask
        return replace(self.ask, given=self.prediction.text[: self.sure[self.spent[-1]].start])

    def choose(self) -> bool:
        """Spend a query where the model is least sure; False where there is no such step, or the tool failed."""
        assert self.prediction is not None
        waiting = [
            (step.logprob, number) for number, step in enumerate(self.sure) if number not in self.spent
        ]
        if self.prediction.status == "fault" or not waiting:
            return False
        self.spent.append(min(waiting)[1])
        return True

    def keep(self, rolled: ForcedRollout, start: int) -> None:
        """Take what was written from byte `start` on."""
        newest = self.spent[-1] if self.spent else 0
        self.seconds += rolled.prediction.seconds
        self.prediction = replace(rolled.prediction, seconds=self.seconds)
        self.sure = [*self.sure[:newest], *rolled.sure[newest:]]
        self.dictated = [span for span in self.dictated if span[1] <= start] + list(rolled.dictated)
        self.answered = {number for number in self.answered if number < newest} | set(rolled.answered)
        self.left = rolled.left

    def rolled(self) -> ForcedRollout:
        """The text after its last round."""
        assert self.prediction is not None
        return ForcedRollout(
            prediction=self.prediction, force="queries", dictated=tuple(self.dictated), left=self.left,
            sure=tuple(self.sure), spent=tuple(self.spent), answered=tuple(sorted(self.answered)),
        )  # fmt: skip


def inquire(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], *, budget: int
) -> Iterator[ForcedRollout]:
    """Each ask with so many queries, in their order."""
    if budget < 0:
        raise UsageError(f"a budget of {budget} queries")
    for first in range(0, len(asks), TOGETHER):
        part = slice(first, first + TOGETHER)
        some = [Inquiry(ask, truth) for ask, truth in zip(asks[part], truths[part], strict=True)]
        going = some
        for number in range(budget + 1):
            # Behind the step at which a text has left the true run a query changes nothing.
            write_round(
                predictor, [text for text in going if text.left is None or text.spent[-1] <= text.left]
            )
            if number < budget:
                going = [text for text in going if text.choose()]
        yield from (text.rolled() for text in some)


def write_round(predictor: Predictor, going: Sequence[Inquiry]) -> None:
    """Write texts on, from the step that was asked for last, with every true step in its place."""
    asks, truths = [text.question() for text in going], [text.truth for text in going]
    chosen = [frozenset(text.spent) for text in going]
    rollouts = written(predictor, asks, truths, force="queries", chosen=chosen)
    for text, ask, rolled in zip(going, asks, rollouts, strict=True):
        if rolled.prediction.status != "fault" and rolled.prediction.text and not rolled.sure:
            raise UsageError(
                f"{predictor.info.name} does not say how sure it is of each step: it gives no log-probabilities"
            )
        text.keep(rolled, len(ask.given))
