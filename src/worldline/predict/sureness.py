"""How sure a model was of each step that it wrote: the log-probabilities of its bytes, by action and by state.

What was forced or given counts as certain. Nothing here knows whether a step is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from worldline.codec.compact.turns import turns
from worldline.predict.predictor import Ask, Prediction


class Sure(NamedTuple):
    """One step of a text, by its offsets: natural log-probabilities of its action and its state, and entropies (nats).

    Each is the sum over the bytes; `exp(action + state)` is the model's own odds of the whole step.
    """

    start: int
    end: int
    action: float
    state: float
    action_entropy: float
    state_entropy: float

    @property
    def logprob(self) -> float:
        """Of the whole step."""
        return self.action + self.state


def sureness(
    ask: Ask, prediction: Prediction, logprobs: Sequence[float], entropies: Sequence[float] = ()
) -> list[Sure]:
    """For each step of a compact prediction, from what is known of each byte behind `ask.given`."""
    text, before = prediction.text, len(ask.given)
    found = []
    for turn in turns(text):
        action, state, drawn, open_ = 0.0, 0.0, 0.0, 0.0
        for line in turn.lines:
            action += _sum(logprobs, line.start - before, line.action - before)
            state += _sum(logprobs, line.action - before, line.end - before)
            drawn += _sum(entropies, line.start - before, line.action - before)
            open_ += _sum(entropies, line.action - before, line.end - before)
        found.append(Sure(turn.start, turn.end, action, state, drawn, open_))
    return found


def _sum(numbers: Sequence[float], start: int, end: int) -> float:
    return float(sum(numbers[max(start, 0) : max(end, 0)]))
