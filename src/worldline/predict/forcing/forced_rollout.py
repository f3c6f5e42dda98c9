"""The results of teacher forcing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """One true step (or the end), predicted from the true text before it.

    `wanted` is the true text, `found` the predicted one (None if only bytes were compared). `action` and `state` are
    the log-probabilities of the true ones, if known.
    """

    step: int
    wanted: bytes
    found: bytes | None
    same_action: bool
    same_state: bool
    action: float | None = None
    state: float | None = None


class NextSteps(NamedTuple):
    """Every true step of a text, each predicted from the true text before it; `fault` if the tool failed."""

    steps: tuple[NextStep, ...]
    seconds: float
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class ForcedRollout:
    """A prediction, and which parts of it the model did not write.

    Attributes:
        prediction: The prediction. For `next` and `both` it is the true text.
        force: What was forced, one of `forced.FORCES`.
        dictated: The spans of the text that were dictated.
        left: The true step at which the model's control flow diverged, after which nothing could be dictated.
        steps: For `next` and `both`, each true step as predicted from the true text before it.
        sure: The confidence of each step that the model wrote, if known.
        spent: The steps that were queried.
        answered: The queried steps for which the true run had an answer.
    """

    prediction: Prediction
    force: str
    dictated: tuple[tuple[int, int], ...] = ()
    left: int | None = None
    steps: tuple[NextStep, ...] = ()
    sure: tuple[StepConfidence, ...] = ()
    spent: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
