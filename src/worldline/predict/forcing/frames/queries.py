"""A budget of interpreter queries for a model that writes Meta's format: the true frame, where it is least sure.

Rounds as in `forcing.queries`: the model writes to the end; the frame with the lowest log-probability that was not
asked for yet is; the text is written anew from there on, every true frame that was asked for in its place. How sure a
model is of a frame is the sum over its tokens, as its server tells them; where it tells none nothing can be asked for,
and it is refused: to ask anywhere else would be another experiment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from worldline.codec.cwm.frame_text import cut
from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.frames.forces import FrameScript, chosen
from worldline.predict.forcing.rounds import rounds
from worldline.predict.forcing.talk import TOGETHER, together
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor


@dataclass
class FrameInquiry:
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

    @property
    def kept(self) -> bytes:
        """The text before the newest query."""
        if self.prediction is None:
            return self.ask.given
        return self.prediction.text[: self.sure[self.spent[-1]].start]


def inquire_frames(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], *, budget: int
) -> Iterator[FrameInquiry]:
    """Each ask with so many queries, in their order."""
    for first in range(0, len(asks), TOGETHER):
        part = slice(first, first + TOGETHER)
        found = [FrameInquiry(ask, truth) for ask, truth in zip(asks[part], truths[part], strict=True)]
        yield from rounds(found, budget=budget, write=partial(_round, predictor))


def _round(predictor: Predictor, going: Sequence[FrameInquiry]) -> None:
    """Writes on from what is kept."""
    talks = [chosen(replace(one.ask, given=one.kept), one.truth, frozenset(one.spent)) for one in going]
    for one, script in zip(going, together(predictor, talks, codec="cwm"), strict=True):
        _keep(one, script, predictor.info.name)


def _keep(one: FrameInquiry, script: FrameScript, name: str) -> None:
    draft, sure = script.draft, list(script.draft.confidences)
    if draft.status != "fault" and draft.text and not sure:
        raise UsageError(
            f"{name} does not say how sure it is of each frame: its server gives no log-probabilities"
        )
    at, newest = len(draft.ask.given), one.spent[-1] if one.spent else 0
    before = one.sure[: len(cut(draft.ask.given))]
    one.seconds += draft.seconds
    one.sure = [*before, *sure[len(before) :]]
    one.prediction = replace(draft.prediction, seconds=one.seconds)
    one.dictated = [span for span in one.dictated if span[1] <= at] + draft.dictated
    one.answered = {number for number in one.answered if number < newest} | script.answered
    one.left = script.left
