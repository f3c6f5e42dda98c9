"""Queries: true steps from the interpreter replace the model's own where its confidence is lowest.

In each round the model writes to the end. The step with the lowest log-probability that was not queried yet is queried,
and the text is written again from there, with all queried steps in place. The choice never depends on the truth. The
recorded run answers by step number. After an action that the run did not take it has no answer: such a query counts in
`spent` but not in `answered`. Predictors that report no confidence per step are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.batching import MAX_TEXTS_AT_ONCE
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.forcing.writing import write_texts
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor


@dataclass
class Inquiry:
    """One text and its queries."""

    request: PredictionRequest
    truth: Prediction
    spent: list[int] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    prediction: Prediction | None = None
    sure: list[StepConfidence] = field(default_factory=list)
    dictated: list[tuple[int, int]] = field(default_factory=list)
    left: int | None = None
    seconds: float = 0.0

    def next_request(self) -> PredictionRequest:
        """Return the request that continues before the newest query."""
        if self.prediction is None:
            return self.request
        return replace(self.request, given=self.prediction.text[: self.sure[self.spent[-1]].start])

    def choose(self) -> bool:
        """Query the step with the lowest confidence; False if there is none left or the tool failed."""
        assert self.prediction is not None
        waiting = [(step.logprob, number) for number, step in enumerate(self.sure) if number not in self.spent]
        if self.prediction.status == "fault" or not waiting:
            return False
        self.spent.append(min(waiting)[1])
        return True

    def update(self, rolled: ForcedRollout, start: int) -> None:
        """Store what was written from byte `start`."""
        newest = self.spent[-1] if self.spent else 0
        self.seconds += rolled.prediction.seconds
        self.prediction = replace(rolled.prediction, seconds=self.seconds)
        self.sure = [*self.sure[:newest], *rolled.sure[newest:]]
        self.dictated = [span for span in self.dictated if span[1] <= start] + list(rolled.dictated)
        self.answered = {number for number in self.answered if number < newest} | set(rolled.answered)
        self.left = rolled.left

    def rolled(self) -> ForcedRollout:
        """Return the text after its last round."""
        assert self.prediction is not None
        return ForcedRollout(
            prediction=self.prediction,
            force="queries",
            dictated=tuple(self.dictated),
            left=self.left,
            sure=tuple(self.sure),
            spent=tuple(self.spent),
            answered=tuple(sorted(self.answered)),
        )


def roll_with_queries(
    predictor: Predictor, requests: Sequence[PredictionRequest], truths: Sequence[Prediction], *, budget: int
) -> Iterator[ForcedRollout]:
    """Roll out each request with at most `budget` queries, in order."""
    if budget < 0:
        raise UsageError(f"the number of queries must be 0 or more, not {budget}")
    for first in range(0, len(requests), MAX_TEXTS_AT_ONCE):
        part = slice(first, first + MAX_TEXTS_AT_ONCE)
        texts = [Inquiry(request, truth) for request, truth in zip(requests[part], truths[part], strict=True)]
        active = texts
        for number in range(budget + 1):
            # After a text has diverged from the true run, a query changes nothing.
            write_round(predictor, [text for text in active if text.left is None or text.spent[-1] <= text.left])
            if number < budget:
                active = [text for text in active if text.choose()]
        yield from (text.rolled() for text in texts)


def write_round(predictor: Predictor, active: Sequence[Inquiry]) -> None:
    """Write each text again from its newest query, with all queried steps in place."""
    requests, truths = [text.next_request() for text in active], [text.truth for text in active]
    chosen = [frozenset(text.spent) for text in active]
    rollouts = write_texts(predictor, requests, truths, force="queries", chosen=chosen)
    for text, request, rolled in zip(active, requests, rollouts, strict=True):
        if rolled.prediction.status != "fault" and rolled.prediction.text and not rolled.sure:
            raise UsageError(f"{predictor.info.name} reports no confidence per step: it returns no log-probabilities")
        text.update(rolled, len(request.given))
