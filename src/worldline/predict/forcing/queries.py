"""A budget of interpreter queries, spent where the model is least sure: there the true step is put in for its own.

Rounds: the model writes to the end; the step with the lowest log-probability (of its action and state together, by the
model's own bytes) that was not asked for yet is; the text is written anew from there on, with every true step that was
asked for in its place. Where to ask never depends on the truth. A query is answered by the recorded run, step by
number: behind an action that the run did not take it has no answer for the model's own state, so such a query is spent
without effect and counted in `spent` but not in `answered`. The model's other states are kept as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from worldline.codec.compact.turns import ForcedLine, forced_lines
from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence, step_confidences
from worldline.predict.forcing.rounds import rounds
from worldline.predict.forcing.script import ChosenSteps
from worldline.predict.forcing.walk import walk
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

TOGETHER = 64  # texts in one round


@dataclass
class Inquiry:
    """One text, and the queries that were made about it."""

    ask: PredictionRequest
    lines: list[ForcedLine]
    spent: list[int] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    prediction: Prediction | None = None
    logprobs: list[float] = field(default_factory=list)  # behind `given`
    entropies: list[float] = field(default_factory=list)
    dictated: list[tuple[int, int]] = field(default_factory=list)
    left: int | None = None
    seconds: float = 0.0

    @property
    def sure(self) -> list[StepConfidence]:
        """How sure the model was of each step."""
        assert self.prediction is not None
        return step_confidences(self.ask, self.prediction, self.logprobs, self.entropies)


def inquire(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], *, budget: int
) -> Iterator[Inquiry]:
    """Each ask with so many queries, in their order."""
    for first in range(0, len(asks), TOGETHER):
        part = slice(first, first + TOGETHER)
        pairs = zip(asks[part], truths[part], strict=True)
        found = [Inquiry(ask, forced_lines(ask.prompt, ask.options, truth.text)) for ask, truth in pairs]
        yield from rounds(found, budget=budget, write=partial(write_round, predictor))


def write_round(predictor: Predictor, going: Sequence[Inquiry]) -> None:
    """Writes texts on, from the step that was asked for last, with every true step in its place."""
    asks = [_ask(one) for one in going]
    scripts = [ChosenSteps(one.lines, frozenset(one.spent)) for one in going]
    for one, ask, script, rolled in zip(
        going, asks, scripts, _rollouts(predictor, asks, scripts), strict=True
    ):
        script.finish(rolled.prediction.text)
        at, before = len(ask.given), len(one.ask.given)
        one.seconds += rolled.prediction.seconds
        one.prediction = replace(rolled.prediction, seconds=one.seconds)
        one.logprobs = one.logprobs[: at - before] + rolled.logprobs
        one.entropies = one.entropies[: at - before] + rolled.entropies
        one.dictated = [span for span in one.dictated if span[1] <= at] + rolled.dictated
        one.answered = {number for number in one.answered if number < one.spent[-1]} | script.answered
        one.left = script.left


def _ask(one: Inquiry) -> PredictionRequest:
    if one.prediction is None:
        return one.ask
    return replace(one.ask, given=one.prediction.text[: one.sure[one.spent[-1]].start])


@dataclass(frozen=True)
class _Rollout:
    """A text that was written, and what is known of its bytes behind `given`."""

    prediction: Prediction
    logprobs: list[float]
    entropies: list[float]
    dictated: list[tuple[int, int]]


def _rollouts(
    predictor: Predictor, asks: Sequence[PredictionRequest], scripts: Sequence[ChosenSteps]
) -> Iterator[_Rollout]:
    decoder = predictor.capabilities.decodes_bytes
    if decoder is not None:
        decoder = decoder.settled()
        for found in decoder.follow(asks, scripts):
            yield _Rollout(found, decoder.logprobs, decoder.entropies, decoder.dictated)
        return
    for ask, done in zip(asks, walk(predictor, asks, scripts), strict=True):
        if not done.certain and done.status != "fault":
            raise UsageError(f"{predictor.info.name} does not say how sure it is of each byte")
        certain = [0.0] * (len(done.text) - len(ask.given))
        yield _Rollout(done.prediction(), certain, certain, done.dictated)
