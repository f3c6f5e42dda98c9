"""How sure a model was of each step that it wrote: the log-probabilities of its bytes, by action and by state.

What was forced or given counts as certain. Nothing here knows whether a step is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from worldline.codec.compact.turns import turns
from worldline.codec.cwm.frame_text import cut
from worldline.codec.cwm.text import EVENT_TOKENS, WITH_LOCALS
from worldline.predict.prediction import Prediction, PredictionRequest


class StepConfidence(NamedTuple):
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


def step_confidences(
    request: PredictionRequest,
    prediction: Prediction,
    logprobs: Sequence[float],
    entropies: Sequence[float] = (),
) -> list[StepConfidence]:
    """For each step of a compact prediction, from what is known of each byte behind `request.given`."""
    text, before = prediction.text, len(request.given)
    found = []
    for turn in turns(text):
        action, state, drawn, open_ = 0.0, 0.0, 0.0, 0.0
        for line in turn.lines:
            action += _sum(logprobs, line.start - before, line.action - before)
            state += _sum(logprobs, line.action - before, line.end - before)
            drawn += _sum(entropies, line.start - before, line.action - before)
            open_ += _sum(entropies, line.action - before, line.end - before)
        found.append(StepConfidence(turn.start, turn.end, action, state, drawn, open_))
    return found


_LOCALS = frozenset(EVENT_TOKENS[event] for event in WITH_LOCALS)


def by_frame(tokens: Iterable[tuple[str, float]]) -> tuple[tuple[float, float], ...]:
    """The log-probabilities of each frame of Meta's format, of its action and its state, from those of its tokens.

    A token is the name of a special one, or nothing. A separator is part of the action: to end a state is to act.
    """
    found, action, state, is_state = list[tuple[float, float]](), 0.0, 0.0, False
    for name, logprob in tokens:
        is_state = is_state and not name
        if is_state:
            state += logprob
        else:
            action += logprob
        is_state = is_state or name in _LOCALS or name == "arg_sep"
        if name in ("frame_sep", "end_of_text"):
            found.append((action, state))
            action = state = 0.0
    return tuple(found)


def frame_confidences(request: PredictionRequest, prediction: Prediction) -> tuple[StepConfidence, ...]:
    """For each frame of a prediction in Meta's format, what was given being certain; nothing where it is not known."""
    if not prediction.sure:
        return ()
    frames, before = cut(prediction.text), len(request.given)
    known = [(0.0, 0.0)] * sum(frame.end <= before for frame in frames) + list(prediction.sure)
    if len(known) < sum(frame.whole and not frame.is_end for frame in frames):
        return ()
    pairs = zip(frames, known, strict=False)
    return tuple(StepConfidence(frame.start, frame.end, *two, 0.0, 0.0) for frame, two in pairs)


def _sum(numbers: Sequence[float], start: int, end: int) -> float:
    return float(sum(numbers[max(start, 0) : max(end, 0)]))
