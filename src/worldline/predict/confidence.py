"""Confidence of each predicted step: log-probabilities of its action and its state.

Forced and given bytes count as certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from worldline.codec.compact.turns import turns
from worldline.codec.cwm.frame_text import cut
from worldline.codec.cwm.text import EVENT_TOKENS, WITH_LOCALS
from worldline.predict.prediction import Prediction, PredictionRequest


class StepConfidence(NamedTuple):
    """Offsets of one step, with natural log-probabilities and entropies (nats) of its action and state.

    Each is a sum over bytes; `exp(action + state)` is the probability of the step according to the model.
    """

    start: int
    end: int
    action: float
    state: float
    action_entropy: float
    state_entropy: float

    @property
    def logprob(self) -> float:
        """Log-probability of the whole step."""
        return self.action + self.state


def step_confidences(
    request: PredictionRequest, prediction: Prediction, logprobs: Sequence[float], entropies: Sequence[float] = ()
) -> list[StepConfidence]:
    """Compute the confidence of each step of a compact prediction from its bytes after `request.given`."""
    text, before = prediction.text, len(request.given)
    confidences = []
    for turn in turns(text):
        action, state, action_entropy, state_entropy = 0.0, 0.0, 0.0, 0.0
        for line in turn.lines:
            action += _sum(logprobs, line.start - before, line.action - before)
            state += _sum(logprobs, line.action - before, line.end - before)
            action_entropy += _sum(entropies, line.start - before, line.action - before)
            state_entropy += _sum(entropies, line.action - before, line.end - before)
        confidences.append(StepConfidence(turn.start, turn.end, action, state, action_entropy, state_entropy))
    return confidences


_LOCALS = frozenset(EVENT_TOKENS[event] for event in WITH_LOCALS)


def frame_logprobs(tokens: Iterable[tuple[str, float]]) -> tuple[tuple[float, float], ...]:
    """Sum the log-probabilities of tokens in Meta's format into (action, state) of each whole frame.

    A token has a name only if it is special. Separators count as part of the action.
    """
    frames, action, state, is_state = list[tuple[float, float]](), 0.0, 0.0, False
    for name, logprob in tokens:
        is_state = is_state and not name
        if is_state:
            state += logprob
        else:
            action += logprob
        is_state = is_state or name in _LOCALS or name == "arg_sep"
        if name in ("frame_sep", "end_of_text"):
            frames.append((action, state))
            action = state = 0.0
    return tuple(frames)


def frame_confidences(request: PredictionRequest, prediction: Prediction) -> tuple[StepConfidence, ...]:
    """Compute the confidence of each frame of a prediction in Meta's format; empty if it is unknown."""
    if not prediction.sure:
        return ()
    frames, before = cut(prediction.text), len(request.given)
    known = [(0.0, 0.0)] * sum(frame.end <= before for frame in frames) + list(prediction.sure)
    if len(known) < sum(frame.whole and not frame.is_end for frame in frames):
        return ()
    pairs = zip(frames, known, strict=False)
    return tuple(StepConfidence(frame.start, frame.end, *logprobs, 0.0, 0.0) for frame, logprobs in pairs)


def _sum(values: Sequence[float], start: int, end: int) -> float:
    return float(sum(values[max(start, 0) : max(end, 0)]))
