"""What a rollout under forcing comes to: a prediction, and what of it was not the model's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """One true step (or the end) and what the model made of it, from the true text before it.

    `found` is what it wrote, None where only bytes were compared; `same_action` and `same_state` say whether it has the
    true bytes. `action` and `state` are the log-probabilities of the true bytes, None where they are not known.
    """

    step: int
    wanted: bytes
    found: bytes | None
    same_action: bool
    same_state: bool
    action: float | None = None
    state: float | None = None


class NextSteps(NamedTuple):
    """Every true step of a text one step ahead, the seconds that it took, and `fault` where the tool failed."""

    steps: tuple[NextStep, ...]
    seconds: float
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class ForcedRollout:
    """A prediction, and what of it was not the model's own.

    `dictated`: spans of the text that were given. `left`: the true step at which the model's run took another way, so
    that nothing could be given behind it. `steps`: each true step one step ahead (`next`, `both`), where the prediction
    itself is the truth. `sure`: how sure the model was of each step that it wrote, where it says so. `spent` and
    `answered`: the steps that were asked for, and those that the true run had an answer for.
    """

    prediction: Prediction
    force: str
    dictated: tuple[tuple[int, int], ...] = ()
    left: int | None = None
    steps: tuple[NextStep, ...] = ()
    sure: tuple[StepConfidence, ...] = ()
    spent: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
